// SPDX-License-Identifier: MIT
#pragma once
// Arrays of half and bfloat16 beside the same values as floats: computing on either must come to the same.

#include <cmath>
#include <vector>

#include "support/catch.hpp"

#include <tapeless/tapeless.hpp>

namespace storage {

namespace ad = tapeless;

/// Around and beyond a register's lanes, whatever their number.
inline std::vector<std::size_t> const lengths{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 70};

/// n numbers between about -2 and 2 that T holds exactly.
template <class T>
std::vector<T> numbers(std::size_t n, double seed = 0.3) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = T(2 * std::sin(seed + 1.7 * static_cast<double>(i)));
    return x;
}

/// The same elements with another type, each rounded once.
template <class To, class From>
std::vector<To> as(From const& from) {
    std::vector<To> to;
    for (auto const& x : from) to.push_back(static_cast<To>(x));
    return to;
}
template <class To, class From, auto... E>
ad::tensor<To, E...> as_tensor(ad::tensor<From, E...> const& from) {
    auto to = ad::tensor<To, E...>::with_extents(from.extents());
    for (std::size_t i = 0; i < from.size(); ++i) to.data()[i] = static_cast<To>(from.data()[i]);
    return to;
}

/// Equal element by element, and in number.
template <class A, class B>
bool same(A const& a, B const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace storage
