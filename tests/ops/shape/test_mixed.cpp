// SPDX-License-Identifier: MIT
// Slices, reshapes and joins among arithmetic, reductions and products: exact where the numbers are small integers,
// beside central differences where not; second derivatives.

#include <cmath>

#include "ops/shape/places.hpp"

using namespace moves;

namespace {

using vector = ad::tensor<double, dyn>;
using matrix = ad::tensor<double, dyn, dyn>;

template <class A>
A random(A a) {
    static unsigned state = 1;
    for (auto& v : a) {
        state = state * 1103515245u + 12345u;
        v = static_cast<double>(state >> 16 & 1023u) / 512.0 - 1.0;
    }
    return a;
}
void expect_passed(ad::gradient_report const& r, std::size_t count) {
    INFO("argument " << r.worst_argument << ", array " << r.worst_array << ", element " << r.worst_element << ": "
                     << r.worst_gradient << ", difference " << r.worst_difference);
    CHECK(r.passed);
    CHECK(r.checked == count);
}
/// The gradient's difference along v beside hvp.
template <class F>
void expect_hvp(F f, vector const& x, vector const& v) {
    auto const product = ad::hvp<0>(f)(x, v);
    REQUIRE(product.extents() == x.extents());
    auto gradient = ad::grad<0>(f);
    double const h = 1e-5;
    auto moved = [&](double by) {
        vector m = x;
        for (std::size_t i = 0; i < m.size(); ++i) m.data()[i] += by * v.data()[i];
        return gradient(m);
    };
    auto const up = moved(h), down = moved(-h);
    for (std::size_t i = 0; i < x.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(product.data()[i] - (up.data()[i] - down.data()[i]) / (2 * h)) < 1e-7);
    }
}

}  // namespace

TEST_CASE("slices: neighbouring elements meet, each gets from both sides") {
    auto f = ad::value_and_grad<0>(
        [](auto x) { return sum(square(ad::slice<0, 1, ad::to_end>(x) - ad::slice<0, 0, -1>(x))); });
    for (int n : {0, 1, 2, 3, 8, 9}) {
        CAPTURE(n);
        vector x(n);
        for (int i = 0; i < n; ++i) x(i) = i * i;
        auto const [value, dx] = f(x);
        double expected = 0;
        for (int i = 0; i + 1 < n; ++i) expected += (2 * i + 1) * (2 * i + 1);
        CHECK(value == expected);
        for (int i = 0; i < n; ++i) CHECK(dx(i) == (i > 0 ? 2 * (2 * i - 1) : 0) - (i + 1 < n ? 2 * (2 * i + 1) : 0));
    }
}

TEST_CASE("slices: of arithmetic on slices, with numbers of the function as bounds") {
    // y = (2 x[2:9] + x[0:7])[1:4], squared
    auto f = ad::value_and_grad<0>(
        [](auto x) { return sum(square(ad::slice<0>(2.0 * ad::slice<0>(x, 2, 9) + ad::slice<0>(x, 0, -2), 1, 4))); });
    vector x(9);
    for (int i = 0; i < 9; ++i) x(i) = i;
    auto const [value, dx] = f(x);  // 3 i + 4 for i = 1, 2, 3
    CHECK(value == 49 + 100 + 169);
    CHECK(numbers(dx) == std::vector<double>{0, 14, 20, 26 + 28, 40, 52, 0, 0, 0});
    CHECK_THROWS_AS(f(vector(10)), ad::shape_error);  // 7 elements and 8
}

TEST_CASE("products: of sliced, reshaped, flipped and joined operands, and joined products") {
    // ((a[1:, ::-1]) (b reshaped) next to column sums) times weights, all small integers
    auto f = ad::grad<0, 1, 2>([](auto a, auto b, auto w) {
        auto p = matmul(ad::flip<1>(ad::slice<0, 1, ad::to_end>(a)), ad::reshape<-1, 2>(transpose(b)));
        return sum(
            ad::concat<0>(p, sum<0>(p, ad::keepdims), ad::expand<1, 2>(max<1>(ad::slice<0, 0, 1>(p), ad::keepdims))) *
            w);
    });
    auto const a = filled<double, dyn, dyn>({4, 3}, 1), b = filled<double, dyn, dyn>({2, 3}, 1);
    auto const w = filled<double, dyn, 2>({5, 2}, 1);
    auto const [da, db, out] = f(a, b, w);
    double bt[3][2], p[3][2], g[3][2];
    for (int i = 0; i < 6; ++i) bt[i / 2][i % 2] = b(i % 2, i / 2);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 2; ++j) {
            p[i][j] = 0;
            for (int k = 0; k < 3; ++k) p[i][j] += a(i + 1, 2 - k) * bt[k][j];
            g[i][j] = w(i, j) + w(3, j);
        }
    int const top = p[0][0] > p[0][1] ? 0 : 1;
    g[0][top] += w(4, 0) + w(4, 1);
    for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < 3; ++i) CHECK(out(i, j) == p[i][j]);
        CHECK(out(3, j) == p[0][j] + p[1][j] + p[2][j]);
        CHECK(out(4, j) == p[0][top]);
    }
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k)
            CHECK(da(i, 2 - k) == (i == 0 ? 0 : g[i - 1][0] * bt[k][0] + g[i - 1][1] * bt[k][1]));
    for (int i = 0; i < 6; ++i) {
        double d = 0;
        for (int r = 0; r < 3; ++r) d += a(r + 1, 2 - i / 2) * g[r][i % 2];
        CHECK(db(i % 2, i / 2) == d);
    }
}

TEST_CASE("reshape: of products, of reductions and of arithmetic, over named axes") {
    auto f = [](auto x, auto w) {
        auto heads = ad::reshape<ad::dim<"batch">, 3, 2>(matmul(x, w));               // a product
        auto means = ad::reshape<3, ad::dim<"batch">>(mean<2>(tanh(heads) * heads));  // a reduction
        return sum(square(ad::flatten(permute<1, 0, 2>(heads) + 1.0))) + sum(sin(means)) +
               sum(exp(ad::reshape<-1, 4>(0.1 * x)) * ad::reshape<-1, 4>(x));
    };
    using rows = ad::tensor<double, ad::dim<"batch">, 4>;
    expect_passed(ad::check_gradient<0, 1>(f, random(rows(5)), random(ad::tensor<double, 4, 6>{})), 20 + 24);
}

TEST_CASE("central differences: slices, joins and pads of rows that are normalised") {
    auto f = [](auto x, auto y) {
        auto e = ad::let(exp(ad::slice<1, 1, ad::to_end>(x)));
        auto s = ad::let(e / sum<1>(e, ad::keepdims));  // softmax of a part of each row
        auto j = ad::concat<1>(s, ad::pad<0, 0, 1, 1>(ad::slice<1, 0, ad::to_end, 2>(y), 0.5),
                               mean<1>(x * 1.5, ad::keepdims));
        return sum(tanh(j) * ad::flip<1>(j)) + sum(ad::diagonal(matmul(transpose(j), j)));
    };
    expect_passed(ad::check_gradient<0, 1>(f, random(matrix(3, 5)), random(matrix(3, 7))), 15 + 21);
}

TEST_CASE("central differences: rows rolled against each other, stacked, and folded") {
    auto f = [](auto x) {
        auto y = ad::stack<1>(x, ad::roll<1>(sin(x), 2), ad::flip<0>(x));
        auto z = ad::let(ad::tril(ad::select<1>(y, 1) * ad::select<1>(y, -1)));
        return sum(z * ad::tile<1, 2>(ad::slice<1, 0, 2>(z))) + sum(max<1>(ad::flatten<1, 2>(y)));
    };
    expect_passed(ad::check_gradient<0>(f, random(ad::tensor<double, 3, 4>{})), 12);
}

TEST_CASE("hvp: second derivatives flow through slice, concat and pad") {
    expect_hvp(
        [](auto x) {
            auto a = ad::slice<0, 1, ad::to_end>(x);
            auto b = ad::slice<0, 0, -1>(x);
            return sum(10.0 * square(a - square(b)) + square(1.0 - b));  // Rosenbrock
        },
        random(vector(6)), random(vector(6)));
    expect_hvp(
        [](auto x) {
            auto y = ad::let(ad::concat<0>(sin(x), ad::slice<0, 1, 4>(x * x)));
            return sum(y * y * ad::flip<0>(y)) + sum(exp(ad::pad<2, 1>(x, 0.5)) * ad::pad<0, 3>(x));
        },
        random(vector(5)), random(vector(5)));
}

TEST_CASE("strided views and targets: sliced and joined where they lie, and nothing else is written") {
    std::vector<double> memory(60);
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i);
    std::vector<double> const before = memory;
    using strides = std::array<std::ptrdiff_t, 2>;
    ad::view<double const, dyn, 4> const x(memory.data() + 40, 3, strides{-13, 2});
    std::vector<double> target(60, -1);
    ad::view<double, dyn, 4> const to(target.data() + 9, 3, strides{2, 10});
    auto const w = filled<double, dyn>({12}, 1);
    auto f = ad::value_and_grad<0>([](auto v, auto c) {
        auto part = ad::slice<1, ad::to_end, ad::to_end, -2>(v);
        return sum(ad::flatten(ad::concat<1>(part, ad::slice<1, 1, 3>(square(v)))) * c);
    });
    double const value = f(ad::into(to), x, w);
    double expected = 0;
    for (int i = 0; i < 3; ++i) {
        double const* c = w.data() + 4 * i;
        expected += c[0] * x(i, 3) + c[1] * x(i, 1) + c[2] * x(i, 1) * x(i, 1) + c[3] * x(i, 2) * x(i, 2);
        CHECK(to(i, 0) == 0);
        CHECK(to(i, 1) == c[1] + 2 * c[2] * x(i, 1));
        CHECK(to(i, 2) == 2 * c[3] * x(i, 2));
        CHECK(to(i, 3) == c[0]);
    }
    CHECK(value == expected);
    CHECK(memory == before);
    CHECK(std::count(target.begin(), target.end(), -1.0) == 60 - 12);
}
