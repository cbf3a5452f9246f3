// SPDX-License-Identifier: MIT
// A matrix times a vector, a vector times a matrix, and the squares of x w + b - y with both gradients, where x lies
// row by row and column by column, and matrices of a few rows, beside loops by hand with xsimd's registers:
//
//   bench_matrix_vector
//
// Nanoseconds a call, and the ratio to the loop.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cstdio>
#include <vector>

#include "support/loop_tools.hpp"
#include "support/measure.hpp"
#include "support/numbers.hpp"

namespace {

namespace ad = tapeless;
namespace simd = ad::simd;
using ad::dyn;
using handwritten::unroll;

constexpr auto times_vector = [](auto a, auto x) { return matmul(a, x); };
constexpr auto vector_times = [](auto a, auto x) { return matmul(x, a); };
constexpr auto squares = [](auto w, auto b, auto x, auto y) { return sum(square(matmul(x, w) + b - y)); };

/// y = a x: four rows at once, two chains of sums each.
template <class T>
[[gnu::noinline]] void multiply_by_hand(T const* a, T const* x, T* y, std::ptrdiff_t m, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t L = simd::lanes<T>;
    std::ptrdiff_t i = 0;
    for (; i + 4 <= m; i += 4) {
        simd::batch<T> s[8];
        unroll<8>([&](auto j) { s[j] = simd::batch<T>(T(0)); });
        std::ptrdiff_t k = 0;
        for (; k + 2 * L <= n; k += 2 * L)
            unroll<8>([&](auto j) {
                s[j] = s[j] + simd::load(a + (i + j / 2) * n + k + j % 2 * L) * simd::load(x + k + j % 2 * L);
            });
        unroll<4>([&](auto j) {
            T r = simd::reduce_add(s[2 * j] + s[2 * j + 1]);
            for (std::ptrdiff_t q = k; q < n; ++q) r += a[(i + j) * n + q] * x[q];
            y[i + j] = r;
        });
    }
    for (; i < m; ++i) {
        T r = 0;
        for (std::ptrdiff_t k = 0; k < n; ++k) r += a[i * n + k] * x[k];
        y[i] = r;
    }
}
/// y = x a: four rows at once are added to y.
template <class T>
[[gnu::noinline]] void multiply_back_by_hand(T const* a, T const* x, T* y, std::ptrdiff_t m, std::ptrdiff_t n) {
    constexpr std::ptrdiff_t L = simd::lanes<T>;
    for (std::ptrdiff_t k = 0; k < n; ++k) y[k] = 0;
    std::ptrdiff_t i = 0;
    for (; i + 4 <= m; i += 4) {
        simd::batch<T> v[4];
        unroll<4>([&](auto j) { v[j] = simd::batch<T>(x[i + j]); });
        std::ptrdiff_t k = 0;
        for (; k + 2 * L <= n; k += 2 * L)
            unroll<2>([&](auto u) {
                simd::batch<T> s = simd::load(static_cast<T const*>(y) + k + u * L);
                unroll<4>([&](auto j) { s = s + v[j] * simd::load(a + (i + j) * n + k + u * L); });
                simd::store(y + k + u * L, s);
            });
        for (; k < n; ++k) unroll<4>([&](auto j) { y[k] += x[i + j] * a[(i + j) * n + k]; });
    }
    for (; i < m; ++i)
        for (std::ptrdiff_t k = 0; k < n; ++k) y[k] += x[i] * a[i * n + k];
}
/// The squares of x w + b - y, 2 (x w + b - y) in r, and the gradients by w and b; x column by column, w a multiple of
/// five.
[[gnu::noinline]] double fit_by_hand(double const* x, double const* w, double b, double const* y, std::ptrdiff_t m,
                                     std::ptrdiff_t n, double* r, double* dw, double& db) {
    constexpr std::ptrdiff_t L = simd::lanes<double>;
    using batch = simd::batch<double>;
    for (std::ptrdiff_t i = 0; i < m; ++i) r[i] = b - y[i];
    for (std::ptrdiff_t k = 0; k + 5 <= n; k += 5)
        for (std::ptrdiff_t i = 0; i + L <= m; i += L) {
            batch s = simd::load(static_cast<double const*>(r) + i);
            unroll<5>([&](auto j) { s = s + batch(w[k + j]) * simd::load(x + (k + j) * m + i); });
            simd::store(r + i, s);
        }
    batch squared(0.0), sum(0.0);
    for (std::ptrdiff_t i = 0; i + L <= m; i += L) {
        batch const s = simd::load(static_cast<double const*>(r) + i);
        squared = squared + s * s;
        sum = sum + s;
    }
    db = 2 * simd::reduce_add(sum);
    for (std::ptrdiff_t k = 0; k + 5 <= n; k += 5) {
        batch s[5];
        unroll<5>([&](auto j) { s[j] = batch(0.0); });
        for (std::ptrdiff_t i = 0; i + L <= m; i += L) {
            batch const t = simd::load(static_cast<double const*>(r) + i);
            unroll<5>([&](auto j) { s[j] = s[j] + t * simd::load(x + (k + j) * m + i); });
        }
        unroll<5>([&](auto j) { dw[k + j] = 2 * simd::reduce_add(s[j]); });
    }
    return simd::reduce_add(squared);
}

void print(char const* what, char const* type, std::size_t m, std::size_t n, double library, double by_hand) {
    std::printf("%-22s %-7s %6zu x %-6zu %12.1f %12.1f %8.2f\n", what, type, m, n, library, by_hand, library / by_hand);
    std::fflush(stdout);
}

template <class T, class A, class X>
void report(char const* type, A const& a, X const& x, X& y) {
    std::size_t const n = x.size();
    auto const length = static_cast<std::ptrdiff_t>(n);
    std::vector<T> z(n);
    auto forward = [&, f = ad::fused(times_vector)]() mutable { return f(ad::into(y), a, x), y.data()[0]; };
    auto back = [&, f = ad::fused(vector_times)]() mutable { return f(ad::into(y), a, x), y.data()[0]; };
    auto const ax = shortest_turn_of_each(
        forward, [&] { return multiply_by_hand(a.data(), x.data(), z.data(), length, length), z[0]; });
    print("a x", type, n, n, ax[0], ax[1]);
    auto const xa = shortest_turn_of_each(
        back, [&] { return multiply_back_by_hand(a.data(), x.data(), z.data(), length, length), z[0]; });
    print("x a", type, n, n, xa[0], xa[1]);
}
template <class T>
void report_lengths(char const* type) {
    for (auto const n : std::vector<std::size_t>{16, 64, 100, 256, 1000}) {
        ad::tensor<T, dyn, dyn> a(n, n);
        ad::tensor<T, dyn> x(n), y(n);
        fill(a, -1, 1);
        fill(x, -1, 1);
        report<T>(type, a, x, y);
    }
}
template <class T, int N>
void report_fixed(char const* type) {
    ad::tensor<T, N, N> a;
    ad::tensor<T, N> x, y;
    fill(a, -1, 1);
    fill(x, -1, 1);
    report<T>(type, a, x, y);
}

void report_fit(std::size_t m, std::size_t n) {
    ad::tensor<double, dyn, dyn> columns(n, m), rows(m, n);
    ad::tensor<double, dyn> w(n), y(m), r(m), dw(n), dw_by_hand(n);
    for (auto* v : {&w, &y}) fill(*v, -1, 1);
    fill(rows, -1, 1);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t j = 0; j < n; ++j) columns(j, i) = rows(i, j);
    auto const apart = static_cast<std::ptrdiff_t>(m);
    ad::view<double const, dyn, dyn> const x(columns.data(), m, n, std::array<std::ptrdiff_t, 2>{1, apart});
    double b = 0.5, db = 0, db_by_hand = 0;
    auto by_hand = [&] {
        return fit_by_hand(columns.data(), w.data(), b, y.data(), apart, static_cast<std::ptrdiff_t>(n), r.data(),
                           dw_by_hand.data(), db_by_hand);
    };
    auto by_columns = [&, f = ad::value_and_grad<0, 1>(squares)]() mutable { return f(ad::into(dw, db), w, b, x, y); };
    auto by_rows = [&, f = ad::value_and_grad<0, 1>(squares)]() mutable { return f(ad::into(dw, db), w, b, rows, y); };
    auto const ns = shortest_turn_of_each(by_columns, by_rows, by_hand);
    print("fit, x by columns", "double", m, n, ns[0], ns[2]);
    print("fit, x by rows", "double", m, n, ns[1], ns[2]);
}

/// x a of so many rows as only the run knows, and x aT, beside loops over the rows.
template <class T>
void report_rows(char const* type, std::size_t rows, std::size_t n) {
    constexpr auto times_transposed = [](auto a, auto x) { return matmul(x, transpose(a)); };
    ad::tensor<T, dyn, dyn> a(n, n), x(rows, n), y(rows, n), z(rows, n);
    fill(a, -1, 1);
    fill(x, -1, 1);
    auto const m = static_cast<std::ptrdiff_t>(n);
    auto each_row = [&](auto multiply) {
        for (std::size_t i = 0; i < rows; ++i) multiply(a.data(), x.data() + i * n, z.data() + i * n, m, m);
        return z(0, 0);
    };
    auto ours = [&, f = ad::fused(vector_times)]() mutable { return f(ad::into(y), a, x), y(0, 0); };
    auto transposed = [&, f = ad::fused(times_transposed)]() mutable { return f(ad::into(y), a, x), y(0, 0); };
    auto const ns = shortest_turn_of_each(ours, [&] { return each_row(multiply_back_by_hand<T>); }, transposed,
                                          [&] { return each_row(multiply_by_hand<T>); });
    print("rows x a", type, rows, n, ns[0], ns[1]);
    print("rows x aT", type, rows, n, ns[2], ns[3]);
}

}  // namespace

int main() {
    std::printf("%-22s %-7s %15s %12s %12s %8s\n", "", "", "", "ns", "by hand", "ratio");
    report_lengths<float>("float");
    report_lengths<double>("double");
    std::puts("lengths the compiler knows");
    report_fixed<float, 16>("float");
    report_fixed<double, 14>("double");
    report_fixed<double, 16>("double");
    for (std::size_t rows : {1, 2, 4, 8, 16}) {
        report_rows<float>("float", rows, 100);
        report_rows<double>("double", rows, 14);
        report_rows<double>("double", rows, 500);
    }
    std::puts("");
    report_fit(1000, 10);
    report_fit(100000, 10);
}
