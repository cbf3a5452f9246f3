// SPDX-License-Identifier: MIT
// Kernels of which g++ 12 believed that they write nothing: arrays of the workspace that are read in steps of twice
// those in which others are written.

#include <cmath>
#include <cstddef>
#include <tuple>

#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;
namespace la = ad::linalg;

namespace {

ad::tensor<double, 3, 2, 2> const factors{
    {{2.0, 0.0}, {0.6, 1.0}}, {{1.0, 0.0}, {-0.2, 0.5}}, {{3.0, 0.0}, {1.0, 4.0}}};
ad::tensor<double, 3, 2> const rows{{0.3, -1.2}, {1.5, 0.4}, {-0.7, 2.2}};
ad::tensor<double, 2> const centre{0.5, 0.1};

constexpr auto energy = [](auto p, auto from, auto to, auto rest) {
    auto const d = ad::let(ad::index_select<0>(p, from) - ad::index_select<0>(p, to));
    return sum(square(sqrt(sum<1>(square(d))) - rest));
};

}  // namespace

TEST_CASE("optimised: sums of squares of what small triangles solve") {
    auto const f = [](auto y, auto mu, auto a) {
        auto const l = ad::let(la::cholesky(matmul(a, ad::swap_axes<1, 2>(a))));
        auto const z = la::solve_triangular(l, y - mu, la::lower, la::vectors);
        return sum(-0.5 * sum<1>(square(z)) - sum<1>(log(ad::diagonal(l))));
    };
    double expected = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        double const a = (rows(i, 0) - centre(0)) / factors(i, 0, 0);
        double const b = (rows(i, 1) - centre(1) - factors(i, 1, 0) * a) / factors(i, 1, 1);
        expected -= (a * a + b * b) / 2 + std::log(factors(i, 0, 0) * factors(i, 1, 1));
    }
    CHECK(ad::evaluate(f, rows, centre, factors) == Approx(expected).epsilon(1e-13));
    CHECK(ad::check_gradient<0, 1, 2>(f, rows, centre, factors).passed);
}
TEST_CASE("optimised: springs of several systems at once") {
    ad::tensor<double, 3, 8, 2> p;
    ad::tensor<int, 3, 33> from, to;
    ad::tensor<double, 3, 33> rest;
    for (std::size_t i = 0; i < p.size(); ++i) p.data()[i] = std::sin(0.7 * static_cast<double>(i));
    for (std::size_t e = 0; e < from.size(); ++e) {
        from.data()[e] = static_cast<int>(e % 8), to.data()[e] = static_cast<int>((e + 1 + e / 8 % 7) % 8);
        rest.data()[e] = std::cos(0.3 * static_cast<double>(e));
    }
    auto const all = [](auto a, auto i, auto j, auto r) { return sum(ad::vmap(energy)(a, i, j, r)); };
    double expected = 0;
    ad::tensor<double, 3, 8, 2> slope{};
    for (std::size_t n = 0; n < 3; ++n)
        for (std::size_t e = 0; e < 33; ++e) {
            auto const i = static_cast<std::size_t>(from(n, e)), j = static_cast<std::size_t>(to(n, e));
            double const x = p(n, i, 0) - p(n, j, 0), y = p(n, i, 1) - p(n, j, 1), length = std::sqrt(x * x + y * y);
            double const over = length - rest(n, e);
            expected += over * over;
            slope(n, i, 0) += 2 * over * x / length, slope(n, i, 1) += 2 * over * y / length;
            slope(n, j, 0) -= 2 * over * x / length, slope(n, j, 1) -= 2 * over * y / length;
        }
    auto const [value, gradient] = ad::value_and_grad<0>(all)(p, from, to, rest);
    CHECK(value == Approx(expected).epsilon(1e-13));
    for (std::size_t i = 0; i < p.size(); ++i)
        CHECK(gradient.data()[i] == Approx(slope.data()[i]).epsilon(1e-12).margin(1e-12));
}
