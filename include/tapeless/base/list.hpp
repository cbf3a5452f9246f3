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
        room(n);
        for (int i = 0; i < n; ++i) {
            if constexpr (is_raw) std::construct_at(items + i, value);
            else items[i] = value;
        }
        size_ = n;
    }
    constexpr list(list const& other) {
        room(other.size_);
        copy(static_cast<T const*>(other.items), other.size_);
        size_ = other.size_;
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
    constexpr int push(T const& value) {
        if (size_ == capacity_) reserve(more());
        if constexpr (is_raw) std::construct_at(items + size_, value);
        else items[size_] = value;
        return size_++;
    }
    constexpr int push(T&& value)
        requires(!std::is_trivially_copyable_v<T>)
    {
        if (size_ == capacity_) reserve(more());
        return items[size_] = static_cast<T&&>(value), size_++;
    }

    T* items = nullptr;

private:
    /// Whether elements begin to exist when they get a value: g++ runs the constructor of each, which takes long where
    /// members have values of their own.
#if defined(__clang__)
    static constexpr bool is_raw = false;
#else
    static constexpr bool is_raw = std::is_trivially_copyable_v<T> && !std::is_trivially_default_constructible_v<T>;
#endif
    /// Numbers are left without a value: to write one is a step of its own.
    constexpr void room(int n) {
        if (n == 0) return;
        if constexpr (is_raw) items = std::allocator<T>{}.allocate(static_cast<std::size_t>(n));
        else if constexpr (std::is_trivially_default_constructible_v<T>) items = new T[static_cast<std::size_t>(n)];
        else items = new T[static_cast<std::size_t>(n)]{};
        capacity_ = n;
    }
    static constexpr void give_back(T* old, int n) {
        if constexpr (!is_raw) delete[] old;
        else if (n > 0) std::allocator<T>{}.deallocate(old, static_cast<std::size_t>(n));
    }
    /// Room that g++ has not written to costs it nothing, and what is moved does.
    constexpr int more() const {
        constexpr int few = is_raw ? 128 : 16, times = is_raw ? 4 : 2;
        return capacity_ < few ? few : times * capacity_;
    }
    constexpr void reserve(int n) {
        if (n <= capacity_) return;
        T* const old = items;
        int const before = capacity_;
        room(n);
        copy(old, size_);
        give_back(old, before);
    }
    /// What clang copies at once is one step. Lists of lists are moved or copied one by one.
    template <class From>
    constexpr void copy(From* from, int n) {
#if defined(__clang__)
        if constexpr (std::is_trivially_copyable_v<T>) {
            if (n > 0) __builtin_memcpy(items, from, static_cast<std::size_t>(n) * sizeof(T));
            return;
        }
#endif
        for (int i = 0; i < n; ++i) {
            if constexpr (is_raw) std::construct_at(items + i, from[i]);
            else if constexpr (std::is_const_v<From>) items[i] = from[i];
            else items[i] = static_cast<T&&>(from[i]);
        }
    }
    int size_ = 0, capacity_ = 0;
};

}  // namespace tapeless::detail::base_part
