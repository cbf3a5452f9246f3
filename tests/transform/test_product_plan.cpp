// SPDX-License-Identifier: MIT
// The plan of a two-layer classifier: five products, each with what follows it in its write-back, and nothing that only
// copies. Lengths that do not agree are refused before anything is written.

#include <tapeless/tapeless.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr auto classifier = [](auto w1, auto b1, auto w2, auto b2, auto x, auto t) {
    auto z = ad::let(matmul(relu(matmul(x, w1) + b1), w2) + b2);
    auto top = stop_gradient(max<1>(z, ad::keepdims));
    return mean(log(sum<1>(exp(z - top), ad::keepdims)) + top - sum<1>(z * t, ad::keepdims));
};
constexpr auto batch = ad::dim<"batch">;
using first_weight = ad::tensor<float, 20, 16>;
using first_bias = ad::tensor<float, 16>;
using second_weight = ad::tensor<float, 16, 10>;
using second_bias = ad::tensor<float, 10>;
using inputs = ad::tensor<float, batch, 20>;
using targets = ad::tensor<float, batch, 10>;

std::size_t count(std::string const& text, std::string const& word) {
    std::size_t n = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
    return n;
}
/// The parts of an explained plan that belong to one kernel each.
std::vector<std::string> kernels_of(std::string const& text) {
    std::vector<std::string> parts;
    for (auto at = text.find("\nkernel "); at != std::string::npos;) {
        auto const next = text.find("\nkernel ", at + 1);
        parts.push_back(text.substr(at, next - at));
        at = next;
    }
    return parts;
}

}  // namespace

TEST_CASE(
    "plan: a classifier and its gradients are five products and one loop, biases and activations in the write-back") {
    auto step = ad::value_and_grad<0, 1, 2, 3>(classifier);
    constexpr auto plan = decltype(step)::plan<first_weight, first_bias, second_weight, second_bias, inputs, targets>();
    STATIC_REQUIRE(plan.kernels() == 6);
    auto const text =
        ad::explain(step, first_weight{}, first_bias{}, second_weight{}, second_bias{}, inputs(32), targets(32));
    INFO(text);
    auto const kernels = kernels_of(text);
    REQUIRE(kernels.size() == 6);
    std::size_t products = 0, scalars = 0, write_backs = 0;
    for (auto const& k : kernels) {
        INFO(k);
        products += count(k, "  product  ");
        scalars += count(k, "loop over ()");
        write_backs += count(k, "in its write-back");
        bool const is_product = count(k, "  product  ") == 1,
                   computes = count(k, "computes ") == 1 && count(k, "computes \n") == 0;
        CHECK((is_product || computes));  // else it would only copy
    }
    CHECK(products == 5);
    CHECK(scalars == 1);
    // relu(x w1 + b1), the softmax of z, and the gradient of relu; the gradients of the two weights are their products
    CHECK(write_backs == 3);
}

TEST_CASE("plan: the gradients of a product are written by products, nothing is transposed in memory") {
    auto gradient = ad::grad<0, 1>([](auto a, auto b, auto c) { return sum(matmul(a, b) * c); });
    using matrix = ad::tensor<double, dyn, dyn>;
    STATIC_REQUIRE(decltype(gradient)::plan<matrix, matrix, matrix>().kernels() == 2);
    auto both = ad::fused([](auto a, auto b) { return transpose(matmul(transpose(a), transpose(b))); });
    STATIC_REQUIRE(decltype(both)::plan<matrix, matrix>().kernels() == 1);
    // a weight of two layers: two products forward, one back, and the two parts of its gradient, added as the last is
    // written
    auto shared = ad::grad<0>([](auto w, auto x) { return sum(tanh(matmul(tanh(matmul(x, w)), w))); });
    STATIC_REQUIRE(decltype(shared)::plan<matrix, matrix>().kernels() == 5);
}

TEST_CASE("shapes: run-time lengths of a product that differ are refused, naming arguments, axes and lengths") {
    using matrix = ad::tensor<double, dyn, dyn>;
    auto gradient = ad::grad<0, 1>([](auto a, auto b, auto c) { return sum(matmul(a, b) * c); });
    matrix const a(3, 4), b(5, 6), fits(4, 6), c(3, 6), narrow(3, 7);
    matrix da(3, 4), db(5, 6), fit(4, 6);
    for (auto* m : {&da, &db, &fit}) ad::fill(*m, -7.0);
    CHECK(mentions(message_of([&] { gradient(ad::into(da, db), a, b, c); }),
                   {"argument 0, axis 1", "argument 1, axis 0", "4", "5"}));
    CHECK(mentions(message_of([&] { gradient(ad::into(da, fit), a, fits, narrow); }),
                   {"argument 1, axis 1", "argument 2, axis 1", "6", "7"}));
    CHECK(mentions(message_of([&] { gradient(ad::into(da, da), a, fits, c); }), {"target 1", "axis 0", "3", "4"}));
    for (auto const* m : {&da, &db, &fit})
        CHECK(std::count(m->begin(), m->end(), -7.0) == static_cast<std::ptrdiff_t>(m->size()));
}

TEST_CASE("shapes: batch lengths of a product that differ are refused, and a run-time length of 1 does not stretch") {
    using stack = ad::tensor<double, dyn, 2, 2>;
    auto f = ad::fused([](auto a, auto b) { return matmul(a, b); });
    CHECK(mentions(message_of([&] { (void)f(stack(2), stack(3)); }),
                   {"argument 0, axis 0", "argument 1, axis 0", "2", "3"}));
    CHECK(mentions(message_of([&] { (void)f(stack(2), stack(1)); }), {"argument 1, axis 0", "1"}));
    CHECK(f(stack(2), stack(2)).extent(0) == 2);
}
