// SPDX-License-Identifier: MIT
// Weights that are packed in the first step of a loop, on threads.

#include <threads/same_bits.hpp>

using namespace tests;

TEST_CASE("threads: weights of a loop are packed by all of them in the first step, and by none in the next") {
    constexpr auto f = [](auto w, auto h, auto xs) {
        return sum(square(ad::fold([&](auto s, auto x) { return tanh(matmul(s, w) + matmul(x, w)); }, h, xs)));
    };
    random_arrays make;
    auto w = make.matrix(140, 140);
    for (float& v : w) v *= 0.05f;
    auto const h = make.matrix(70, 140);
    ad::tensor<float, ad::dyn, ad::dyn, ad::dyn> xs(4, 70, 140);
    ad::fill_normal(xs, make.rng);
    same_on_all_threads(ad::value_and_grad<0, 1>(f), w, h, xs);
}
TEST_CASE("threads: what two products have in common is packed by all of them, once") {
    constexpr auto f = [](auto a, auto b, auto d) {
        return std::tuple(matmul(ad::transpose(a), d), tanh(matmul(ad::transpose(b), d)));
    };
    random_arrays make;
    ad::tensor<float, ad::dyn, 140> a(500), b(500);
    ad::fill_normal(a, make.rng), ad::fill_normal(b, make.rng);
    for (std::int64_t columns : {31, 140, 400}) same_on_all_threads(ad::fused(f), a, b, make.matrix(500, columns));
}
