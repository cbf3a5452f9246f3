// SPDX-License-Identifier: MIT
#pragma once
// Losses of arrays whose axes have 0, 1, 2 or 3 elements, against one loss after the other.

#include <array>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <vector>

#include "usage/short_axes.hpp"

namespace short_losses {

using namespace short_axes;
namespace loss = ad::loss;
using loss::reduction;

/// Between 0.1 and 0.9, all apart.
template <class A>
A probabilities(A a, double first) {
    for (auto& v : a) v = 0.5 + 0.4 * std::sin(first++);
    return a;
}
/// 0 and 1, or other two numbers.
template <class A>
A either(A a, double low, double high) {
    std::size_t i = 0;
    for (auto& v : a) v = i++ % 3 == 1 ? high : low;
    return a;
}

/// The reductions of losses that were computed one by one; n is the length of the first axis.
inline std::array<double, 3> reduced(std::vector<double> const& each, std::size_t n) {
    double sum = 0;
    for (double v : each) sum += v;
    return {sum, sum / static_cast<double>(each.size()), sum / static_cast<double>(n)};
}

/// One for each loss, so that none can stand for another.
constexpr double weight_of(std::size_t k) { return 1.0 / static_cast<double>(k + 2); }

/// The losses one by one, and their sum, mean, and mean over the batch.
template <class L>
constexpr auto all_of_one(auto const&... x) {
    return std::tuple(L::template of<reduction::none>(x...), L::template of<reduction::sum>(x...),
                      L::template of<reduction::mean>(x...), L::template of<reduction::batchmean>(x...));
}

/// Value and gradient of losses of elements, for every combination of lengths: L::one is that of one element.
template <class... L>
void check_elements() {
    auto values =
        ad::fused([](auto x, auto p, auto a, auto s) { return std::tuple_cat(all_of_one<L>(x, p, a, s)...); });
    auto gradient = ad::value_and_grad<0>([](auto x, auto p, auto a, auto s) {
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            return ((weight_of(K) * L::template of<reduction::mean>(x, p, a, s)) + ...);
        }(std::index_sequence_for<L...>{});
    });
    constexpr std::size_t most = 4;
    for (std::size_t code = 0; code < most * most * most; ++code) {
        std::array<std::size_t, 3> const n{code / most / most, code / most % most, code % most};
        CAPTURE(n[0], n[1], n[2]);
        cube const x = probabilities(cube(n[0], n[1], n[2]), 1), p = probabilities(cube(n[0], n[1], n[2]), 2.5);
        cube const a = either(cube(n[0], n[1], n[2]), 0, 1), s = either(cube(n[0], n[1], n[2]), -1, 1);
        auto const results = values(x, p, a, s);
        auto const [value, dx] = gradient(x, p, a, s);
        REQUIRE(dx.size() == x.size());
        std::vector<double> slopes(x.size());
        double expected_value = 0;
        auto compare = [&]<std::size_t K, class Loss>(std::integral_constant<std::size_t, K>, Loss) {
            INFO("loss " << K);
            auto one = [&](std::size_t i, double step) {
                return Loss::one(x.data()[i] + step, p.data()[i], a.data()[i], s.data()[i]);
            };
            auto const& each = std::get<4 * K>(results);
            REQUIRE(each.size() == x.size());
            std::vector<double> losses(x.size());
            for (std::size_t i = 0; i < x.size(); ++i) {
                losses[i] = one(i, 0);
                CHECK(near(each.data()[i], losses[i], 1e-13));
                constexpr double h = 1e-5;
                slopes[i] += weight_of(K) * (one(i, h) - one(i, -h)) / (2 * h) / static_cast<double>(x.size());
            }
            auto const [sum, mean, batchmean] = reduced(losses, n[0]);
            CHECK(near(std::get<4 * K + 1>(results), sum, 1e-13));
            CHECK(near(std::get<4 * K + 2>(results), mean, 1e-13));
            CHECK(near(std::get<4 * K + 3>(results), batchmean, 1e-13));
            expected_value += weight_of(K) * mean;
        };
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            (compare(std::integral_constant<std::size_t, K>{}, L{}), ...);
        }(std::index_sequence_for<L...>{});
        CHECK(near(value, expected_value, 1e-13));
        for (std::size_t i = 0; i < x.size(); ++i) {
            INFO("gradient, element " << i << ": " << dx.data()[i] << " instead of " << slopes[i]);
            CHECK(near(dx.data()[i], slopes[i], 1e-8));
        }
    }
}

}  // namespace short_losses
