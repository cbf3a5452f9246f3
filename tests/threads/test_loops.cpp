// SPDX-License-Identifier: MIT
// Loops that threads share: the same bits whatever their number, at all lengths around pieces.

#include <threads/same_bits.hpp>

using namespace tests;

TEST_CASE("threads: a loss over one long axis, its gradients sums and an array") {
    auto const step = ad::value_and_grad<0, 1, 2>([](auto mu, auto s, auto x) {
        return mean(0.5 * square((x - mu) / exp(s)) + s);
    });
    random_arrays make;
    for (std::int64_t n : {0, 1, 31, 4096, 16383, 16384, 16385, 65535, 65536, 65537, 100'003, 1'000'003})
        same_on_all_threads(step, 0.3f, -0.2f, make.vector(n));
}

TEST_CASE("threads: products, maxima, whole numbers and doubles over one axis") {
    auto const step = ad::fused([](auto x, auto k) {
        return std::tuple(prod(1.0 + 1e-6 * x), max(x), min(x), sum(x * x), sum(k), max(k));
    });
    random_arrays make;
    for (std::int64_t n : {1, 50'000, 99'999, 200'001})
        same_on_all_threads(step, make.vector<double>(n), make.labels(n, 1000));
}

TEST_CASE("threads: sums along columns, which are taken up in blocks") {
    auto const step = ad::value_and_grad<0, 1, 2>([](auto x, auto w, auto b) { return sum(square(tanh(x * w + b))); });
    random_arrays make;
    for (std::int64_t n : {1, 30, 255, 256, 257, 1000, 4099})
        for (std::int64_t m : {1, 63, 64}) same_on_all_threads(step, make.matrix(n, m), make.vector(m), make.vector(m));
}

TEST_CASE("threads: maxima and products along columns") {
    auto const step = ad::fused([](auto x) {
        return std::tuple(max<0>(x), min<0>(x), prod<0>(1.0f + 0.01f * x), argmax<0>(x));
    });
    random_arrays make;
    for (std::int64_t n : {1, 3000, 5003}) same_on_all_threads(step, make.matrix(n, 37));
}

TEST_CASE("threads: several phases a row") {
    auto const entropy =
        ad::value_and_grad<0>([](auto x, auto k) { return ad::loss::cross_entropy(x, k); });
    auto const normalised = ad::value_and_grad<0, 1, 2>([](auto x, auto g, auto b) {
        return sum(square(ad::layer_norm(x, g, b) - 0.5f));
    });
    random_arrays make;
    for (std::int64_t n : {1, 15, 256, 257, 1003}) {
        same_on_all_threads(entropy, make.matrix(n, 100), make.labels(n, 100));
        same_on_all_threads(normalised, make.matrix(n, 96), make.vector(96), make.vector(96));
    }
}

TEST_CASE("threads: a few long rows that are added up, the last of them beside those before it") {
    auto const sums = ad::fused([](auto x, auto y, auto w) { return sum<1>(x * (y - w + 1.0f)); });
    random_arrays make;
    for (std::int64_t n = 3; n < 24; ++n)
        same_on_all_threads(sums, make.matrix(n, 9001), make.vector(9001), make.vector(9001));
}

TEST_CASE("threads: sums over some axes, of operands that are stretched") {
    auto const step = ad::value_and_grad<0, 1, 2>([](auto a, auto b, auto s) { return sum(tanh(a * b + s)); });
    random_arrays make;
    for (std::int64_t n : {1, 40, 1000, 1003}) {
        ad::tensor<float, ad::dyn, 1, 32> a(n);
        ad::tensor<float, ad::dyn, 8, 1> s(n);
        ad::fill_normal(a, make.rng), ad::fill_normal(s, make.rng);
        same_on_all_threads(step, a, make.matrix(8, 32), s);
    }
    auto const middle = ad::fused([](auto x) { return std::tuple(sum<0, 2>(x), sum<1>(x), mean<0, 1>(x)); });
    for (std::int64_t n : {1, 2, 50, 301}) {
        same_on_all_threads(middle, make.cube(n, 61, 47));
        same_on_all_threads(middle, make.cube(3, n, 470));
    }
}

TEST_CASE("threads: coordinates, triangles, windows, and what lies between zeros") {
    auto const step = ad::value_and_grad<0>([](auto x) {
        auto const y = ad::pad<3, 2, 0, 1>(x) * 2.0f;
        return sum(square(tril(exp(x)))) + sum(tanh(y)) + sum(x * flip<0>(x));
    });
    random_arrays make;
    for (std::int64_t n : {1, 100, 301, 600}) same_on_all_threads(step, make.matrix(n, 301));
}

TEST_CASE("threads: arrays that are put together, and added to") {
    auto const step = ad::value_and_grad<0, 1>([](auto x, auto y) {
        return sum(square(concat<0>(x, exp(y)))) + sum(tanh(x));
    });
    random_arrays make;
    for (std::int64_t n : {1, 700, 1501}) same_on_all_threads(step, make.matrix(n, 64), make.matrix(n + 3, 64));
}

TEST_CASE("threads: points that are picked by an index, and added up at one") {
    auto const step = ad::value_and_grad<0>([](auto p, auto from, auto to) {
        auto const d = ad::let(ad::index_select<0>(p, from) - ad::index_select<0>(p, to));
        return sum(sqrt(sum<1>(square(d)) + 0.1f));
    });
    random_arrays make;
    for (std::size_t n : {1u, 1000u, 70'001u}) {
        ad::tensor<float, ad::dyn, 2> p(500);
        ad::fill_normal(p, make.rng);
        std::vector<int> from(n), to(n);
        for (std::size_t e = 0; e < n; ++e) from[e] = static_cast<int>(e * 7 % 500), to[e] = static_cast<int>(e % 3);
        same_on_all_threads(step, p, from, to);
    }
}

TEST_CASE("threads: over one axis in two passes, and operations with loops of their own") {
    auto const step = ad::value_and_grad<0>([](auto x) {
        return sum(square(x - mean(x))) + sum(tanh(cumsum<0>(x))) + sum(sort<0>(x).values * x);
    });
    random_arrays make;
    for (std::int64_t n : {1, 1000, 70'001}) same_on_all_threads(step, make.vector(n));
}
