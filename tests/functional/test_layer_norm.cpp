// SPDX-License-Identifier: MIT
// layer_norm and rms_norm: reference vectors, exact cases, derivatives of both orders, and one pass over the rows.

#include <cmath>

#include "functional/nn_cases.hpp"

using namespace reference;

namespace {
/// Axes normalised over as one, x as rows, and a bias of zeros where there is none.
constexpr auto as_rows = [](test_case& c) {
    std::size_t const n = c.in("weight").size();
    auto flat = [n](tensor& t) { t.shape = {static_cast<std::int64_t>(n)}; };
    reshape_x(c, {static_cast<std::int64_t>(c.in("x").size() / n), static_cast<std::int64_t>(n)});
    for (char const* name : {"weight", "bias"})
        if (c.has("in", name)) flat(input(c, name)), flat(c.tensors.at("grad").at(name));
    if (c.op == "layer_norm") add_missing(c, 2, "bias", n, 0);
    add_parameter(c, "eps");
};
constexpr auto with_eps = [](test_case& c) { add_parameter(c, "eps"); };
constexpr auto has_gain = [](test_case const& c) { return c.has("in", "weight"); };
constexpr auto has_none = [](test_case const& c) { return !c.has("in", "weight"); };
using rows_of = any_extents<matrix>;
constexpr auto affine = program_of<rows_of, vector, vector, data<scalar>>(
    [](auto x, auto g, auto b, auto eps) { return layer_norm(x, g, b, eps); });
constexpr auto rms_scaled =
    program_of<rows_of, vector, data<scalar>>([](auto x, auto g, auto eps) { return rms_norm(x, g, eps); });

constexpr auto weighted_layer_norm = [](auto x, auto g, auto b, auto c) { return sum(layer_norm(x, g, b) * c); };
constexpr auto weighted_rms_norm = [](auto x, auto g, auto c) { return sum(rms_norm(x, g) * c); };
using row = ad::tensor<float, 512>;
using rows = ad::tensor<float, 1024, 512>;
}  // namespace

TEST_CASE("layer_norm, rms_norm: reference vectors") {
    auto const plain = program_of<cube, data<scalar>>([](auto x, auto eps) { return layer_norm(x, eps); });
    auto const rms_plain = program_of<cube, data<scalar>>([](auto x, auto eps) { return rms_norm(x, eps); });
    CHECK(run_programs_if<double>("layer_norm", as_rows, has_gain, affine) +
              run_programs_if<double>("layer_norm", with_eps, has_none, plain) ==
          count_in_file("nn", "layer_norm"));
    CHECK(run_programs_if<double>("rms_norm", as_rows, has_gain, rms_scaled) +
              run_programs_if<double>("rms_norm", with_eps, has_none, rms_plain) ==
          count_in_file("nn", "rms_norm"));
    run_programs<float>("layer_norm", as_rows, affine);
    run_programs<float>("rms_norm", as_rows, rms_scaled);
}

TEST_CASE("layer_norm, rms_norm: over several trailing axes, by a gain of their shape or by number, as over one") {
    ad::tensor<double, 2, 2, 3> const x{{{0.3, -0.5, 1.1}, {0.7, 0.2, -0.4}}, {{2, 1, 4}, {3, 6, 5}}};
    ad::tensor<double, 2, 3> const gain{{1, 2, 0.5}, {-1, 0.3, 0.7}};
    auto const all = ad::evaluate(
        [](auto v, auto g) {
            auto const flat = reshape<2, 6>(v);
            auto const one = reshape<6>(g);
            return std::tuple(reshape<2, 6>(layer_norm(v, g)), layer_norm(flat, one),
                              reshape<2, 6>(layer_norm<2>(v, 0.1)), layer_norm(flat, 0.1),
                              reshape<2, 6>(rms_norm<2>(v, g)), rms_norm(flat, one));
        },
        x, gain);
    auto const near = [](auto const& a, auto const& b) {
        for (std::size_t i = 0; i < 12; ++i)
            if (!(std::abs(a.data()[i] - b.data()[i]) < 1e-14)) return false;
        return true;
    };
    CHECK(near(std::get<0>(all), std::get<1>(all)));
    CHECK(near(std::get<2>(all), std::get<3>(all)));
    CHECK(near(std::get<4>(all), std::get<5>(all)));
}

TEST_CASE("layer_norm: rows far from 0 keep their digits, and constant rows are the bias with finite gradients") {
    ad::tensor<float, 3, 4> const x{{10001, 10002, 10003, 10004}, {1, 2, 3, 4}, {7, 7, 7, 7}};
    ad::tensor<float, 4> const gain{1, 1, 1, 2}, bias{0, 0, 0, 5};
    auto const [dx, y] = ad::grad<0, 3>(weighted_layer_norm)(
        x, gain, bias, ad::tensor<float, 3, 4>{{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 1, 1, 1}});
    for (int j = 0; j < 4; ++j) {
        CHECK(y(0, j) == y(1, j));
        CHECK(dx(0, j) == dx(1, j));
        CHECK(y(2, j) == bias(j));
    }
    float const r = 1 / std::sqrt(1.25f + 1e-5f);
    CHECK(std::abs(y(0, 0) + 1.5f * r) < 1e-6f);
    CHECK(std::abs(y(0, 3) - (3 * r + 5)) < 1e-5f);
    // h - mean(h) over sqrt(eps), h = (1, 1, 1, 2)
    CHECK(std::abs(dx(2, 3) * std::sqrt(1e-5f) - 0.75f) < 1e-5f);
}

TEST_CASE("layer_norm: one kernel for the value and all gradients, and no stored rows") {
    constexpr auto both = decltype(ad::value_and_grad<0, 1, 2>(weighted_layer_norm))::plan<rows, row, row, rows>();
    STATIC_REQUIRE(both.kernels() == 1);
    STATIC_REQUIRE(both.workspace_bytes() < 4 * 512 * 8);  // some rows, for the sums of columns
    constexpr auto rms = decltype(ad::value_and_grad<0, 1>(weighted_rms_norm))::plan<rows, row, rows>();
    STATIC_REQUIRE(rms.kernels() == 1);
}

TEST_CASE("layer_norm, rms_norm: first and second derivatives by central differences") {
    constexpr auto f = [](auto p) {
        auto const& [x, g, b] = p;
        return sum(sin(layer_norm(x, g, b, 1e-2)) * rms_norm<1>(x));
    };
    constexpr auto of_gradient = [](auto x, auto g, auto b) {
        auto const [dx, dg] = ad::grad<0, 1>(
            [](auto p, auto q, auto r) { return sum(sin(layer_norm(p, q, r, 1e-2)) * rms_norm<1>(p)); })(x, g, b);
        return sum(square(dx)) + sum(sin(dg));
    };
    ad::tensor<double, 2, 3> const x{{0.3, -0.5, 1.1}, {0.7, 0.2, -0.4}};
    ad::tensor<double, 3> const gain{1, 0.8, -0.6}, bias{0.1, -0.2, 0.3};
    auto const first = ad::check_gradient<0>(f, std::tuple(x, gain, bias));
    CHECK(first);
    CHECK(first.checked == 12);
    auto const second = ad::check_gradient<0>(of_gradient, x, gain, bias);
    INFO(second.max_relative_error);
    CHECK(second);
    CHECK(second.checked == 6);
}
