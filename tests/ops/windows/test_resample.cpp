// SPDX-License-Identifier: MIT
// Images at other sizes: larger and smaller ones, around registers and blocks of columns and rows, beside the formula.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

/// Along one axis: y(i) = sum over j of weight(i, j) x(j).
double weight(bool linear, bool corners, std::size_t in, std::size_t out, std::size_t i, std::size_t j) {
    double const n = static_cast<double>(in), m = static_cast<double>(out), k = static_cast<double>(i);
    if (!linear) return i * in / out == j;
    double s = corners ? (out > 1 ? k * (n - 1) / (m - 1) : 0) : (k + 0.5) * n / m - 0.5;
    s = std::clamp(s, 0.0, n - 1);
    return std::max(0.0, 1 - std::abs(s - static_cast<double>(j)));
}

template <class T, int Rows, int Columns, class F>
void compare(F f, bool linear, bool corners, std::size_t rows, std::size_t columns) {
    ad::tensor<T, dyn, dyn, dyn, dyn> x(2, 3, rows, columns);
    ad::tensor<T, dyn, dyn, Rows, Columns> g(2, 3);
    double at = 0;
    for (T& v : x) v = static_cast<T>(std::sin(at += 0.7));
    for (T& v : g) v = static_cast<T>(std::cos(at += 0.9));
    auto const y = ad::evaluate(f, x);
    auto const d = ad::grad<0>([](auto a, auto b) { return sum(b * F{}(a)); })(x, g);
    double worst = 0;
    // rows first: t is (rows, Columns)
    for (std::size_t n = 0; n < 6; ++n) {
        T const *const from = x.data() + n * rows * columns, *const to = y.data() + n * Rows * Columns,
                       *const up = g.data() + n * Rows * Columns, *const back = d.data() + n * rows * columns;
        auto const w = [&](std::size_t i, std::size_t j) { return weight(linear, corners, columns, Columns, i, j); };
        auto const v = [&](std::size_t i, std::size_t j) { return weight(linear, corners, rows, Rows, i, j); };
        std::vector<double> t(rows * Columns), s(rows * Columns), whole(Rows * Columns), whole_back(rows * columns);
        for (std::size_t i = 0; i < Columns; ++i)
            for (std::size_t j = 0; j < columns; ++j)
                if (double const c = w(i, j); c != 0)
                    for (std::size_t r = 0; r < rows; ++r)
                        t[r * Columns + i] += c * static_cast<double>(from[r * columns + j]);
        for (std::size_t h = 0; h < Rows; ++h)
            for (std::size_t r = 0; r < rows; ++r)
                if (double const c = v(h, r); c != 0)
                    for (std::size_t i = 0; i < Columns; ++i) {
                        whole[h * Columns + i] += c * t[r * Columns + i];
                        s[r * Columns + i] += c * static_cast<double>(up[h * Columns + i]);
                    }
        for (std::size_t i = 0; i < Columns; ++i)
            for (std::size_t j = 0; j < columns; ++j)
                if (double const c = w(i, j); c != 0)
                    for (std::size_t r = 0; r < rows; ++r) whole_back[r * columns + j] += c * s[r * Columns + i];
        for (std::size_t i = 0; i < whole.size(); ++i)
            worst = std::max(worst, std::abs(whole[i] - static_cast<double>(to[i])));
        for (std::size_t i = 0; i < whole_back.size(); ++i)
            worst =
                std::max(worst, std::abs(whole_back[i] - static_cast<double>(back[i])) / (1 + std::abs(whole_back[i])));
    }
    CAPTURE(rows, columns, Rows, Columns, linear, corners);
    CHECK(worst < (sizeof(T) == 4 ? 1e-4 : 1e-11));
}
template <class T, int Rows, int Columns>
void compare_all() {
    for (auto const& [rows, columns] : {std::pair<std::size_t, std::size_t>{1, 1},
                                       {1, 5},
                                       {2, 3},
                                       {3, 2},
                                       {4, 4},
                                       {5, 9},
                                       {8, 130},
                                       {31, 17},
                                       {33, 256},
                                       {17, 257},
                                       {150, 259},
                                       {20, 600}}) {
        compare<T, Rows, Columns>([](auto x) { return ad::upsample_nearest<Rows, Columns>(x); }, false, false, rows,
                                  columns);
        compare<T, Rows, Columns>([](auto x) { return ad::upsample_bilinear<Rows, Columns>(x); }, true, false, rows,
                                  columns);
        compare<T, Rows, Columns>([](auto x) { return ad::upsample_bilinear<Rows, Columns, true>(x); }, true, true,
                                  rows, columns);
    }
}

}  // namespace

TEST_CASE("upsample: larger and smaller images, and their gradients, are what the formula says") {
    compare_all<double, 1, 1>();
    compare_all<float, 6, 7>();
    compare_all<double, 16, 31>();
    compare_all<float, 33, 256>();
    compare_all<double, 257, 258>();
    compare_all<float, 300, 515>();
}
TEST_CASE("upsample: images whose columns are apart") {
    ad::tensor<double, 2, 3, 9, 5> x;  // rows and columns change places
    double at = 0;
    for (double& v : x) v = std::sin(at += 0.7);
    auto const turned = ad::evaluate([](auto a) { return transpose(a); }, x);
    constexpr auto larger = [](auto a) { return ad::upsample_bilinear<12, 21>(a); };
    constexpr auto read_turned = [](auto a) { return ad::upsample_bilinear<12, 21>(transpose(a)); };
    auto const y = ad::evaluate(larger, turned);
    auto const z = ad::evaluate(read_turned, x);
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y.data()[i] == Approx(z.data()[i]).margin(1e-14));
    auto const d = ad::grad<0>([](auto a) { return sum(square(ad::upsample_bilinear<12, 21>(a))); })(turned);
    auto const e = ad::grad<0>([](auto a) { return sum(square(ad::upsample_bilinear<12, 21>(transpose(a)))); })(x);
    for (std::size_t n = 0; n < 6; ++n)
        for (std::size_t i = 0; i < 9; ++i)
            for (std::size_t j = 0; j < 5; ++j)
                CHECK(d.data()[n * 45 + j * 9 + i] == Approx(e.data()[n * 45 + i * 5 + j]).margin(1e-13));
}
