// SPDX-License-Identifier: MIT
// Masks that a body captures: those that are made again in it, and those that stand for an item or behind a boundary.

#include <tapeless/tapeless.hpp>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr auto by_checkpoint = [](auto x, auto m) {
    return ad::checkpoint([&](auto v) { return ad::masked_fill(sum(square(v)), m, 0.0); })(x);
};
constexpr auto by_fold = [](auto x, auto m) {
    return sum(ad::fold([&](auto c, auto v) { return where(m, c, c * v); }, 1.0, x));
};
constexpr auto by_cond = [](auto p, auto x, auto m) {
    return ad::cond(p, [&](auto v) { return where(m, 0.0, sum(square(v))); }, [](auto v) { return sum(v); }, x);
};
constexpr auto stopped = [](auto x, auto y) {
    auto const m = ad::let(stop_gradient(x > y));
    return sum(ad::checkpoint([&](auto v) { return where(m, square(v), 3.0 * v); })(x));
};

template <class T>
ad::tensor<T, ad::dyn, 2> rows() {
    return {{1, 2}, {3, 4}, {5, 6}};
}

}  // namespace

TEMPLATE_TEST_CASE("bodies: a mask argument of a mapped function is captured", "", double, float) {
    auto const x = rows<TestType>();
    ad::tensor<bool, ad::dyn> const m{false, true, false};
    using matrix = ad::tensor<TestType, ad::dyn, 2>;
    auto const once = [](auto a, auto b) { return sum(ad::vmap<0, 0>(by_checkpoint)(a, b)); };
    CHECK(ad::evaluate(once, x, m) == 5 + 61);
    CHECK(ad::grad<0>(once)(x, m) == matrix{{2, 4}, {0, 0}, {10, 12}});
    auto const loop = [](auto a, auto b) { return sum(ad::vmap<0, 0>(by_fold)(a, b)); };
    CHECK(ad::evaluate(loop, x, m) == 2 + 1 + 30);
    CHECK(ad::grad<0>(loop)(x, m) == matrix{{2, 1}, {0, 0}, {6, 5}});
    auto const either = [](auto p, auto a, auto b) { return sum(ad::vmap<ad::whole, 0, 0>(by_cond)(p, a, b)); };
    CHECK(ad::grad<1>(either)(true, x, m) == matrix{{2, 4}, {0, 0}, {10, 12}});
    CHECK(ad::grad<1>(either)(false, x, m) == matrix{{1, 1}, {1, 1}, {1, 1}});
    auto const chosen = [](auto p, auto a, auto b) { return sum(ad::vmap<0, 0, 0>(by_cond)(p, a, b)); };
    CHECK(ad::grad<1>(chosen)(ad::tensor<bool, ad::dyn>{true, true, false}, x, m) == matrix{{2, 4}, {0, 0}, {1, 1}});
}

TEMPLATE_TEST_CASE("bodies: a mask behind a boundary is captured", "", double, float) {
    ad::tensor<TestType, 2> const x{1, 2}, y{0, 5};
    CHECK(ad::evaluate(stopped, x, y) == 7);
    CHECK(ad::grad<0>(stopped)(x, y) == ad::tensor<TestType, 2>{2, 3});
}
