// SPDX-License-Identifier: MIT
#pragma once
// tensor: an owning, row-major array, aligned for SIMD, whose extents the compiler may know.

#include <tapeless/array/layout.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

namespace tapeless {

namespace detail {

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

/// std::initializer_list, once per axis.
template <class T, int Rank>
struct braces {
    using type = std::initializer_list<typename braces<T, Rank - 1>::type>;
};
template <class T>
struct braces<T, 0> {
    using type = T;
};

/// "tensor: row 1 has 3 elements, axis 1 has 2"; `row` is the position among all rows of that depth.
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_row_differs(std::int64_t const* lengths, std::size_t axis,
                                                                     std::int64_t row, std::size_t given) {
    sentence s;
    s << "tensor: " << (axis == 0 ? "the list" : axis == 1 ? "row " : "row (");
    for (std::size_t k = 0; k < axis; ++k) {
        std::int64_t below = 1;  // rows of the axes between
        for (std::size_t j = k + 1; j < axis; ++j) below *= lengths[j];
        s << (k > 0 ? ", " : "") << row / below % lengths[k];
    }
    throw_shape(s << (axis > 1 ? ")" : "") << " has " << given << " elements, axis " << axis << " has "
                  << lengths[axis]);
}

template <class List>
constexpr void lengths_of_braces(List const& list, std::int64_t* lengths) {
    if (*lengths < 0) *lengths = static_cast<std::int64_t>(list.size());
    if constexpr (requires { list.begin()->begin(); }) {
        constexpr typename List::value_type none{};
        lengths_of_braces(list.size() == 0 ? none : *list.begin(), lengths + 1);
    }
}
template <class List>
constexpr void check_braces(List const& list, std::int64_t const* lengths, std::size_t axis, std::int64_t row) {
    if (static_cast<std::int64_t>(list.size()) != lengths[axis]) throw_row_differs(lengths, axis, row, list.size());
    if constexpr (requires { list.begin()->begin(); }) {
        row *= lengths[axis];
        for (auto const& inner : list) check_braces(inner, lengths, axis + 1, row++);
    }
}
template <class List, class T>
constexpr T* copy_braces(List const& list, T* to) {
    for (auto const& element : list) {
        if constexpr (requires { element.begin(); }) to = copy_braces(element, to);
        else *to++ = element;
    }
    return to;
}
/// The lengths that nested braces spell; rows must be equally long and agree with the extents known already.
template <class Shape, class List>
constexpr lengths_of<Shape> lengths_of_braces(List const& list) {
    auto lengths = Shape::extents;
    lengths_of_braces(list, lengths.data());
    check_braces(list, lengths.data(), 0, 0);
    return lengths;
}

}  // namespace detail

namespace detail {
/// Why tensor<float, dyn, dyn> x(3) is refused.
template <class Shape>
struct takes_one_length_for_each_run_time_extent;
}  // namespace detail

/// An owning array: row-major, elements aligned to 64 bytes, extents integers, `dyn` or `dim<"name">`.
///
///     tensor<float, 2, 2> a{{1, 2}, {3, 4}};      // extents known to the compiler
///     tensor<float, dyn, 3> b(n);                 // the run-time extents, in order; elements are zero
///     a(0, 1) = b(i, 2);
///
/// Up to 16 KiB of static extents live inside the object, everything else on the heap. A tensor that was moved from has
/// run-time extents of 0; one on the heap with static extents only may then be assigned to, or destroyed.
template <class T, auto... E>
class tensor {
    static_assert(std::is_same_v<T, std::remove_cvref_t<T>>, "a tensor's elements are not const; the tensor may be");
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                  "a tensor's elements are numbers, or as plain as numbers");

public:
    using value_type = T;
    using shape_type = canonical_shape<E...>;
    using iterator = T*;
    using const_iterator = T const*;
    static constexpr int rank = static_cast<int>(sizeof...(E));
    /// Elements lie one after the other: data() is enough to read them all.
    static constexpr bool is_dense = true;

    /// Static extents: zeros. Run-time extents: 0, so no elements.
    constexpr tensor() = default;

    /// Zeros; takes the run-time extents in order.
    template <std::integral... N>
        requires(sizeof...(N) > 0 && sizeof...(N) == detail::run_time_axes<shape_type>)
    constexpr explicit tensor(N... n)
        : storage_(detail::lengths_from<shape_type>("tensor", {static_cast<std::int64_t>(n)...})) {}

    template <class Because = detail::takes_one_length_for_each_run_time_extent<shape_type>, std::integral... N>
        requires(rank > 0 && sizeof...(N) > 0 && sizeof...(N) != detail::run_time_axes<shape_type>)
    constexpr explicit tensor(N...) = delete;  // tensor<float, dyn, 3, dyn> x(rows, columns): a length for each dyn

    /// Elements in nested braces, from which run-time extents take their lengths.
    constexpr tensor(typename detail::braces<T, rank>::type list)
        requires(rank > 0)
        : storage_(detail::lengths_of_braces<shape_type>(list), false) {
        detail::copy_braces(list, data());
    }

    /// Rank 0 is a number.
    constexpr tensor(T value)
        requires(rank == 0)
    {
        *data() = value;
    }

    /// From a tensor whose extents are spelled otherwise: 3 and 3u, or 3 and `dyn` (compared when it happens).
    template <auto... F>
        requires(detail::extents_may_agree<shape_type, canonical_shape<F...>>)
    constexpr tensor(tensor<T, F...> const& other)
        : storage_(detail::lengths_checked<shape_type>("tensor", other.extents()), false) {
        for (std::size_t i = 0; i < size(); ++i) data()[i] = other.data()[i];
    }
    /// The same from a temporary, whose memory is taken over where both are on the heap.
    template <auto... F>
        requires(detail::extents_may_agree<shape_type, canonical_shape<F...>>)
    constexpr tensor(tensor<T, F...>&& other) : storage_(converted(other)) {}

    /// Zeros with all lengths given, the static ones too.
    static constexpr tensor with_extents(std::array<std::int64_t, sizeof...(E)> const& lengths) {
        return tensor(storage(detail::lengths_checked<shape_type>("tensor", lengths)));
    }
    /// The same without the zeros, for those who write every element anyway.
    static constexpr tensor uninitialized(std::array<std::int64_t, sizeof...(E)> const& lengths) {
        return tensor(storage(detail::lengths_checked<shape_type>("tensor", lengths), false));
    }

    constexpr T* data() noexcept { return storage_.data(); }
    constexpr T const* data() const noexcept { return storage_.data(); }
    /// Number of elements.
    constexpr std::size_t size() const noexcept { return storage_.size(); }
    /// Length of axis k; throws index_error where there is no such axis.
    constexpr std::size_t extent(std::integral auto k) const { return detail::extent_at("tensor", extents(), k); }
    /// All lengths.
    constexpr std::array<std::int64_t, sizeof...(E)> extents() const noexcept { return storage_.extents().all(); }

    constexpr iterator begin() noexcept { return data(); }
    constexpr iterator end() noexcept { return data() + size(); }
    constexpr const_iterator begin() const noexcept { return data(); }
    constexpr const_iterator end() const noexcept { return data() + size(); }

    /// The element i...; the indices are checked by assert only.
    template <std::integral... I>
        requires(sizeof...(I) == sizeof...(E))
    constexpr T& operator()(I... i) {
        return data()[detail::row_major_offset(storage_.extents(), i...)];
    }
    template <std::integral... I>
        requires(sizeof...(I) == sizeof...(E))
    constexpr T const& operator()(I... i) const {
        return data()[detail::row_major_offset(storage_.extents(), i...)];
    }
    /// The element i of a tensor of one axis; of others they are x(i, j).
    constexpr T& operator[](std::integral auto i) requires(rank > 0) {
        refuse(because<detail::one_index_refused<tensor>>{});
        return data()[detail::row_major_offset(storage_.extents(), i)];
    }
    constexpr T const& operator[](std::integral auto i) const requires(rank > 0) {
        refuse(because<detail::one_index_refused<tensor>>{});
        return data()[detail::row_major_offset(storage_.extents(), i)];
    }
    /// The element i...; throws index_error.
    template <std::integral... I>
        requires(sizeof...(I) == sizeof...(E))
    constexpr T& at(I... i) {
        detail::check_indices("tensor", extents(), i...);
        return (*this)(i...);
    }
    template <std::integral... I>
        requires(sizeof...(I) == sizeof...(E))
    constexpr T const& at(I... i) const {
        detail::check_indices("tensor", extents(), i...);
        return (*this)(i...);
    }

    /// Rank 0 is a number.
    constexpr operator T() const
        requires(rank == 0)
    {
        return *data();
    }

    constexpr void swap(tensor& other) noexcept { std::swap(storage_, other.storage_); }
    friend constexpr void swap(tensor& a, tensor& b) noexcept { a.swap(b); }

private:
    template <class, auto...>
    friend class tensor;
    using storage = detail::storage_for<T, shape_type>;

    constexpr explicit tensor(storage&& made) : storage_(std::move(made)) {}

    template <auto... F>
    static constexpr storage converted(tensor<T, F...>& other) {
        auto const lengths = detail::lengths_checked<shape_type>("tensor", other.extents());
        if constexpr (!detail::is_inline<T, shape_type> && !detail::is_inline<T, canonical_shape<F...>>) {
            return storage(std::move(other.storage_));
        } else {
            storage made(lengths, false);
            for (std::size_t i = 0; i < made.size(); ++i) made.data()[i] = other.data()[i];
            return made;
        }
    }

    storage storage_;
};

/// Equal lengths and equal elements.
template <class T, auto... E, auto... F>
    requires(sizeof...(E) == sizeof...(F))
constexpr bool operator==(tensor<T, E...> const& a, tensor<T, F...> const& b) {
    if (a.extents() != b.extents()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(a.data()[i] == b.data()[i])) return false;
    return true;
}

}  // namespace tapeless
