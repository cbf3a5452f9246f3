// SPDX-License-Identifier: MIT
// Stencils of slices, whose gradients are read from between zeros, at all lengths: beside the oracle, and what the plan
// makes of them.

#include "oracle/numbers.hpp"
#include "support/sweep.hpp"

using oracle::sweep;

namespace {

constexpr auto laplacian = [](auto u) {
    auto const c = ad::slice<0, 1, -1>(u);
    auto const m = ad::slice<1, 1, -1>(u);
    return ad::slice<0, 0, -2>(m) + ad::slice<0, 2, ad::to_end>(m) + ad::slice<1, 0, -2>(c) +
           ad::slice<1, 2, ad::to_end>(c) - 4.0 * ad::slice<1, 1, -1>(c);
};
constexpr auto roughness = [](auto u) { return sum(square(laplacian(u))); };
constexpr auto around = [](auto u) { return sum(square(laplacian(ad::pad<1, 1, 1, 1>(u)) - 0.5 * u)); };
/// End to end along the first axis and the last.
constexpr auto ring = [](auto u) {
    return sum(square(ad::roll<0>(u, 1) + ad::roll<0>(u, -2) + ad::roll<-1>(u, 1) + ad::roll<-1>(u, -3) -
                      tanh(ad::roll<0>(ad::roll<-1>(u, -1), 1)) - 4.0 * u));
};
/// Neighbours along three axes, far away along one.
constexpr auto solid = [](auto u) {
    auto const a = let(ad::pad<1, 1, 2, 1, 9, 3>(u));
    return sum(square(ad::slice<0, 0, -2>(ad::slice<1, 1, -2>(ad::slice<2, 9, -3>(a))) +
                      ad::slice<0, 2, ad::to_end>(ad::slice<1, 3, ad::to_end>(ad::slice<2, 0, -12>(a))) -
                      ad::slice<0, 1, -1>(ad::slice<1, 0, -3>(ad::slice<2, 12, ad::to_end>(a)))));
};
/// Slices along one axis, of which some meet and some do not.
constexpr auto along = [](auto x) {
    auto const d = ad::slice<0, 1, ad::to_end>(x) - ad::slice<0, 0, -1>(x);
    auto const far = ad::slice<0, 3, ad::to_end>(x) * ad::slice<0, 0, -3>(x);
    return sum(square(d)) + sum(tanh(far)) + sum(exp(0.3 * ad::slice<0, 1, 2>(x))) + sum(x * x);
};
constexpr auto steepness = [](auto x) { return sum(square(ad::grad<0>(along)(x))); };

}  // namespace

TEST_CASE("sweep: stencils of slices: the library and the oracle agree at all lengths") {
    CHECK(sweep<"nm", 0>(roughness, {.most = 8000}) == "");
    CHECK(sweep<"nm", 0>(around, {.most = 8000}) == "");
    CHECK(sweep<"nm^", 0>(around, {.most = 4000}) == "");
    CHECK(sweep<"3nm", 0>(solid, {.most = 4000}) == "");
    CHECK(sweep<"nm", 0>(ring, {.most = 8000}) == "");
    CHECK(sweep<"n3m", 0>(ring, {.most = 4000}) == "");
    CHECK(sweep<"n", 0>(along, {.most = 8000}) == "");
    CHECK(sweep<"n", 0>(steepness, {.most = 8000}) == "");
}

TEST_CASE("sweep: stencils of slices: parts that meet are gathered in one loop") {
    using field = ad::tensor<double, 40, 50>;
    auto step = ad::value_and_grad<0>(roughness);
    CHECK(decltype(step)::plan<field>().kernels() == 2);
    field u, expected{};
    for (int i = 0; i < 40; ++i)
        for (int j = 0; j < 50; ++j) u(i, j) = std::sin(0.7 * i) * std::cos(0.4 * j) + 0.01 * i * j;
    for (int i = 1; i < 39; ++i)
        for (int j = 1; j < 49; ++j) {
            double const l = 2 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) - 4 * u(i, j));
            expected(i - 1, j) += l, expected(i + 1, j) += l, expected(i, j - 1) += l, expected(i, j + 1) += l;
            expected(i, j) -= 4 * l;
        }
    auto const [value, got] = step(u);
    double worst = 0;
    for (std::size_t i = 0; i < u.size(); ++i)
        worst = std::max(worst, std::abs(got.data()[i] - expected.data()[i]));
    CHECK(value > 0);
    CHECK(worst < 1e-11);
}
