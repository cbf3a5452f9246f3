// SPDX-License-Identifier: MIT
// Lanes that an index picks, and what is added up at one, in whole tiles and at their ends: beside a plain loop.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr auto springs = [](auto p, auto from, auto to, auto rest) {
    auto const d = ad::let(ad::index_select<0>(p, from) - ad::index_select<0>(p, to));
    return 0.5 * sum(square(sqrt(sum<1>(square(d))) - rest));
};
/// The largest error of value and gradient, of m springs between n points in C dimensions.
template <class T, std::size_t C, class I>
double worst(std::size_t n, std::size_t m) {
    ad::tensor<T, dyn, C> p(n);
    for (std::size_t i = 0; i < p.size(); ++i) p.data()[i] = static_cast<T>(2 * std::sin(0.7 * static_cast<double>(i)));
    std::vector<I> from(m), to(m);
    std::vector<T> rest(m);
    for (std::size_t e = 0; e < m; ++e) {
        from[e] = static_cast<I>(e / 3 % n);  // the same one in lanes side by side
        to[e] = static_cast<I>((e / 3 + 1 + e * 7 % (n - 1)) % n);
        rest[e] = static_cast<T>(std::cos(0.3 * static_cast<double>(e)));
        if (from[e] == to[e]) to[e] = static_cast<I>((e / 3 + 1) % n);
    }
    double total = 0, error = 0;
    std::vector<double> g(n * C);
    for (std::size_t e = 0; e < m; ++e) {
        double d[C], square = 0;
        auto const i = static_cast<std::size_t>(from[e]), j = static_cast<std::size_t>(to[e]);
        for (std::size_t k = 0; k < C; ++k) d[k] = static_cast<double>(p(i, k)) - static_cast<double>(p(j, k));
        for (double x : d) square += x * x;
        double const r = std::sqrt(square), longer = r - static_cast<double>(rest[e]);
        total += 0.5 * longer * longer;
        for (std::size_t k = 0; k < C; ++k) g[i * C + k] += longer / r * d[k], g[j * C + k] -= longer / r * d[k];
    }
    auto const [value, grad] = ad::value_and_grad<0>(springs)(p, from, to, rest);
    error = std::abs(static_cast<double>(value) - total) / (1 + std::abs(total));
    for (std::size_t i = 0; i < g.size(); ++i)
        error = std::max(error, std::abs(static_cast<double>(grad.data()[i]) - g[i]) / (1 + std::abs(g[i])));
    return error;
}

}  // namespace

TEST_CASE("picked lanes: springs in the plane and in space, of 0 to 70 and of more than a block") {
    for (std::size_t m = 0; m <= 70; ++m) {
        CAPTURE(m);
        CHECK(worst<double, 2, int>(11, m) < 1e-13);
        CHECK(worst<float, 2, std::int64_t>(11, m) < 1e-4);
        CHECK(worst<double, 3, std::int64_t>(11, m) < 1e-13);
        CHECK(worst<float, 4, int>(11, m) < 1e-4);
    }
    for (std::size_t m : {511u, 512u, 513u, 4097u}) {
        CAPTURE(m);
        CHECK(worst<double, 2, int>(100, m) < 1e-12);
        CHECK(worst<float, 2, int>(100, m) < 1e-3);
    }
}
