// SPDX-License-Identifier: MIT
// A matrix times a vector, and a vector times a matrix: rows are taken several at a time, columns are added up in
// registers or in memory. Here at lengths around those, against plain loops.

#include "kernels/product_loops.hpp"

#include <array>

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace {

namespace ad = tapeless;
using loops::difference, loops::matrix, loops::multiply, loops::numbers;

constexpr auto times_vector = [](auto a, auto x) { return matmul(a, x); };
constexpr auto vector_times = [](auto x, auto a) { return matmul(x, a); };

/// a x and z a, exact for small integers.
template <class T>
void check_size(std::size_t m, std::size_t n, numbers& random) {
    static auto columns = ad::fused(times_vector);
    static auto rows = ad::fused(vector_times);
    matrix<T> a(m, n), x(n, 1), z(1, m), ax(m, 1), za(1, n);
    for (auto* v : {&a, &x, &z}) random.integers(v->elements);
    columns(ad::into(ax.elements), a, x.elements);
    rows(ad::into(za.elements), z.elements, a);
    if (auto const text = difference(ax, multiply<T>(a, x)); !text.empty())
        FAIL_CHECK("a x of " << m << " x " << n << ": " << text);
    if (auto const text = difference(za, multiply<T>(z, a)); !text.empty())
        FAIL_CHECK("x a of " << m << " x " << n << ": " << text);
}

/// The same of a matrix that lies column by column: a view that is found out to when it is handed in.
template <class T>
void check_columns(std::size_t m, std::size_t n, numbers& random) {
    static auto columns = ad::fused(times_vector);
    static auto rows = ad::fused(vector_times);
    matrix<T> a(m, n), x(n, 1), z(1, m), ax(m, 1), za(1, n);
    for (auto* v : {&a, &x, &z}) random.integers(v->elements);
    matrix<T> memory = loops::transposed(a);
    ad::view<T, ad::dyn, ad::dyn> const view(memory.elements.data(), m, n,
                                             std::array<std::ptrdiff_t, 2>{1, static_cast<std::ptrdiff_t>(m)});
    columns(ad::into(ax.elements), view, x.elements);
    rows(ad::into(za.elements), z.elements, view);
    if (auto const text = difference(ax, multiply<T>(a, x)); !text.empty())
        FAIL_CHECK("a x of " << m << " x " << n << " by columns: " << text);
    if (auto const text = difference(za, multiply<T>(z, a)); !text.empty())
        FAIL_CHECK("x a of " << m << " x " << n << " by columns: " << text);
}

/// The same with extents the compiler knows.
template <class T, int M, int N>
void check_fixed() {
    numbers random;
    ad::tensor<T, M, N> a;
    ad::tensor<T, N> x;
    ad::tensor<T, M> z;
    random.integers(a);
    random.integers(x);
    random.integers(z);
    ad::tensor<T, M> const ax = ad::evaluate(times_vector, a, x);
    ad::tensor<T, N> const za = ad::evaluate(vector_times, z, a);
    INFO(M << " x " << N);
    for (int i = 0; i < M; ++i) {
        T should = 0;
        for (int j = 0; j < N; ++j) should += a(i, j) * x(j);
        CHECK(ax(i) == should);
    }
    for (int j = 0; j < N; ++j) {
        T should = 0;
        for (int i = 0; i < M; ++i) should += a(i, j) * z(i);
        CHECK(za(j) == should);
    }
}

}  // namespace

TEMPLATE_TEST_CASE("matrix times vector: lengths around those of tiles and blocks are exact", "", float, double) {
    numbers random;
    for (std::size_t m = 0; m < 20; ++m)
        for (std::size_t n = 0; n < 36; ++n) check_size<TestType>(m, n, random);
    // a block of tiles along a row, of rows down a column; arrays that are asked for ahead, of short rows and long ones
    for (auto const m : std::vector<std::size_t>{255, 256, 257, 258, 261})
        for (auto const n : std::vector<std::size_t>{1, 5, 16, 127, 128, 129, 255, 256, 257, 511, 512, 513, 515, 1031})
            check_size<TestType>(m, n, random);
    for (auto const n : std::vector<std::size_t>{4095, 4097, 20011}) check_size<TestType>(9, n, random);
    SUCCEED();
}

TEMPLATE_TEST_CASE("matrix times vector: matrices that lie column by column", "", float, double) {
    numbers random;
    for (std::size_t m = 0; m < 20; ++m)
        for (std::size_t n = 0; n < 20; ++n) check_columns<TestType>(m, n, random);
    for (auto const m : std::vector<std::size_t>{255, 258, 1031})
        for (auto const n : std::vector<std::size_t>{3, 10, 257, 515}) check_columns<TestType>(m, n, random);
    SUCCEED();
}

TEST_CASE("matrix times vector: lengths the compiler knows are exact") {
    check_fixed<double, 3, 2>();
    check_fixed<double, 14, 14>();
    check_fixed<float, 16, 17>();
    check_fixed<double, 17, 5>();
    check_fixed<double, 2, 300>();
    check_fixed<float, 270, 130>();
}

TEST_CASE("matrix-vector: one row of a matrix times a matrix is added up column by column, with gradients") {
    constexpr auto layers = [](auto x, auto w, auto v) { return sum(square(matmul(tanh(matmul(x, w)), v))); };
    ad::tensor<float, 1, 37> x;
    ad::tensor<float, 37, 21> w;
    ad::tensor<float, 21, 9> v;
    numbers random;
    random.uniforms(x), random.uniforms(w), random.uniforms(v);
    CHECK(ad::explain(ad::fused(vector_times), x, w).find("sum, column by column") != std::string::npos);
    CHECK(oracle::agree<0, 1, 2>(layers, x, w, v) == "");
}
