// SPDX-License-Identifier: MIT
// Windows of up to three columns and rows, all strides and paddings that have loops of their own, in images of all
// widths around registers: maxima, means and their transposes beside plain loops, with infinities and NaN.

#include <cmath>
#include <cstdint>
#include <limits>
#include <tapeless/kernels/pool_spread.hpp>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless::detail;

namespace {

template <class T>
struct picture {
    std::int64_t channels, rows, columns, row;  ///< `row` elements from one row to the next
    std::vector<T> data;
    picture(std::int64_t c, std::int64_t r, std::int64_t w, std::int64_t around = 0)
        : channels(c),
          rows(r),
          columns(w),
          row(w + around),
          data(static_cast<std::size_t>(c * r * (w + around)), T(-7)) {}
    T& at(std::int64_t c, std::int64_t r, std::int64_t w) {
        return data[static_cast<std::size_t>((c * rows + r) * row + w)];
    }
    template <class U>
    ad::images<U> images() {
        ad::strided one{};
        ad::images<U> x(one, 0);
        x.data = data.data();
        x.items = 1, x.channels = channels, x.channel = rows * row;
        x.step[0] = 1, x.step[1] = row, x.step[2] = rows * row;
        x.extent[0] = columns, x.extent[1] = rows, x.extent[2] = 1;
        return x;
    }
};
template <class T>
bool is_same(T a, T b, T tolerance) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b || std::abs(a - b) <= tolerance;
}
/// Whole numbers, so that sums are exact in any order.
template <class T>
void fill(picture<T>& x, std::uint32_t seed) {
    for (std::int64_t c = 0; c < x.channels; ++c)
        for (std::int64_t r = 0; r < x.rows; ++r)
            for (std::int64_t w = 0; w < x.columns; ++w) {
                seed = seed * 1664525u + 1013904223u;
                x.at(c, r, w) = static_cast<T>(static_cast<int>((seed >> 16) % 97) - 48);
            }
}

/// How many results are wrong.
template <class T, int Size, int Stride, int Before, int Rows, int RowStride>
int wrong_results(std::int64_t columns, int special) {
    using known = ad::known_windows<ad::known_columns<Size, Stride, Before>, Rows, RowStride>;
    constexpr int before = Rows > 1 ? Before : 0;
    constexpr std::int64_t rows = 11;
    std::int64_t const out = (columns + 2 * Before - Size) / Stride + 1,
                       rows_out = (rows + 2 * before - Rows) / RowStride + 1;
    if (columns + 2 * Before < Size) return 0;
    ad::pool_axis a[ad::window_axes];
    a[0].in = columns, a[0].out = out, a[0].size = Size, a[0].stride = Stride, a[0].before = Before;
    a[1].in = rows, a[1].out = rows_out, a[1].size = Rows, a[1].stride = RowStride, a[1].before = before;
    picture<T> x(2, rows, columns, 3), y(2, rows_out, out, 2), means = y, g = y;
    picture<T> to(2, rows, columns, 1), shares = to;
    fill(x, static_cast<std::uint32_t>(columns));
    fill(g, static_cast<std::uint32_t>(columns + 1));
    T const infinity = std::numeric_limits<T>::infinity();
    if (special) x.at(0, rows / 2, columns / 2) = special == 1 ? infinity : std::numeric_limits<T>::quiet_NaN();
    if (special) x.at(1, rows / 2, columns - 1) = -infinity;

    ad::strided one{};
    ad::images<std::int64_t> none(one, 0);
    none.data = nullptr;
    ad::max_pool<T, known>(x.template images<T const>(), y.template images<T>(), none, a);
    ad::average<T, known>(x.template images<T const>(), means.template images<T>(), a);
    ad::spread_to_largest<T, known>(g.template images<T const>(), x.template images<T const>(), to.template images<T>(),
                                    a);
    ad::share_out<T, known>(g.template images<T const>(), shares.template images<T>(), a);

    picture<T> to_expected(2, rows, columns), shares_expected = to_expected;
    for (T& v : to_expected.data) v = 0;
    for (T& v : shares_expected.data) v = 0;
    int wrong = 0;
    T const tolerance = 64 * std::numeric_limits<T>::epsilon();
    for (std::int64_t c = 0; c < 2; ++c)
        for (std::int64_t h = 0; h < rows_out; ++h)
            for (std::int64_t w = 0; w < out; ++w) {
                T sum = 0, best = -infinity;
                std::int64_t row = -1, column = -1;
                for (std::int64_t i = a[1].begin(h); i < a[1].end(h); ++i)
                    for (std::int64_t j = a[0].begin(w); j < a[0].end(w); ++j) {
                        T const v = x.at(c, i, j);
                        sum += v;
                        if (row < 0 || v > best || (std::isnan(v) && !std::isnan(best))) best = v, row = i, column = j;
                        shares_expected.at(c, i, j) += g.at(c, h, w) / static_cast<T>(Rows * Size);
                    }
                wrong += !is_same(y.at(c, h, w), best, T(0));
                wrong += !is_same(means.at(c, h, w), sum / static_cast<T>(Rows * Size), tolerance);
                if (row >= 0) to_expected.at(c, row, column) += g.at(c, h, w);
            }
    for (std::int64_t c = 0; c < 2; ++c)
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < columns; ++j) {
                wrong += !is_same(to.at(c, i, j), to_expected.at(c, i, j), T(0));
                wrong += !is_same(shares.at(c, i, j), shares_expected.at(c, i, j), 8 * tolerance);
            }
    // nothing is written behind rows
    for (picture<T>* p : {&y, &means, &to, &shares})
        for (std::int64_t r = 0; r < 2 * p->rows; ++r)
            for (std::int64_t w = p->columns; w < p->row; ++w)
                wrong += p->data[static_cast<std::size_t>(r * p->row + w)] != T(-7);
    return wrong;
}
template <class T, int Size, int Stride, int Before, int Rows, int RowStride>
void check_widths() {
    constexpr std::int64_t L = tapeless::simd::lanes<T>, most = 7 * Stride * L + 3;
    for (int special : {0, 1, 2})
        for (std::int64_t w = 1; w <= most; ++w) {
            if (w > 2 * Stride * L + 2 && (w % L > 1 && w % L < L - 1)) continue;  // around whole registers
            INFO("size " << Size << " stride " << Stride << " before " << Before << " rows " << Rows << " by "
                         << RowStride << " width " << w << " special " << special);
            CHECK(wrong_results<T, Size, Stride, Before, Rows, RowStride>(w, special) == 0);
        }
}

}  // namespace

TEMPLATE_TEST_CASE("few windows: maxima, means and their transposes at all widths", "", float, double) {
    check_widths<TestType, 1, 1, 0, 2, 1>();
    check_widths<TestType, 1, 2, 0, 3, 2>();
    check_widths<TestType, 1, 3, 0, 3, 1>();
    check_widths<TestType, 2, 1, 0, 3, 2>();
    check_widths<TestType, 2, 1, 1, 2, 2>();
    check_widths<TestType, 2, 2, 0, 1, 1>();
    check_widths<TestType, 2, 2, 0, 3, 3>();
    check_widths<TestType, 2, 2, 1, 2, 3>();
    check_widths<TestType, 2, 3, 0, 2, 1>();
    check_widths<TestType, 2, 3, 1, 3, 3>();
    check_widths<TestType, 3, 1, 0, 1, 1>();
    check_widths<TestType, 3, 1, 1, 3, 1>();
    check_widths<TestType, 3, 2, 0, 3, 2>();
    check_widths<TestType, 3, 2, 1, 3, 2>();
    check_widths<TestType, 3, 3, 0, 3, 3>();
    check_widths<TestType, 3, 3, 0, 1, 1>();
    check_widths<TestType, 3, 3, 1, 2, 2>();
}
