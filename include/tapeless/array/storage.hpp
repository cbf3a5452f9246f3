// SPDX-License-Identifier: MIT
#pragma once
// Where a tensor's elements lie: inside the object, or on the heap.

#include <tapeless/array/layout.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace tapeless::detail::inline array_part {

inline constexpr std::size_t alignment = 64;
/// Larger static tensors live on the heap, so that a few of them as local variables do not overflow the stack.
inline constexpr std::size_t inline_bytes = 16 * 1024;

constexpr std::size_t padded_bytes(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Elements inside the object: small arrays whose extents are all known.
template <class T, class Shape>
class inline_storage {
    static constexpr auto count = static_cast<std::size_t>(Shape::static_size());
    static constexpr std::size_t bytes = padded_bytes(count == 0 ? 1 : count * sizeof(T));
    alignas(alignment) T elements[(bytes + sizeof(T) - 1) / sizeof(T)]{};

public:
    constexpr inline_storage() = default;
    constexpr explicit inline_storage(lengths_of<Shape> const&, bool /*zeroed*/ = true) {}

    constexpr T* data() { return elements; }
    constexpr T const* data() const { return elements; }
    static constexpr std::size_t size() { return count; }
    static constexpr lengths<Shape> extents() { return {}; }
};

/// Elements on the heap. Null when there are none, or when a tensor of static extents was moved from.
template <class T, class Shape>
class heap_storage {
public:
    constexpr heap_storage() {
        if constexpr (Shape::is_static) *this = heap_storage(Shape::extents);
    }
    constexpr explicit heap_storage(lengths_of<Shape> const& all, bool zeroed = true) : extents_(all) {
        allocate(checked_count("tensor", all, sizeof(T)));
        if (std::is_constant_evaluated()) return;  // new[] has made zeros
        if (zeroed && elements_) std::memset(static_cast<void*>(elements_), 0, padded_bytes(count_ * sizeof(T)));
    }
    constexpr heap_storage(heap_storage const& other) : extents_(other.extents_) {
        allocate(other.count_);
        copy(other);
    }
    constexpr heap_storage(heap_storage&& other) noexcept { take(other); }
    /// Of other extents, which the caller has compared with the shape.
    template <class Other>
    constexpr explicit heap_storage(heap_storage<T, Other>&& other) noexcept : extents_(other.extents().all()) {
        elements_ = std::exchange(other.elements_, nullptr);
        count_ = std::exchange(other.count_, 0);
        other.extents_ = {};
    }
    constexpr heap_storage& operator=(heap_storage const& other) {
        if (this == &other) return *this;
        if (count_ != other.count_) return *this = heap_storage(other);
        extents_ = other.extents_;
        copy(other);
        return *this;
    }
    constexpr heap_storage& operator=(heap_storage&& other) noexcept {
        if (this == &other) return *this;
        release();
        take(other);
        return *this;
    }
    /// (It asks for the elements first: clang++ takes a destructor that can be evaluated without them for one that does
    /// nothing, and leaves it out.)
    constexpr ~heap_storage() {
        if (elements_) release();
    }

    constexpr T* data() { return elements_; }
    constexpr T const* data() const { return elements_; }
    constexpr std::size_t size() const {
        if constexpr (Shape::is_static) return static_cast<std::size_t>(Shape::static_size());
        else return count_;
    }
    constexpr lengths<Shape> const& extents() const { return extents_; }

private:
    template <class, class>
    friend class heap_storage;

    constexpr void allocate(std::size_t count) {
        if (count == 0) return;
        if (std::is_constant_evaluated()) {
            elements_ = new T[count]{};
            count_ = count;
            return;
        }
        auto const used = count * sizeof(T), bytes = padded_bytes(used);
        void* p = ::operator new(bytes, std::align_val_t(alignment));
        std::memset(static_cast<char*>(p) + used, 0, bytes - used);
        elements_ = static_cast<T*>(p);
        count_ = count;
    }
    constexpr void copy(heap_storage const& other) {
        if (std::is_constant_evaluated()) {
            for (std::size_t i = 0; i < count_; ++i) elements_[i] = other.elements_[i];
            return;
        }
        if (count_ != 0) std::memcpy(static_cast<void*>(elements_), other.elements_, count_ * sizeof(T));
    }
    constexpr void take(heap_storage& other) noexcept {
        extents_ = std::exchange(other.extents_, {});
        elements_ = std::exchange(other.elements_, nullptr);
        count_ = std::exchange(other.count_, 0);
    }
    constexpr void release() noexcept {
        if (std::is_constant_evaluated()) delete[] elements_;
        else ::operator delete(elements_, std::align_val_t(alignment));
    }

    [[no_unique_address]] lengths<Shape> extents_;
    T* elements_ = nullptr;
    std::size_t count_ = 0;
};

template <class T, class Shape>
inline constexpr bool is_inline = [] {
    if constexpr (!Shape::is_static) return false;
    else return static_cast<std::uint64_t>(Shape::static_size()) <= inline_bytes / sizeof(T);
}();
template <class T, class Shape>
using storage_for = std::conditional_t<is_inline<T, Shape>, inline_storage<T, Shape>, heap_storage<T, Shape>>;

}  // namespace tapeless::detail::array_part
