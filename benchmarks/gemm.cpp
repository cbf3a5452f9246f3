// SPDX-License-Identifier: MIT
// How fast are products of matrices? Beside OpenBLAS and Eigen where they are installed, on one thread:
//
//   bench_gemm [PATTERN]     only the lines that contain it, e.g. "A^T*B", "float", "64x784x128"
//
// Extents up to 64 are known to the compiler, those above at run time; of Eigen's fixed-size and dynamic matrices the
// faster one counts. `returned` is a new tensor a call; `in place` writes to one that is there, as the others do, and
// is what the ratio compares with the faster of them. `error` is the largest difference of any of them to plain loops
// in double. Exits with 1 where a product is wrong.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/blas.hpp"
#include "support/eigen.hpp"
#include "support/library_product.hpp"
#include "support/measure.hpp"
#include "support/numbers.hpp"
#include "support/product.hpp"

namespace {

std::string_view only;
bool all_right = true;

template <class T>
using numbers = tapeless::tensor<T, tapeless::dyn>;  // aligned, for whoever profits from it

template <class T>
numbers<T> make_numbers(std::int64_t count) {
    numbers<T> v(count);
    fill(v, -1, 1);
    return v;
}

template <form F, class T>
std::vector<double> product_in_double(product_size s, numbers<T> const& a, numbers<T> const& b) {
    std::vector<double> const x(a.begin(), a.end()), y(b.begin(), b.end());
    std::vector<double> c(static_cast<std::size_t>(s.m * s.n));
    product_by_loops::multiply<F>(s, x.data(), y.data(), c.data());
    return c;
}

void print_rate(bool present, double rate) {
    if (present) std::printf(" %9.2f", rate);
    else std::printf(" %9s", "-");
}

/// One line of the table. The extents are constants where M, K and N are given.
template <class T, form F, int M = run_time, int K = M, int N = M>
void compare(product_size s) {
    char const* const type = sizeof(T) == 4 ? "float" : "double";
    std::string const size = std::to_string(s.m) + "x" + std::to_string(s.k) + "x" + std::to_string(s.n);
    if ((std::string(name_of(F)) + " " + type + " " + size).find(only) == std::string::npos) return;

    auto const a = make_numbers<T>(s.m * s.k), b = make_numbers<T>(s.k * s.n);
    // Not the same one twice.
    using fixed_product = std::conditional_t<M == run_time, absent_product<T>, eigen_product<T, F, M, K, N>>;
    library_product<T, F, M, K, N> ours(s, a.data(), b.data());
    blas_product<T, F> blas(s, a.data(), b.data());
    fixed_product fixed(s, a.data(), b.data());
    eigen_product<T, F, run_time, run_time, run_time> dynamic(s, a.data(), b.data());

    auto const expected = product_in_double<F>(s, a, b);
    double error = 0;
    auto const check = [&](T const* c) {
        std::span<T const> const all(c, c ? expected.size() : 0);
        error = worse(error, absolute_difference(all, std::span<double const>(expected)));
    };
    ours.run(), blas.run(), fixed.run(), dynamic.run();
    check(ours.returned().data()), check(ours.result()), check(blas.result());
    check(fixed.result()), check(dynamic.result());
    // Rounding grows with the length of the sums; their terms are at most 1.
    double const tolerance = 4 * static_cast<double>(s.k) * static_cast<double>(std::numeric_limits<T>::epsilon());
    bool const right = error <= tolerance;
    all_right = all_right && right;

    auto const ns =
        measure_each([&] { return ours.returned(); }, [&] { return ours.run(); }, [&] { return blas.run(); },
                     [&] { return fixed.run(); }, [&] { return dynamic.run(); });
    auto const rate = [&](std::size_t i) { return s.flops() / ns[i]; };
    double const blas_rate = blas.present ? rate(2) : 0;
    double const eigen_rate = std::max(fixed.present ? rate(3) : 0, dynamic.present ? rate(4) : 0);
    double const best = std::max(blas_rate, eigen_rate);

    std::printf("%-6s %-7s %14s", name_of(F), type, size.c_str());
    print_rate(true, rate(0));
    print_rate(true, rate(1));
    print_rate(blas.present, blas_rate);
    print_rate(dynamic.present, eigen_rate);
    print_rate(best > 0, rate(1) / best);
    std::printf(" %9.1e%s\n", error, right ? "" : "  WRONG");
    std::fflush(stdout);
}

template <class T, form F>
void compare_transposed() {
    compare<T, F, 64>({64, 64, 64});
    for (product_size s : {product_size{256, 256, 256}, {1024, 1024, 1024}, {64, 784, 128}}) compare<T, F>(s);
}

template <class T>
void compare_all() {
    [&]<int... N>(std::integer_sequence<int, N...>) { (compare<T, form::plain, N>({N, N, N}), ...); }
    (std::integer_sequence<int, 4, 8, 16, 32, 64>{});
    for (int n : {128, 256, 512, 1024}) compare<T, form::plain>({n, n, n});
    for (product_size s : {product_size{4096, 64, 64}, {64, 64, 4096}, {64, 784, 128}}) compare<T, form::plain>(s);
    compare_transposed<T, form::right_transposed>();
    compare_transposed<T, form::left_transposed>();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 2) return std::fprintf(stderr, "usage: %s [PATTERN]\n", argv[0]), 2;
    if (argc == 2) only = argv[1];
    product_by_blas::use_one_thread();
    std::puts("GFLOP/s, one thread. Targets for the ratio: at least 1.0 at 256 and above, at least 1.5 below 64.\n");
    std::printf("%-6s %-7s %14s %9s %9s %9s %9s %9s %9s\n", "", "type", "m x k x n", "returned", "in place", "OpenBLAS",
                "Eigen", "ratio", "error");
    compare_all<float>();
    compare_all<double>();
    return all_right ? 0 : 1;
}
