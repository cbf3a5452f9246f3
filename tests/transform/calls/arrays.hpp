// SPDX-License-Identifier: MIT
#pragma once
// Arrays to compute with, and how far two of them are apart.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>

template <class A>
void fill(A& a, double scale, double begin) {
    int k = 0;
    for (auto& v : a) v = static_cast<std::remove_reference_t<decltype(v)>>(scale * std::sin(begin + 1.7 * ++k));
}
template <class A, class B>
double distance(A const& a, B const& b) {
    double d = a.size() == b.size() ? 0 : 1e9;
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.size()); ++i)
        d = std::max(d, std::abs(static_cast<double>(a.data()[i]) - static_cast<double>(b.data()[i])));
    return d;
}
