// SPDX-License-Identifier: MIT
// How fast is linear algebra, alone and with its gradient? Beside LAPACK (OpenBLAS) and Eigen where they are
// installed, on one thread:
//
//   bench_linalg [PATTERN]     only the lines that contain it, e.g. "cholesky", "batch"
//
// Microseconds a call; the ratio is the faster of the others over ours, so that more than 1 is faster than they are.
// Gradients are compared with the same adjoint written by hand on LAPACK. Of n <= 32 ours know the size when
// compiled, and so do Eigen's of n <= 8.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <tapeless/tapeless.hpp>

#include "support/factorisations.hpp"
#include "support/measure.hpp"

namespace ad = tapeless;
namespace la = ad::linalg;

namespace {

std::string_view only;

template <class T, int N>
struct arrays {
    using matrix = ad::tensor<T, N, N>;
    using vector = ad::tensor<T, N>;
    static matrix make_matrix() { return {}; }
    static vector make_vector() { return {}; }
};
template <class T, int N>
    requires(N > 32)
struct arrays<T, N> {
    using matrix = ad::tensor<T, ad::dyn, ad::dyn>;
    using vector = ad::tensor<T, ad::dyn>;
    static matrix make_matrix() { return matrix(N, N); }
    static vector make_vector() { return vector(N); }
};
/// Symmetric, and large on the diagonal.
template <class M>
void fill_matrix(M& a, int n) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            a(i, j) = static_cast<typename M::value_type>(std::cos(i * j + 0.1 * (i + j)) + (i == j ? n : 0));
}

void print(std::string const& what, double ours, bool has_lapack, double by_lapack, bool has_eigen, double by_eigen) {
    std::printf("%-34s %10.2f", what.c_str(), ours * 1e-3);
    if (has_lapack) std::printf(" %10.2f", by_lapack * 1e-3);
    else std::printf(" %10s", "-");
    if (has_eigen) std::printf(" %10.2f", by_eigen * 1e-3);
    else std::printf(" %10s", "-");
    double const best = std::min(has_lapack ? by_lapack : 1e300, has_eigen ? by_eigen : 1e300);
    if (best < 1e299) std::printf(" %8.2f", best / ours);
    std::printf("\n");
    std::fflush(stdout);
}

template <int N>
void compare() {
    constexpr int n = N;
    using A = arrays<double, N>;
    auto a = A::make_matrix(), c = A::make_matrix(), l = A::make_matrix(), da = A::make_matrix(),
         work = A::make_matrix();
    auto b = A::make_vector(), x = A::make_vector(), db = A::make_vector(), w = A::make_vector();
    fill_matrix(a, n);
    fill_matrix(c, n);
    for (int i = 0; i < n; ++i) b(i) = std::sin(i), w(i) = std::cos(3.0 * i);
    std::vector<int> pivots(N);
    using by_eigen = eigen<double, (N <= 8 ? N : of_any_size)>;
    auto wanted = [](std::string const& what) { return what.find(only) != std::string::npos; };
    std::string const size = " n = " + std::to_string(N);

    if (wanted("cholesky" + size)) {
        auto f = ad::fused([](auto m) { return la::cholesky(m); });
        auto const t = least_of_each(
            [&] {
                f(ad::into(l), a);
                return l.data()[0];
            },
            [&] {
                std::copy(a.begin(), a.end(), work.begin());
                lapack::cholesky(n, work.data());
                return work.data()[0];
            },
            [&] {
                by_eigen::cholesky(n, a.data(), work.data());
                return work.data()[0];
            });
        print("cholesky" + size, t[0], lapack::present, t[1], by_eigen::present, t[2]);
    }
    if (wanted("solve" + size)) {
        auto f = ad::fused([](auto m, auto r) { return la::solve(m, r); });
        auto const t = least_of_each([&] { f(ad::into(x), a, b); return x.data()[0]; },
                                     [&] {
                                         std::copy(a.begin(), a.end(), work.begin());
                                         std::copy(b.begin(), b.end(), x.begin());
                                         lapack::solve(n, work.data(), pivots.data(), 1, x.data());
                                         return x.data()[0];
                                     },
                                     [&] { by_eigen::solve(n, a.data(), b.data(), x.data()); return x.data()[0]; });
        print("solve" + size, t[0], lapack::present, t[1], by_eigen::present, t[2]);
    }
    if (wanted("cholesky with gradient" + size)) {
        auto f = ad::grad<0>([](auto m, auto k) { return sum(la::cholesky(m) * k); });
        auto const t = least_of_each([&] { f(ad::into(da), a, c); return da.data()[0]; },
                                     [&] {
                                         std::copy(a.begin(), a.end(), work.begin());
                                         lapack::cholesky(n, work.data());
                                         for (int i = 0; i < n; ++i)
                                             for (int j = 0; j < n; ++j) l(i, j) = j <= i ? c(i, j) : 0;
                                         lapack::multiply_transposed(n, work.data(), l.data());
                                         for (int i = 0; i < n; ++i) {
                                             l(i, i) *= 0.5;
                                             for (int j = i + 1; j < n; ++j) l(i, j) = 0;
                                         }
                                         lapack::apply_inverses(n, work.data(), l.data());
                                         for (int i = 0; i < n; ++i)
                                             for (int j = 0; j <= i; ++j)
                                                 da(i, j) = da(j, i) = 0.5 * (l(i, j) + l(j, i));
                                         return da.data()[0];
                                     });
        print("cholesky with gradient" + size, t[0], lapack::present, t[1], false, 0);
    }
    if (wanted("solve with gradient" + size)) {
        auto f = ad::grad<0, 1>([](auto m, auto r, auto k) { return sum(la::solve(m, r) * k); });
        auto const t = least_of_each([&] { f(ad::into(da, db), a, b, w); return da.data()[0]; },
                                     [&] {
                                         std::copy(a.begin(), a.end(), work.begin());
                                         std::copy(b.begin(), b.end(), x.begin());
                                         std::copy(w.begin(), w.end(), db.begin());
                                         lapack::solve(n, work.data(), pivots.data(), 1, x.data());
                                         lapack::solve_transposed(n, work.data(), pivots.data(), 1, db.data());
                                         for (int i = 0; i < n; ++i)
                                             for (int j = 0; j < n; ++j) da(i, j) = -db(i) * x(j);
                                         return da.data()[0];
                                     });
        print("solve with gradient" + size, t[0], lapack::present, t[1], false, 0);
    }
}

template <class T, int N>
void compare_batch() {
    constexpr std::size_t count = 100000;
    ad::tensor<T, ad::dyn, N, N> a(count), l(count);
    ad::tensor<T, ad::dyn, N> b(count), x(count);
    for (std::size_t k = 0; k < count; ++k)
        for (int i = 0; i < N; ++i) {
            b(k, i) = static_cast<T>(std::sin(i + 0.1 * static_cast<double>(k)));
            for (int j = 0; j < N; ++j)
                a(k, i, j) =
                    static_cast<T>(std::cos(i * j + 0.01 * static_cast<double>(k % 1000) * (i + j)) + (i == j ? N : 0));
        }
    std::string const size = " n = " + std::to_string(N) + (sizeof(T) == 4 ? " float" : " double");
    using by_eigen = eigen<T, N>;
    if (("batch cholesky" + size).find(only) != std::string::npos) {
        auto f = ad::fused([](auto m) { return la::cholesky(m); });
        auto const t = least_of_each(
            [&] {
                f(ad::into(l), a);
                return l.data()[0];
            },
            [&] {
                for (std::size_t k = 0; k < count; ++k)
                    by_eigen::cholesky(N, a.data() + k * N * N, l.data() + k * N * N);
                return l.data()[0];
            });
        print("batch cholesky" + size, t[0], false, 0, by_eigen::present, t[1]);
    }
    if (("batch solve" + size).find(only) != std::string::npos) {
        auto f = ad::fused([](auto m, auto r) { return la::solve(m, r, la::vectors); });
        auto const t = least_of_each(
            [&] {
                f(ad::into(x), a, b);
                return x.data()[0];
            },
            [&] {
                for (std::size_t k = 0; k < count; ++k)
                    by_eigen::solve(N, a.data() + k * N * N, b.data() + k * N, x.data() + k * N);
                return x.data()[0];
            });
        print("batch solve" + size, t[0], false, 0, by_eigen::present, t[1]);
    }
}

/// The logarithm of the marginal likelihood of a Gaussian process, and its derivatives by length, amplitude and noise.
void compare_gaussian_process() {
    constexpr int n = 512;
    if (std::string_view("gaussian process with gradient").find(only) == std::string_view::npos) return;
    ad::tensor<double, ad::dyn> x(n), y(n);
    ad::tensor<double, ad::dyn, ad::dyn> eye(n, n), k(n, n), e(n, n);
    for (int i = 0; i < n; ++i) x(i) = 0.02 * i + 0.01 * std::sin(5.0 * i), y(i) = std::sin(x(i)), eye(i, i) = 1;
    auto f = ad::value_and_grad<0, 1, 2>([](auto length, auto amplitude, auto noise, auto at, auto value, auto unit) {
        auto d = (ad::unsqueeze<1>(at) - at) / length;
        auto l = ad::let(la::cholesky(square(amplitude) * exp(-0.5 * square(d)) + square(noise) * unit));
        return -0.5 * sum(square(la::solve_triangular(l, value))) - sum(log(ad::diagonal(l)));
    });
    double const length = 0.9, amplitude = 1.2, noise = 0.3;
    double ours[4]{}, theirs[4]{};
    std::vector<double> alpha(n);
    auto const t = least_of_each(
        [&] {
            auto const [value, grads] = f(length, amplitude, noise, x, y, eye);
            auto const [a, b, c] = grads;
            ours[0] = value, ours[1] = a, ours[2] = b, ours[3] = c;
            return value;
        },
        [&] {
            for (int i = 0; i < n; ++i)
                for (int j = 0; j <= i; ++j) {
                    double const d = (x(i) - x(j)) / length;
                    e(i, j) = std::exp(-0.5 * d * d);
                    k(i, j) = amplitude * amplitude * e(i, j) + (i == j ? noise * noise : 0);
                }
            lapack::cholesky(n, k.data());
            double logs = 0;
            for (int i = 0; i < n; ++i) logs += std::log(k(i, i));
            lapack::invert_cholesky(n, k.data());
            double quadratic = 0;
            for (int i = 0; i < n; ++i) alpha[static_cast<std::size_t>(i)] = 0;
            for (int i = 0; i < n; ++i)
                for (int j = 0; j <= i; ++j) {
                    alpha[static_cast<std::size_t>(i)] += k(i, j) * y(j);
                    if (j < i) alpha[static_cast<std::size_t>(j)] += k(i, j) * y(i);
                }
            for (int i = 0; i < n; ++i) quadratic += y(i) * alpha[static_cast<std::size_t>(i)];
            double by_length = 0, by_amplitude = 0, by_noise = 0;
            for (int i = 0; i < n; ++i)
                for (int j = 0; j <= i; ++j) {
                    double const g =
                        (i == j ? 0.5 : 1.0) *
                        (alpha[static_cast<std::size_t>(i)] * alpha[static_cast<std::size_t>(j)] - k(i, j));
                    double const d = (x(i) - x(j)) / length;
                    by_amplitude += g * 2 * amplitude * e(i, j);
                    by_length += g * amplitude * amplitude * e(i, j) * d * d / length;
                    if (i == j) by_noise += g * 2 * noise;
                }
            theirs[0] = -0.5 * quadratic - logs, theirs[1] = by_length, theirs[2] = by_amplitude, theirs[3] = by_noise;
            return theirs[0];
        });
    print("gaussian process with gradient", t[0], lapack::present, t[1], false, 0);
    if (lapack::present)
        for (int i = 0; i < 4; ++i)
            if (!(std::abs(ours[i] - theirs[i]) < 1e-6 * (1 + std::abs(theirs[i]))))
                std::printf("they differ: %.12g and %.12g\n", ours[i], theirs[i]);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) only = argv[1];
    lapack::use_one_thread();
    std::printf("%-34s %10s %10s %10s %8s\n", "microseconds", "tapeless", "lapack", "eigen", "ratio");
    compare<3>();
    compare<8>();
    compare<17>();
    compare<24>();
    compare<32>();
    compare<128>();
    compare<512>();
    compare_batch<double, 3>();
    compare_batch<double, 6>();
    compare_batch<float, 3>();
    compare_batch<float, 6>();
    compare_gaussian_process();
}
