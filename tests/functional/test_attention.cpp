// SPDX-License-Identifier: MIT
// attention: reference vectors, rows of which nothing is kept, the default scale, and its plan.

#include <cmath>
#include <limits>

#include "functional/nn_cases.hpp"

using namespace reference;

namespace {
/// q, k and v with a batch of 1 where there is none.
constexpr auto in_batches = [](test_case& c) {
    auto add_axis = [&](tensor& t) {
        if (t.rank() == 2) t.shape.insert(t.shape.begin(), 1);
    };
    for (char const* name : {"q", "k", "v"}) add_axis(input(c, name)), add_axis(c.tensors.at("grad").at(name));
    for (char const* kind : {"cot", "out"}) add_axis(c.tensors.at(kind).at("out"));
    add_parameter(c, "scale");
};
/// With a bias of zeros where there is none.
constexpr auto with_zeros = [](test_case& c) {
    in_batches(c);
    if (c.has("in", "bias")) return;
    std::int64_t const rows = c.in("q").shape[1], columns = c.in("k").shape[1];
    add_missing(c, 3, "bias", static_cast<std::size_t>(rows * columns), 0);
    input(c, "bias").shape = {rows, columns};
};
using batches = any_extents<cube>;
using one_for_all = shape_pattern<1, run, run>;
constexpr auto with_bias = program_of<batches, batches, batches, matrix, data<scalar>>(
    [](auto q, auto k, auto v, auto bias, auto scale) { return attention(q, k, v, bias, scale); });
struct scaled {
    constexpr auto operator()(auto q, auto k, auto v, auto scale) const { return attention(q, k, v, scale); }
};

constexpr auto masked = [](auto p, auto keep, auto bias) {
    auto const& [q, k, v] = p;
    return sum(sin(attention(q, k, v, keep, bias)));
};
}  // namespace

TEST_CASE("attention: reference vectors, plain, masked, with a bias, and with a broadcast batch") {
    run_programs<double>(
        "attention", in_batches, program_of<cube, one_for_all, one_for_all, data<scalar>>(scaled{}),
        program_of<batches, batches, batches, data<scalar>>(scaled{}), with_bias,
        program_of<numbers_4d, numbers_4d, numbers_4d, mask_data<matrix>, data<scalar>>(
            [](auto q, auto k, auto v, auto keep, auto scale) { return attention(q, k, v, keep, scale); }));
    run_programs<float>("attention", with_zeros, with_bias);
}

TEST_CASE("attention: a row of which nothing is kept is 0 and leaves all gradients finite") {
    double const inf = std::numeric_limits<double>::infinity();
    ad::tensor<double, 3, 4> const q{{0.3, -1, 0.7, 0.2}, {1, 2, 3, 4}, {-0.5, 0.1, 0.9, -0.4}};
    ad::tensor<double, 2, 4> const k{{1, 0.5, -0.3, 0.8}, {-0.2, 0.4, 0.6, -1}};
    ad::tensor<double, 2, 2> const v{{1, 2}, {3, -1}};
    ad::tensor<bool, 3, 2> const keep{{true, true}, {false, false}, {true, false}};
    ad::tensor<double, 3, 2> const bias{{0, -0.5}, {0, 0}, {0.3, -inf}};
    auto const out = ad::evaluate([](auto a, auto b, auto c, auto m, auto s) { return attention(a, b, c, m, s); }, q, k,
                                  v, keep, bias);
    auto const [dq, dk, dv] = ad::grad<0>(masked)(std::tuple(q, k, v), keep, bias);
    // scale 1 / sqrt(4)
    double const first = 0.5 * (0.3 - 0.5 - 0.21 + 0.16), second = 0.5 * (-0.06 - 0.4 + 0.42 - 0.2) - 0.5;
    double const weight = 1 / (1 + std::exp(second - first));
    CHECK(std::abs(out(0, 0) - (weight + 3 * (1 - weight))) < 1e-14);
    CHECK((out(1, 0) == 0 && out(1, 1) == 0));
    CHECK((std::abs(out(2, 0) - 1) < 1e-15 && std::abs(out(2, 1) - 2) < 1e-15));  // one key is left
    for (int j = 0; j < 4; ++j) CHECK(dq(1, j) == 0);
    for (double x : dk) CHECK(std::isfinite(x));
    for (double x : dv) CHECK(std::isfinite(x));
    CHECK(ad::check_gradient<0>(masked, std::tuple(q, k, v), keep, bias));
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
