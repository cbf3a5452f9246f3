// SPDX-License-Identifier: MIT
#pragma once
// A growable array for constant expressions: std::vector costs the compiler several times as many steps. The passes go
// through `items` where they are busiest: even the call of an operator[] is a step.

#include <cstddef>
#include <type_traits>
#include <vector>  // for std::allocator and std::construct_at: <memory> brings a lot more

namespace tapeless::detail::inline base_part {

template <class T>
class list {
public:
    constexpr list() = default;
    constexpr explicit list(int n, T const& value = T{}) {
        if constexpr (std::is_arithmetic_v<T>) {
            if (value == T{}) {
                if (n > 0) items = new T[static_cast<std::size_t>(n)]{};
                size_ = capacity_ = n;
                return;
            }
        }
        reserve(n);
        for (int i = 0; i < n; ++i) {
            if constexpr (is_raw) std::construct_at(items + i, value);
            else items[i] = value;
        }
        size_ = n;
    }
    constexpr list(list const& other) {
        reserve(other.size_);
        size_ = other.size_;
#if defined(__clang__)
        if constexpr (is_copied_at_once) {
            if (size_ > 0) __builtin_memcpy(items, other.items, static_cast<std::size_t>(size_) * sizeof(T));
            return;
        }
#endif
        for (int i = 0; i < size_; ++i) {
            if constexpr (is_raw) std::construct_at(items + i, other.items[i]);
            else items[i] = other.items[i];
        }
    }
    constexpr list(list&& other) noexcept : items(other.items), size_(other.size_), capacity_(other.capacity_) {
        other.items = nullptr;
        other.size_ = other.capacity_ = 0;
    }
    constexpr list& operator=(list other) noexcept {
        T* d = items;
        int s = size_, c = capacity_;
        items = other.items, size_ = other.size_, capacity_ = other.capacity_;
        other.items = d, other.size_ = s, other.capacity_ = c;
        return *this;
    }
    constexpr ~list() { give_back(items, capacity_); }

    constexpr int size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T& operator[](int i) { return items[i]; }
    constexpr T const& operator[](int i) const { return items[i]; }
    constexpr T& back() { return items[size_ - 1]; }
    constexpr T* begin() { return items; }
    constexpr T* end() { return items + size_; }
    constexpr T const* begin() const { return items; }
    constexpr T const* end() const { return items + size_; }
    constexpr void resize(int n) {
        reserve(n);
        for (int i = size_; i < n; ++i) {
            if constexpr (is_raw) std::construct_at(items + i);
            else items[i] = T{};
        }
        size_ = n;
    }
    /// Room that g++ has not written to costs it nothing, and what is moved does.
    constexpr int push(T const& value) {
        if (size_ == capacity_) reserve(capacity_ < few ? few : times * capacity_);
        if constexpr (is_raw) std::construct_at(items + size_, value);
        else items[size_] = value;
        return size_++;
    }
    constexpr int push(T&& value)
        requires(!__is_trivially_copyable(T))
    {
        if (size_ == capacity_) reserve(capacity_ < few ? few : times * capacity_);
        return items[size_] = static_cast<T&&>(value), size_++;
    }

    T* items = nullptr;

private:
    // every program pays for every function of every list: few functions, and builtins rather than traits
    static constexpr bool is_copied_at_once = __is_trivially_copyable(T);
    static constexpr bool is_left_alone = __is_trivially_constructible(T);
    /// Whether elements begin to exist when they get a value: g++ runs the constructor of each, which takes long where
    /// members have values of their own.
#if defined(__clang__)
    static constexpr bool is_raw = false;
#else
    static constexpr bool is_raw = is_copied_at_once && !is_left_alone;
#endif
    static constexpr int few = is_raw ? 128 : 16, times = is_raw ? 4 : 2;
    static constexpr void give_back(T* old, int n) {
        if constexpr (!is_raw) delete[] old;
        else if (n > 0) std::allocator<T>{}.deallocate(old, static_cast<std::size_t>(n));
    }
    /// Numbers are left without a value: to write one is a step of its own. What clang copies at once is one step.
    /// Lists of lists are moved one by one.
    constexpr void reserve(int n) {
        if (n <= capacity_) return;
        T* const old = items;
        int const before = capacity_;
        capacity_ = n;
        if constexpr (is_raw) items = std::allocator<T>{}.allocate(static_cast<std::size_t>(n));
        else if constexpr (is_left_alone) items = new T[static_cast<std::size_t>(n)];
        else items = new T[static_cast<std::size_t>(n)]{};
#if defined(__clang__)
        if constexpr (is_copied_at_once) {
            if (size_ > 0) __builtin_memcpy(items, old, static_cast<std::size_t>(size_) * sizeof(T));
        } else
#endif
            for (int i = 0; i < size_; ++i) {
                if constexpr (is_raw) std::construct_at(items + i, old[i]);
                else items[i] = static_cast<T&&>(old[i]);
            }
        give_back(old, before);
    }
    int size_ = 0, capacity_ = 0;
};

}  // namespace tapeless::detail::base_part
