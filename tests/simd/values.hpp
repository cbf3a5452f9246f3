// SPDX-License-Identifier: MIT
#pragma once
// The lanes of a batch or a mask, one after the other.

#include <vector>

#include <tapeless/simd/simd.hpp>

template <class T>
std::vector<T> values(tapeless::simd::batch<T> b) {
    std::vector<T> v(tapeless::simd::lanes<T>);
    tapeless::simd::store(v.data(), b);
    return v;
}

template <class T>
std::vector<bool> values(tapeless::simd::mask<T> m) {
    bool b[tapeless::simd::lanes<T>];
    tapeless::simd::store_mask(b, m);
    return std::vector<bool>(b, b + tapeless::simd::lanes<T>);
}
