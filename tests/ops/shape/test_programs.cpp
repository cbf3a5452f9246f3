// SPDX-License-Identifier: MIT
// Programs of the reference that slice, reshape and join: small ones, and gated recurrent networks.

#include "graph/run_program.hpp"
#include "programs/run_loss.hpp"

using namespace reference;

namespace {

constexpr auto view_chain = [](auto x) {
    auto y = ad::slice<1, 1, ad::to_end>(ad::slice<0, 0, ad::to_end, 2>(ad::flatten<0, 1>(permute<2, 0, 1>(x))));
    return exp(transpose(y)) * transpose(y);
};

}  // namespace

TEMPLATE_TEST_CASE("programs: a chain of permute, reshape, slice and transpose", "", double, float) {
    run_program<TestType, shape_pattern<3, 8>, shape_pattern<3, 4, 5>>(view_chain, "view_chain");
}
TEST_CASE("programs: the same chain over run-time lengths") {
    run_program<double, matrix, shape_pattern<run, run, run>>(view_chain, "view_chain");
}

TEMPLATE_TEST_CASE("programs: an array joined with itself, and stretched three ways", "", double, float) {
    run_program<TestType, matrix, matrix>([](auto a) { return ad::concat<0>(a, 2.0 * a, a); }, "reuse_cat");
    run_program<TestType, matrix, vector>([](auto a) { return ad::unsqueeze<1>(a) * ad::unsqueeze<0>(a) + a; },
                                          "self_broadcast");
}

TEMPLATE_TEST_CASE("programs: two parts of an array with a result each", "", double, float) {
    constexpr auto both = [](auto x, auto p, auto q) {
        auto [s0, s1] = ad::split<1, 1, 3>(x);
        return sum(s0 * sum<1>(s1, ad::keepdims) * p) + sum(softmax(s1) * q);
    };
    using rows = shape_pattern<run, 4>;
    for (test_case const& c : cases(file_of<TestType>("graph"), "multi_output")) {
        auto const [dx, p, q] =
            ad::grad<0, 1, 2>(both)(rows::make<TestType>(c.in("x")), shape_pattern<run, 1>::make<TestType>(c.cot("p")),
                                    shape_pattern<run, 3>::make<TestType>(c.cot("q")));
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        CHECK(check_close(c.out("p"), p, c, "p") == "");
        CHECK(check_close(c.out("q"), q, c, "q") == "");
    }
}

TEMPLATE_TEST_CASE("programs: a network with gates cut from one product, over four steps", "", double, float) {
    using state = shape_pattern<run, 3>;
    run_loss<TestType, steps<4>, state, state, matrix, matrix, vector, matrix, integers<vector>>(
        [](auto x, auto h0, auto c0, auto wx, auto wh, auto b, auto wo, auto target) {
            auto h = ad::let(1.0 * h0), c = ad::let(1.0 * c0);
            for (std::size_t t = 0; t < 4; ++t) {
                auto [i, f, g, o] = ad::split<1, 3, 3, 3, 3>(matmul(x[t], wx) + matmul(h, wh) + b);
                c = ad::let(sigmoid(f) * c + sigmoid(i) * tanh(g));
                h = ad::let(sigmoid(o) * tanh(c));
            }
            return ad::loss::cross_entropy(matmul(h, wo), target);
        },
        "lstm_unrolled");
}

TEMPLATE_TEST_CASE("programs: a network that joins its input and its state, over three steps", "", double, float) {
    run_loss<TestType, steps<3>, matrix, matrix, matrix, matrix>(
        [](auto x, auto h0, auto wz, auto wr, auto wn) {
            auto h = ad::let(1.0 * h0);
            for (std::size_t t = 0; t < 3; ++t) {
                auto u = ad::let(ad::concat<1>(x[t], h));
                auto z = ad::let(sigmoid(matmul(u, wz))), r = ad::let(sigmoid(matmul(u, wr)));
                auto n = ad::let(tanh(matmul(ad::concat<1>(x[t], r * h), wn)));
                h = ad::let((1.0 - z) * n + z * h);
            }
            return mean(square(h)) + mean(h);
        },
        "gru_unrolled");
}
