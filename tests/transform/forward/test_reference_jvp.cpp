// SPDX-License-Identifier: MIT
// The reference's values and tangents: functions with one result, an array or a number.

#include <tapeless/tapeless.hpp>

#include "support/catch.hpp"
#include "support/reference.hpp"

namespace {

namespace ad = tapeless;
using ad::dyn;

using vector = ad::tensor<double, dyn>;
using matrix = ad::tensor<double, dyn, dyn>;
using column = ad::tensor<double, dyn, 1>;
using indices = ad::tensor<std::int64_t, dyn>;

template <class A>
A make(reference::tensor const& t) {
    std::array<std::int64_t, static_cast<std::size_t>(A::rank)> extents;
    for (std::size_t k = 0; k < extents.size(); ++k) extents[k] = t.shape.at(k);
    A a = A::uninitialized(extents);
    std::size_t i = 0;
    for (auto& x : a) x = static_cast<std::remove_cvref_t<decltype(x)>>(t.values[i++]);
    return a;
}

/// f of arguments of these types, in the order of the file; the first N of them have tangents.
template <int N, class... A, class F>
void run(F f, std::string const& op) {
    std::size_t n = 0;
    [&]<int... I, std::size_t... K>(std::integer_sequence<int, I...>, std::index_sequence<K...>) {
        auto push = ad::jvp<I...>(f);
        using all = std::tuple<A...>;
        for (reference::test_case const& c : reference::cases("jvp", op)) {
            REQUIRE(c.inputs.size() == sizeof...(A));
            auto const [value, tangent] = push(make<A>(c.in(c.inputs[K]))...,
                                               make<std::tuple_element_t<I, all>>(c.get("tan", c.inputs[I]))...);
            CHECK(reference::check_close(c.out(), value, c, "out") == "");
            CHECK(reference::check_close(c.get("jvp", "out"), tangent, c, "jvp") == "");
            ++n;
        }
    }(std::make_integer_sequence<int, N>{}, std::index_sequence_for<A...>{});
    CHECK(n > 0);
}

}  // namespace

TEST_CASE("jvp reference: spherical coordinates") {
    run<1, vector>([](auto x) {
        auto const [r, theta, phi] = ad::split<0, 1, 1, 1>(x);
        return ad::concat<0>(r * sin(theta) * cos(phi), r * sin(theta) * sin(phi), r * cos(theta));
    }, "g_spherical");
}
TEST_CASE("jvp reference: softmax, products and broadcasting") {
    run<1, vector>([](auto x) { return ad::softmax(x); }, "g_softmax");
    run<2, matrix, vector>([](auto a, auto x) { return tanh(matmul(a, x)); }, "g_matvec");
    run<2, column, vector>([](auto x, auto y) { return x * y + exp(x - y); }, "g_broadcast");
    run<4, vector, matrix, vector, matrix>(
        [](auto x, auto w1, auto b1, auto w2) { return matmul(w2, silu(matmul(w1, x) + b1)); }, "g_mlp");
}
TEST_CASE("jvp reference: reductions, powers and indices") {
    run<1, matrix>(
        [](auto x) { return ad::concat<0>(ad::mean<0>(x), ad::logsumexp<1>(x), ad::reshape<1>(ad::norm(x))); },
        "g_reduce");
    run<2, vector, vector>([](auto x, auto y) { return pow(x, y) * log(x + y) / (1.0 + y * y); }, "g_pow_log");
    run<1, ad::tensor<double, dyn, 4>>(
        [](auto x) { return ad::flatten(ad::slice<1, 0, 4, 2>(ad::cumsum<0>(ad::flip<1>(x)))); }, "g_index");
}
TEST_CASE("jvp reference: a convolution") {
    run<2, ad::tensor<double, dyn, dyn, dyn, dyn>, ad::tensor<double, dyn, dyn, 3, 3>>(
        [](auto x, auto w) { return ad::conv2d<ad::conv{.stride = 2, .padding = 1}>(x, w); }, "g_conv");
}
TEST_CASE("jvp reference: scalar functions") {
    run<1, vector, matrix>([](auto x, auto a) { return ad::logsumexp(matmul(a, x)); }, "f_lse_linear");
    run<2, vector, vector>([](auto x, auto y) { return sum(x * square(y) + sin(x * y)); }, "f_mixed");
    run<3, matrix, matrix, matrix>([](auto q, auto k, auto v) { return sum(square(ad::attention(q, k, v))); },
                                   "f_attention");
    run<2, matrix, vector>([](auto x, auto g) { return sum(sin(ad::layer_norm(x, 1e-2) * g)); }, "f_layer_norm");
    run<2, matrix, vector, matrix, indices>(
        [](auto w, auto b, auto x, auto t) { return ad::loss::cross_entropy(matmul(x, w) + b, t); }, "f_softmax_ce");
    run<2, matrix, matrix, ad::tensor<double, 4, dyn>>([](auto w, auto u, auto x) {
        auto h = ad::let(tanh(matmul(u, ad::select<0>(x, 0))));
        for (int t = 1; t < 4; ++t) h = ad::let(tanh(matmul(w, h) + matmul(u, ad::select<0>(x, t))));
        return sum(square(h));
    }, "f_rnn");
}
