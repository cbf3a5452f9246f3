// SPDX-License-Identifier: MIT
#pragma once
// A growable array for constant expressions: std::vector costs the compiler several times as many steps.

namespace tapeless::detail {

template <class T>
class list {
public:
    constexpr list() = default;
    constexpr explicit list(int n, T const& value = T{}) {
        reserve(n);
        for (int i = 0; i < n; ++i) data_[i] = value;
        size_ = n;
    }
    constexpr list(list const& other) {
        reserve(other.size_);
        for (int i = 0; i < other.size_; ++i) data_[i] = other.data_[i];
        size_ = other.size_;
    }
    constexpr list(list&& other) noexcept : data_(other.data_), size_(other.size_), capacity_(other.capacity_) {
        other.data_ = nullptr;
        other.size_ = other.capacity_ = 0;
    }
    constexpr list& operator=(list other) noexcept {
        T* d = data_;
        int s = size_, c = capacity_;
        data_ = other.data_, size_ = other.size_, capacity_ = other.capacity_;
        other.data_ = d, other.size_ = s, other.capacity_ = c;
        return *this;
    }
    constexpr ~list() { delete[] data_; }

    constexpr int size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr T& operator[](int i) { return data_[i]; }
    constexpr T const& operator[](int i) const { return data_[i]; }
    constexpr T& back() { return data_[size_ - 1]; }
    constexpr T* begin() { return data_; }
    constexpr T* end() { return data_ + size_; }
    constexpr T const* begin() const { return data_; }
    constexpr T const* end() const { return data_ + size_; }
    constexpr void resize(int n) {
        reserve(n);
        for (int i = size_; i < n; ++i) data_[i] = T{};
        size_ = n;
    }
    constexpr int push(T const& value) {
        if (size_ == capacity_) reserve(capacity_ < 16 ? 16 : 2 * capacity_);
        data_[size_] = value;
        return size_++;
    }

private:
    constexpr void reserve(int n) {
        if (n <= capacity_) return;
        T* grown = new T[static_cast<decltype(sizeof(0))>(n)]{};
        for (int i = 0; i < size_; ++i) grown[i] = static_cast<T&&>(data_[i]);
        delete[] data_;
        data_ = grown;
        capacity_ = n;
    }
    T* data_ = nullptr;
    int size_ = 0, capacity_ = 0;
};

}  // namespace tapeless::detail
