// SPDX-License-Identifier: MIT
#pragma once
// Arrays with one NaN among their elements, and where NaN stands in what comes out.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "support/catch.hpp"

namespace one_nan {

namespace ad = tapeless;
using ad::dyn;

using vector = ad::tensor<float, dyn>;
using matrix = ad::tensor<float, dyn, dyn>;
inline constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

inline float number(std::size_t i) { return 0.25f + 0.5f * static_cast<float>(i * 37 % 101) / 101.0f; }
inline matrix numbers(std::size_t rows, std::size_t columns) {
    matrix x(rows, columns);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = number(i);
    return x;
}
inline vector numbers(std::size_t n) {
    vector x(n);
    for (std::size_t i = 0; i < n; ++i) x.data()[i] = number(i);
    return x;
}

/// The first element, the last, and some around the ends of batches and blocks.
inline std::set<std::size_t> places(std::size_t n) {
    std::set<std::size_t> p;
    for (std::size_t i : {0u, 3u, 4u, 63u, 64u, 128u})
        if (i < n) p.insert(i);
    p.insert(n / 2);
    p.insert(n - 1);
    return p;
}

template <class A>
std::string where_nan(A const& a) {
    std::string at;
    std::size_t i = 0;
    for (auto v : a) {
        if (std::isnan(v)) at += std::to_string(i) + " ";
        ++i;
    }
    return at;
}
inline std::string where_nan(float x) { return std::isnan(x) ? "0 " : ""; }

/// The numbers a row (or a column) has in row-major order.
inline std::string row_of(std::size_t row, std::size_t columns) {
    std::string at;
    for (std::size_t j = 0; j < columns; ++j) at += std::to_string(row * columns + j) + " ";
    return at;
}
inline std::string column_of(std::size_t column, std::size_t rows, std::size_t columns) {
    std::string at;
    for (std::size_t i = 0; i < rows; ++i) at += std::to_string(i * columns + column) + " ";
    return at;
}
inline std::string only(std::size_t i) { return std::to_string(i) + " "; }

/// Each array of a tuple has its NaN there.
template <class... A>
void check_all(std::tuple<A...> const& all, std::string const& expected, char const* what) {
    std::size_t k = 0;
    auto one = [&](auto const& a) {
        INFO(what << ", result " << k++);
        CHECK(where_nan(a) == expected);
    };
    std::apply([&](auto const&... a) { (one(a), ...); }, all);
}

inline constexpr std::size_t lengths[] = {1, 3, 4, 5, 15, 17, 63, 64, 65, 127, 128, 129, 255, 256, 257};
struct size {
    std::size_t rows, columns;
};
inline constexpr size sizes[] = {{1, 1},  {3, 5},  {5, 3},   {4, 64},  {64, 4},   {65, 7},   {7, 65},  {129, 5},
                          {5, 129}, {257, 3}, {3, 257}, {128, 64}, {64, 128}, {300, 17}, {17, 300}};

}  // namespace one_nan
