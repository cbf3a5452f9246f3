// SPDX-License-Identifier: MIT
// What the steps of a loop leave for the steps backwards: a sum that only its value is needed of, and not its terms.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <string>

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr auto softsign = [](auto z) {
    auto const y = ad::let(z);
    return y / (1.0 + abs(y));
};
/// Two products that nothing but their sum needs.
constexpr auto recurrence = [](auto u, auto v, auto h0, auto xs) {
    return sum(square(ad::fold([&](auto h, auto x) { return softsign(matmul(h, u) + matmul(square(h), v) + x); },
                               h0, xs)));
};
/// Three of them, one after the other, and one that is needed besides.
constexpr auto longer = [](auto u, auto v, auto h0, auto xs) {
    auto const step = [&](auto h, auto x) {
        auto const e = ad::let(exp(matmul(h, v)));
        return 0.3 * softsign(matmul(h, u) - matmul(square(h), v) + e * matmul(x + h, u)) + 0.01 * e;
    };
    return sum(square(ad::fold(step, h0, xs)));
};
/// The sum is a result as well, of each step.
constexpr auto scanned = [](auto u, auto v, auto h0, auto xs) {
    auto const [last, sums] = ad::scan(
        [&](auto h, auto x) {
            auto const z = ad::let(matmul(h, u) + matmul(square(h), v) + x);
            return std::tuple(softsign(z), z);
        },
        h0, xs);
    return sum(square(last)) + 0.1 * sum(sums * sums);
};
/// A loop that ends by itself.
constexpr auto repeated = [](auto u, auto v, auto h0, auto xs) {
    auto const step = [&](auto h) { return 1.4 * h + 0.1 * softsign(matmul(h, u) + matmul(square(h), v)); };
    return sum(square(ad::while_loop<20>([](auto h) { return sum(h * h) < 5.0; }, step, 0.2 * h0))) + sum(xs[0]);
};

template <class T, auto... Extents>
ad::tensor<T, Extents...> numbers(double seed, double size, auto... lengths) {
    ad::tensor<T, Extents...> x(lengths...);
    for (std::size_t i = 0; i < x.size(); ++i)
        x.data()[i] = static_cast<T>(size * std::sin(seed + 1.3 * static_cast<double>(i)));
    return x;
}
template <class T, int N>
auto agrees(auto f) {
    return oracle::agree<0, 1, 2, 3>(f, numbers<T, N, N>(0.1, 0.5), numbers<T, N, N>(0.7, 0.4), numbers<T, N>(0.3, 1),
                                     numbers<T, 6, N>(0.9, 1));
}
/// How many arrays the loop forwards leaves in the workspace.
int left_behind(std::string const& plan) {
    auto const loop = plan.find("fold, "), body = plan.find("  body ", loop);
    REQUIRE(body != std::string::npos);
    int n = 0;
    for (auto at = plan.find("writes   buffer", loop); at < body; at = plan.find("writes   buffer", at + 1)) ++n;
    return n;
}

}  // namespace

TEST_CASE("stored sums: of two terms, of three, needed besides, a result, in a loop that ends by itself") {
    CHECK(agrees<double, 8>(recurrence) == "");
    CHECK(agrees<float, 5>(recurrence) == "");
    CHECK(agrees<double, 9>(longer) == "");
    CHECK(agrees<double, 4>(scanned) == "");
    CHECK(agrees<double, 4>(repeated) == "");
}

TEST_CASE("stored sums: one array is left behind beside the state, and not one for each term") {
    auto const f = ad::value_and_grad<0, 1, 2>(recurrence);
    auto const u = numbers<double, 32, 32>(0.1, 0.5);
    auto const xs = numbers<double, ad::dyn, 32>(0.9, 1, 6);
    std::string const plan = ad::explain(f, u, u, numbers<double, 32>(0.3, 1), xs);
    INFO(plan);
    CHECK(left_behind(plan) == 3);  // its last value, its values, the sums
}
