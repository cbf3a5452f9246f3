// SPDX-License-Identifier: MIT
// Rows that leave registers empty, such as points in space or few classes: many of them are computed at a time.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class A>
A waves(A a, double first) {
    for (auto& v : a) v = static_cast<typename A::value_type>(1.2 * std::sin(first += 0.7));
    return a;
}
constexpr auto cross_entropy = [](auto x, auto t) { return ad::loss::cross_entropy(x, t); };
constexpr auto softmaxes = [](auto x, auto y) { return sum(softmax(x) * y) + sum(log_softmax(y) * sin(x)); };
constexpr auto lengths = [](auto x, auto y) {
    auto const d = ad::let(x - y);
    return sum(square(sqrt(sum<1>(square(d)) + 0.1) - 0.5)) + sum(d * y);
};
constexpr auto extremes = [](auto x, auto y) {
    return sum(max<1>(x) * exp(min<1>(y))) + sum(prod<1>(x)) + sum(logsumexp<1>(x + y));
};
constexpr auto normalised = [](auto x, auto y) {
    auto const length = ad::let(sqrt(sum<1>(square(x), ad::keepdims) + 0.1));
    return sum(x / length * y) + sum(square(x - mean<1>(x, ad::keepdims)));
};
constexpr auto as_a_whole = [](auto x, auto y) {  // what is summed up is needed as an array, too
    auto const e = ad::let(exp(0.3 * x));
    return sum(matmul(e, y)) + sum(e / sum<1>(e, ad::keepdims));
};
constexpr auto of_gradients = [](auto x, auto y) { return sum(square(ad::grad<0>(lengths)(x, y))); };
constexpr auto counts = [](auto i) { return sum(ad::cast<double>(sum<1>(i * i)) * 0.5); };

/// All programs, of rows of C.
template <class T, std::size_t C>
void check(std::size_t n) {
    CAPTURE(n, C);
    auto const x = waves(ad::tensor<T, dyn, C>(n), 0.1), y = waves(ad::tensor<T, dyn, C>(n), 0.4);
    ad::tensor<int, dyn> t(n);
    for (std::size_t i = 0; i < n; ++i) t(i) = static_cast<int>(i * i % C);
    if (n > 0) CHECK(oracle::agree<0>(cross_entropy, x, t) == "");
    CHECK(oracle::agree<0, 1>(softmaxes, x, y) == "");
    CHECK(oracle::agree<0, 1>(lengths, x, y) == "");
    CHECK(oracle::agree<0, 1>(extremes, x, y) == "");
    CHECK(oracle::agree<0, 1>(normalised, x, y) == "");
    CHECK(oracle::agree<0, 1>(as_a_whole, x, waves(ad::tensor<T, C, 2>{}, 0.3)) == "");
}

}  // namespace

TEST_CASE("narrow rows: classes and points are computed with lanes along the rows") {
    auto const x = waves(ad::tensor<float, dyn, 3>(50), 0.1);
    ad::tensor<int, dyn> t(50);
    std::string const plan = ad::explain(ad::value_and_grad<0>(cross_entropy), x, t);
    INFO(plan);
    CHECK(plan.find("loop over (50, 3)") == std::string::npos);
    CHECK(plan.find("exp") != std::string::npos);
}
TEST_CASE("narrow rows: values and gradients, of 0 to 70 rows") {
    for (std::size_t n : {0u, 1u, 3u, 9u, 17u, 70u}) {
        check<float, 3>(n);
        check<double, 3>(n);
        check<float, 2>(n);
    }
}
TEST_CASE("narrow rows: of wider registers, of gradients, of integers, of every second column") {
    for (std::size_t n : {1u, 9u, 40u}) {
        check<float, 5>(n);
        auto const x = waves(ad::tensor<double, dyn, 3>(n), 0.1), y = waves(ad::tensor<double, dyn, 3>(n), 0.4);
        CHECK(oracle::agree<0, 1>(of_gradients, x, y) == "");
        auto const wide = waves(ad::tensor<double, dyn, 6>(n), 0.2);
        ad::view<double const, dyn, 3> const strided(wide.data(), n, std::array<std::ptrdiff_t, 2>{6, 2});
        CHECK(oracle::agree<0, 1>(lengths, strided, y) == "");
        ad::tensor<std::int32_t, dyn, 3> i(n);
        for (std::size_t k = 0; k < i.size(); ++k) i.data()[k] = static_cast<std::int32_t>(k % 7);
        CHECK(oracle::agree(counts, i) == "");
    }
}
