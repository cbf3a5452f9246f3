// SPDX-License-Identifier: MIT
// Products and models that threads share, and loops over bodies.

#include <threads/same_bits.hpp>

using namespace tests;

TEST_CASE("threads: matrix products and their gradients") {
    auto const step = ad::value_and_grad<0, 1>([](auto a, auto b) { return sum(square(matmul(a, b))); });
    random_arrays make;
    for (std::int64_t m : {1, 7, 64, 129, 260})
        for (std::int64_t n : {5, 48, 127}) same_on_all_threads(step, make.matrix(m, 200), make.matrix(200, n));
    same_on_all_threads(step, make.matrix(300, 1030), make.matrix(1030, 100));
    auto const plain = ad::fused([](auto a, auto b) { return matmul(a, transpose(b)); });
    for (std::int64_t m : {1, 100, 301})
        same_on_all_threads(plain, make.matrix<double>(m, 130), make.matrix<double>(90, 130));
}

TEST_CASE("threads: products of few rows, whose columns they share") {
    auto const step = ad::fused([](auto a, auto b) { return matmul(a, b); });
    auto const turned = ad::fused([](auto a, auto b) { return matmul(transpose(a), transpose(b)); });
    random_arrays make;
    for (std::int64_t m : {1, 3, 10, 31})
        for (std::int64_t n : {24, 71, 72, 73, 83, 85, 145, 301, 1000}) {
            same_on_all_threads(step, make.matrix(m, 3000), make.matrix(3000, n));
            same_on_all_threads(turned, make.matrix(1100, m), make.matrix(n, 1100));
        }
    for (std::int64_t n : {70, 129}) {
        same_on_all_threads(step, make.matrix<double>(5, 3000), make.matrix<double>(3000, n));
        auto const slices = ad::fused([](auto a, auto b) { return einsum<"kil,klj->ij">(a, b); });
        same_on_all_threads(slices, make.cube(20, 9, 300), make.cube(20, 300, n));
    }
}

TEST_CASE("threads: products of many matrices, each with its own right operand or one for all") {
    auto const own = ad::value_and_grad<0, 1>([](auto a, auto b) { return sum(tanh(matmul(a, b))); });
    auto const common =
        ad::value_and_grad<0, 1>([](auto a, auto b) { return sum(square(einsum<"bij,jk->bik">(a, b))); });
    random_arrays make;
    for (std::int64_t l : {1, 2, 9, 33}) {
        same_on_all_threads(own, make.cube(l, 50, 70), make.cube(l, 70, 40));
        same_on_all_threads(common, make.cube(l, 30, 70), make.matrix(70, 90));
    }
    same_on_all_threads(own, make.cube(2, 301, 70), make.cube(2, 70, 66));
}

namespace {
template <template <class, auto...> class Tensor>
struct perceptron {
    Tensor<float, 120, 64> w1;
    Tensor<float, 120> b1;
    Tensor<float, 10, 120> w2;
    Tensor<float, 10> b2;
};
}  // namespace

TEST_CASE("threads: a perceptron, its step and its copies") {
    auto const step = ad::value_and_grad<0>([](auto const& m, auto x, auto k) {
        return ad::loss::cross_entropy(linear(relu(linear(x, m.w1, m.b1)), m.w2, m.b2), k);
    });
    random_arrays make;
    perceptron<ad::tensor> m{};
    ad::fill_normal(m.w1, make.rng, 0, 0.1), ad::fill_normal(m.w2, make.rng, 0, 0.1);
    for (std::int64_t n : {1, 63, 64, 65, 511, 1000}) {
        ad::tensor<float, ad::dyn, 64> x(n);
        ad::fill_normal(x, make.rng);
        same_on_all_threads(step, m, x, make.labels(n, 10));
    }
}

TEST_CASE("threads: attention, of known and unknown lengths") {
    auto const step = ad::value_and_grad<0, 1, 2>([](auto q, auto k, auto v) {
        return sum(square(ad::attention(q, k, v)));
    });
    random_arrays make;
    auto known = [&] {
        ad::tensor<float, 2, 4, 65, 32> x{};
        ad::fill_normal(x, make.rng);
        return x;
    };
    same_on_all_threads(step, known(), known(), known());
    for (std::int64_t n : {3, 12})
        same_on_all_threads(step, make.cube(n, 90, 32), make.cube(n, 90, 32), make.cube(n, 90, 32));
}

namespace {
constexpr auto heads = [](auto x) { return ad::swap_axes<1, 2>(x); };
}
TEST_CASE("threads: heads between axes, whose matrices do not lie one behind the other") {
    auto const step = ad::value_and_grad<0, 1, 2>([](auto q, auto k, auto v) {
        return sum(square(ad::attention(heads(q), heads(k), heads(v))));
    });
    auto const scores = ad::fused([](auto q, auto k) {
        auto const s = einsum<"bhik,bhjk->bhij">(heads(q), heads(k));
        return s * ad::arange_like<3>(s) - ad::unsqueeze<1, 2>(ad::arange_like<1>(s));
    });
    random_arrays make;
    auto array = [&](std::int64_t b, std::int64_t n, std::int64_t h, std::int64_t d) {
        ad::tensor<float, ad::dyn, ad::dyn, ad::dyn, ad::dyn> x(b, n, h, d);
        ad::fill_normal(x, make.rng);
        return x;
    };
    for (std::int64_t b : {1, 2, 3, 7})
        for (std::int64_t h : {1, 2, 5, 17})
            for (std::int64_t n : {9, 64, 65}) {
                CAPTURE(b, h, n);
                same_on_all_threads(step, array(b, n, h, 16), array(b, n, h, 16), array(b, n, h, 16));
                same_on_all_threads(scores, array(b, n, h, 16), array(b, n + 1, h, 16));
            }
    same_on_all_threads(step, array(2, 300, 2, 32), array(2, 130, 2, 32), array(2, 130, 2, 32));
    ad::tensor<float, 5, 70, 3, 24> x{};
    ad::fill_normal(x, make.rng);
    same_on_all_threads(step, x, x, x);
    CHECK(ad::explain(scores, array(2, 300, 2, 32), array(2, 300, 2, 32)).find("share matrices and rows") !=
          std::string::npos);
}

TEST_CASE("threads: the steps of a loop, and a batch of loops") {
    auto const step = ad::value_and_grad<0, 1>([](auto w, auto xs) {
        auto const h0 = 0.0f * xs[0];
        return sum(square(ad::fold([&](auto h, auto x) { return tanh(matmul(h, w) + x); }, h0, xs)));
    });
    random_arrays make;
    for (std::int64_t n : {1, 40, 130}) same_on_all_threads(step, make.matrix(100, 100), make.cube(5, n, 100));
}

TEST_CASE("threads: convolutions, gathers and jacobians") {
    auto const images = ad::value_and_grad<0, 1>([](auto x, auto w) { return sum(tanh(conv2d(x, w))); });
    random_arrays make;
    for (std::int64_t n : {1, 5}) {
        ad::tensor<float, ad::dyn, 3, 24, 24> x(n);
        ad::tensor<float, 8, 3, 3, 3> w{};
        ad::fill_normal(x, make.rng), ad::fill_normal(w, make.rng);
        same_on_all_threads(images, x, w);
    }
    auto const pooled = ad::value_and_grad<0>([](auto x) {
        return sum(square(ad::max_pool2d<ad::pool{.size = 3, .stride = 2}>(x))) +
               sum(tanh(ad::avg_pool2d<ad::pool{.size = 2}>(x)));
    });
    for (std::int64_t n : {1, 2, 23}) {
        ad::tensor<float, ad::dyn, 4, 21, 22> x(n);
        ad::fill_normal(x, make.rng);
        same_on_all_threads(pooled, x);
    }
    auto const rows = ad::value_and_grad<0>([](auto table, auto k) { return sum(square(take(table, k))); });
    same_on_all_threads(rows, make.matrix(50, 128), make.labels(900, 50));
    auto const selected = ad::fused([](auto x, auto k) {
        return std::tuple(ad::index_select<0>(x, k), ad::index_select<1>(x, k));
    });
    same_on_all_threads(selected, make.matrix(400, 300), make.labels(350, 300));
    ad::tensor<std::int64_t, ad::dyn, ad::dyn> places(300, 301);
    ad::fill_uniform(places, make.rng, 0, 300);
    auto const picked = ad::fused([](auto x, auto k) {
        return std::tuple(ad::gather<0>(x, k), ad::gather<1>(x, k));
    });
    same_on_all_threads(picked, make.matrix(300, 301), places);
    auto const jacobian = ad::jacobian([](auto x, auto w) { return tanh(matmul(w, x)); });
    same_on_all_threads(jacobian, make.vector(150), make.matrix(160, 150));
}

TEST_CASE("threads: rows of operations with loops of their own, and items of a batch") {
    auto const rows = ad::value_and_grad<0>([](auto x) {
        return sum(tanh(cumsum<1>(x))) + sum(sort<1>(x).values * x);
    });
    auto const items =
        ad::vmap([](auto a) { return ad::linalg::cholesky(matmul(a, transpose(a)) + 9.0 * eye_like(a)); });
    random_arrays make;
    for (std::int64_t n : {1, 7, 300}) {
        same_on_all_threads(rows, make.matrix(n, 211));
        ad::tensor<double, ad::dyn, 20, 20> a(n);
        ad::fill_normal(a, make.rng);
        same_on_all_threads(items, a);
    }
}

TEST_CASE("threads: loops of operations' own, to which one number flows back") {
    auto const step = ad::value_and_grad<0, 1>([](auto x, auto w) {
        auto const image = ad::unsqueeze<1>(x);
        return sum(ad::max_pool1d<ad::pool{.size = 3, .stride = 1, .padding = 1}>(image)) +
               sum(ad::avg_pool1d<ad::pool{.size = 2, .stride = 1}>(image)) + sum(ad::conv1d(image, w)) +
               sum(ad::cumprod<1>(tanh(x))) + sum(sort<1>(x).values);
    });
    random_arrays make;
    ad::tensor<float, 2, 1, 3> w{};
    ad::fill_normal(w, make.rng);
    for (std::int64_t n : {1, 7, 900}) same_on_all_threads(step, make.matrix(n, 60), w);
    auto const picked = ad::value_and_grad<0>([](auto x, auto k) { return sum(ad::index_select<0>(x, k)); });
    same_on_all_threads(picked, make.matrix(400, 300), make.labels(350, 400));
}
