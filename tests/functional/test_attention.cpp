// SPDX-License-Identifier: MIT
// attention: reference vectors, rows of which nothing is kept, the default scale, and its plan.

#include <cmath>
#include <limits>

#include "functional/nn_cases.hpp"

using namespace reference;

namespace {
constexpr auto with_scale = [](test_case& c) { add_parameter(c, "scale"); };
constexpr auto with_bias = program_of<matrix, matrix, matrix, matrix, data<scalar>>(
    [](auto q, auto k, auto v, auto bias, auto scale) { return attention(q, k, v, bias, scale); });
struct scaled {
    constexpr auto operator()(auto q, auto k, auto v, auto scale) const { return attention(q, k, v, scale); }
};
template <class Q, class K = Q>
constexpr auto unmasked = program_of<Q, K, K, data<scalar>>(scaled{});

constexpr auto masked = [](auto q, auto k, auto v, auto keep, auto bias) { return sum(sin(attention(q, k, v, keep, bias))); };
}  // namespace

TEST_CASE("attention: reference vectors, plain, masked, with a bias, and with a broadcast batch") {
    run_programs<double>("attention", with_scale, unmasked<matrix>, unmasked<cube>, unmasked<cube, shape_pattern<1, run, run>>, with_bias,
                         program_of<numbers_4d, numbers_4d, numbers_4d, mask_data<matrix>, data<scalar>>(
                             [](auto q, auto k, auto v, auto keep, auto scale) { return attention(q, k, v, keep, scale); }));
    run_programs<float>("attention", with_scale, unmasked<matrix>, with_bias);
}

TEST_CASE("attention: a row of which nothing is kept is 0 and leaves all gradients finite") {
    double const inf = std::numeric_limits<double>::infinity();
    ad::tensor<double, 3, 4> const q{{0.3, -1, 0.7, 0.2}, {1, 2, 3, 4}, {-0.5, 0.1, 0.9, -0.4}};
    ad::tensor<double, 2, 4> const k{{1, 0.5, -0.3, 0.8}, {-0.2, 0.4, 0.6, -1}};
    ad::tensor<double, 2, 2> const v{{1, 2}, {3, -1}};
    ad::tensor<bool, 3, 2> const keep{{true, true}, {false, false}, {true, false}};
    ad::tensor<double, 3, 2> const bias{{0, -0.5}, {0, 0}, {0.3, -inf}};
    auto const [out, dq, dk, dv] = ad::evaluate(
        [](auto a, auto b, auto c, auto m, auto s) {
            auto const [da, db, dc] = ad::grad<0, 1, 2>(masked)(a, b, c, m, s);
            return std::tuple(attention(a, b, c, m, s), da, db, dc);
        },
        q, k, v, keep, bias);
    double const first = 0.5 * (0.3 - 0.5 - 0.21 + 0.16), second = 0.5 * (-0.06 - 0.4 + 0.42 - 0.2) - 0.5;  // scale 1 / sqrt(4)
    double const weight = 1 / (1 + std::exp(second - first));
    CHECK(std::abs(out(0, 0) - (weight + 3 * (1 - weight))) < 1e-14);
    CHECK((out(1, 0) == 0 && out(1, 1) == 0));
    CHECK((std::abs(out(2, 0) - 1) < 1e-15 && std::abs(out(2, 1) - 2) < 1e-15));  // one key is left
    for (int j = 0; j < 4; ++j) CHECK(dq(1, j) == 0);
    for (double x : dk) CHECK(std::isfinite(x));
    for (double x : dv) CHECK(std::isfinite(x));
    CHECK(ad::check_gradient<0, 1, 2>(masked, q, k, v, keep, bias));
}

TEST_CASE("attention: two products forwards and four more backwards, and only scores are stored") {
    using sequence = ad::tensor<float, 4, 32, 16>;
    constexpr auto f = [](auto q, auto k, auto v) { return attention(q, k, v); };
    constexpr auto loss = [](auto q, auto k, auto v, auto c) { return sum(attention(q, k, v) * c); };
    STATIC_REQUIRE(decltype(ad::fused(f))::plan<sequence, sequence, sequence>().kernels() == 2);
    constexpr auto both = decltype(ad::value_and_grad<0, 1, 2>(loss))::plan<sequence, sequence, sequence, sequence>();
    STATIC_REQUIRE(both.kernels() == 6);
    STATIC_REQUIRE(both.products() == 6);
}
