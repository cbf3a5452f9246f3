// SPDX-License-Identifier: MIT
// hessian_diagonal: against the diagonal of hessian, where elements have nothing to do with one another, where those of
// a row have, and where all have; and that it needs no memory that grows with the square of their number.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr auto alone = [](auto x) { return sum(exp(x) * x + 1.0 / (2.0 + x)); };
constexpr auto in_rows = [](auto x) { return sum(ad::logsumexp<1>(x * x)); };
constexpr auto in_columns = [](auto x) { return sum(ad::logsumexp<0>(x * x) * sum<0>(x)); };
constexpr auto all_of_them = [](auto x) { return ad::logsumexp(x * x) * sum(x) + ad::prod(x); };
constexpr auto cut_again = [](auto x) { return sum(ad::logsumexp<1>(reshape<dyn, 6>(reshape<dyn>(x * x)))); };
constexpr auto turned = [](auto x) { return sum(ad::logsumexp<0>(transpose(x * x))); };
constexpr auto mirrored = [](auto x) { return sum(exp(x * transpose(x))); };
constexpr auto neighbours = [](auto x) { return sum(exp(x * ad::roll<0>(x, 1))); };
constexpr auto running = [](auto x) { return sum(exp(ad::cumsum<1>(x * x))); };
constexpr auto one_of_them = [](auto x) { return sum(square(ad::slice<1, 0, 2>(x)) * ad::slice<1, 1, 3>(x)); };
constexpr auto nearest = [](auto c, auto x) {
    return sum(ad::min<1>(sum<2>(square(ad::unsqueeze<1>(x) - ad::unsqueeze<0>(c)))));
};
constexpr auto soft = [](auto c, auto x) {
    return sum(ad::logsumexp<1>(-sum<2>(square(ad::unsqueeze<1>(x) - ad::unsqueeze<0>(c)))));
};
constexpr auto steps = [](auto x) {
    return sum(ad::fold<3>([](auto y) { return y + y * y * sum(y) * 0.1; }, x));
};

template <class A>
A waves(A a, double k = 1) {
    for (auto& x : a) x = static_cast<std::remove_cvref_t<decltype(x)>>(0.8 * std::sin(k += 1.3));
    return a;
}

/// The largest difference between hessian_diagonal and the diagonal of hessian, in units of the largest element.
template <class F, class X, class... A>
double difference(F const& f, X const& x, A const&... a) {
    auto const d = ad::hessian_diagonal(f)(x, a...);
    static_assert(std::is_same_v<decltype(d), X const>);
    auto const h = ad::hessian(f)(x, a...);
    if (d.size() != x.size()) return 1;
    double error = 0, size = 1e-30;
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const expected = double(h.data()[i * (x.size() + 1)]), e = std::abs(double(d.data()[i]) - expected);
        error = std::isnan(e) || e > error ? e : error;
        size = std::max(size, std::abs(expected));
    }
    return x.size() == 0 ? 0 : error / size;
}
/// Whether directions are followed one block after the other.
template <class F, class... A>
bool is_in_blocks(F const& f, A const&... a) {
    return ad::explain(ad::hessian_diagonal(f), a...).find("hessian_diagonal") != std::string::npos;
}

}  // namespace

TEST_CASE("hessian_diagonal: that of hessian, whatever elements have to do with one another") {
    auto const fixed = waves(ad::tensor<double, 5, 3>{});
    CHECK(difference(alone, fixed) < 1e-14);
    CHECK(difference(in_rows, fixed) < 1e-14);
    CHECK(difference(all_of_them, fixed) < 1e-14);
    CHECK(difference(mirrored, waves(ad::tensor<double, 3, 3>{})) < 1e-14);
    CHECK(difference(all_of_them, waves(ad::tensor<float, 5, 3>{})) < 1e-5);
    for (std::size_t n : {0u, 1u, 2u, 7u}) {
        auto const x = waves(ad::tensor<double, dyn, 3>(n));
        CHECK(difference(alone, x) < 1e-14);
        CHECK(difference(in_rows, x) < 1e-14);
        CHECK(difference(turned, x) < 1e-14);
        CHECK(difference(running, x) < 1e-14);
        CHECK(difference(one_of_them, x) < 1e-14);
        CHECK(difference(neighbours, x) < 1e-14);
        auto const f = waves(ad::tensor<float, dyn, 3>(n));
        CHECK(difference(in_rows, f) < 1e-5);
        if (n == 0) continue;  // of no rows there is no logarithm
        CHECK(difference(in_columns, x) < 1e-14);
        CHECK(difference(all_of_them, x) < 1e-14);
        CHECK(difference(all_of_them, f) < 1e-5);
    }
}

TEST_CASE("hessian_diagonal: axes that are merged and cut again, steps of a loop, numbers, other arguments") {
    CHECK(difference(cut_again, waves(ad::tensor<double, dyn, 3, 2>(4))) < 1e-14);
    CHECK(difference(cut_again, waves(ad::tensor<double, 2, 3, 4>{})) < 1e-14);
    CHECK(difference(cut_again, waves(ad::tensor<double, dyn, 3>(4))) < 1e-14);  // two rows make one
    CHECK(difference(steps, waves(ad::tensor<double, dyn>(4))) < 1e-14);
    CHECK(difference(soft, waves(ad::tensor<double, dyn, 3>(4)), waves(ad::tensor<double, dyn, 3>(9), 5)) < 1e-13);
    CHECK(difference(nearest, waves(ad::tensor<double, dyn, 3>(4)), waves(ad::tensor<double, dyn, 3>(9), 5)) < 1e-13);
    CHECK(ad::hessian_diagonal([](auto x) { return x * x * x; })(2.0) == 12);
    CHECK(ad::hessian_diagonal([](auto x) { return sum(x); })(ad::tensor<double, dyn>{1, 2}) ==
          ad::tensor<double, dyn>{0, 0});
    auto const by_second = ad::hessian_diagonal<1>([](auto pair, auto x) {
        auto [a, b] = pair;
        return a * sum(x * x * x) + sum(b * x * sum(x));
    });
    ad::tensor<double, dyn> const x{1, 2, 3}, b{4, 5, 6};
    CHECK(by_second(std::tuple(2.0, b), x) == ad::tensor<double, dyn>{12 + 8, 24 + 10, 36 + 12});
}

TEST_CASE("hessian_diagonal: one direction serves elements that are apart, and one for each of a row") {
    auto const x = waves(ad::tensor<double, dyn, 3>(4)), points = waves(ad::tensor<double, dyn, 3>(9), 5);
    CHECK_FALSE(is_in_blocks(alone, x));
    CHECK_FALSE(is_in_blocks(in_rows, x));
    CHECK_FALSE(is_in_blocks(turned, x));
    CHECK_FALSE(is_in_blocks(running, x));
    CHECK_FALSE(is_in_blocks(nearest, x, points));
    CHECK_FALSE(is_in_blocks(cut_again, waves(ad::tensor<double, dyn, 3, 2>(4))));
    CHECK(is_in_blocks(all_of_them, x));
    CHECK(is_in_blocks(soft, x, points));
    CHECK(is_in_blocks(neighbours, x));
    CHECK(is_in_blocks(cut_again, x));  // nobody knows that n is even
    auto f = ad::hessian_diagonal(nearest);
    std::string const plan = ad::explain(f, x, points);
    CHECK(plan.find("(3, ") == std::string::npos);  // no axis of directions
}

TEST_CASE("hessian_diagonal: of many elements, some directions at a time") {
    std::size_t const n = 1500;
    auto const x = waves(ad::tensor<double, dyn>(n));
    auto const cubes = [](auto y) { return sum(y * y * y) * sum(y); };
    auto const d = ad::hessian_diagonal(cubes)(x);
    auto const fixed = ad::hessian_diagonal(cubes)(waves(ad::tensor<double, 1500>{}));
    double sum = 0, error = 0;
    for (double v : x) sum += v;
    for (std::size_t i = 0; i < n; ++i) {
        double const expected = 6 * x(i) * sum + 6 * x(i) * x(i);
        error = std::max({error, std::abs(d(i) - expected), std::abs(fixed(i) - expected)});
    }
    CHECK(error < 1e-11);
    std::string const plan = ad::explain(ad::hessian_diagonal(all_of_them), waves(ad::tensor<double, dyn, 3>(5000)));
    CHECK(plan.substr(0, plan.find('\n')).find(" KiB") != std::string::npos);  // in all directions 1717 MiB
    std::size_t const many = 200000;  // in all directions 298 GiB
    auto const large = ad::hessian_diagonal(alone)(ad::tensor<double, dyn>(many));
    CHECK(large(many - 1) == 2 + 2.0 / 8);
}

TEST_CASE("hessian_diagonal: differentiated, and of every item of a batch") {
    auto const x = waves(ad::tensor<double, dyn, 3>(4));
    auto const by_hessian = [](auto y) {
        auto const h = ad::hessian(all_of_them)(y);
        return sum(ad::einsum<"ijij->ij">(h) * y);
    };
    auto const g = ad::grad([](auto y) { return sum(ad::hessian_diagonal(all_of_them)(y) * y); })(x);
    auto const expected = ad::grad(by_hessian)(x);
    double error = 0;
    for (std::size_t i = 0; i < x.size(); ++i) error = std::max(error, std::abs(g.data()[i] - expected.data()[i]));
    CHECK(error < 1e-12);
    auto const third = ad::grad([](auto y) { return sum(ad::hessian_diagonal(alone)(y) * y); })(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const v = x.data()[i], q = 1 / (2 + v), second = std::exp(v) * (v + 2) + 2 * q * q * q;
        CHECK(std::abs(third.data()[i] - (second + v * (std::exp(v) * (v + 3) - 6 * q * q * q * q))) < 1e-12);
    }
    auto const items = ad::vmap(ad::hessian_diagonal(all_of_them))(x);
    for (std::size_t i = 0; i < 4; ++i) {
        auto const one = ad::hessian_diagonal(all_of_them)(ad::tensor<double, 3>{x(i, 0), x(i, 1), x(i, 2)});
        for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(items(i, k) - one(k)) < 1e-13);
    }
}
