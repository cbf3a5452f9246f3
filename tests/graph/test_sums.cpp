// SPDX-License-Identifier: MIT
// Sums of sums that nothing else needs are one sum, in the order of memory.

#include <string>

#include <support/catch.hpp>
#include <support/sweep.hpp>
#include <tapeless/tapeless.hpp>

using oracle::sweep;
namespace ad = tapeless;

namespace {
int count(std::string const& text, std::string const& what) {
    int n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}
}  // namespace

TEST_CASE("sums: of each item's sum, under vmap along the second axis") {
    auto const f = [](auto x, auto w) {
        auto const item = [](auto y, auto v) { return sum(square(y)) * v + sum(y); };
        return sum(ad::vmap<1, 0>(item)(x, w)) + sum(ad::vmap<1>([](auto y) { return sum(y * y * y); })(x));
    };
    CHECK(sweep<"nm,m", 0, 1>(f, {.longest = 65}) == "");
}
TEST_CASE("sums: of sums, of a maximum, of what is exchanged in part") {
    auto const f = [](auto x, auto y) {
        auto const t = ad::let(ad::transpose(x));
        auto const rows = ad::let(sum<1>(x * x));  // needed twice
        return sum(sum<0>(exp(x))) + sum(max<1>(x)) + sum(sum<1>(t * y)) + sum(rows) * sum(rows * rows) +
               sum(t * t + 3.0 * t) + sum(mean<0>(t));
    };
    CHECK(sweep<"nm,mn", 0, 1>(f, {.longest = 65}) == "");
}
TEST_CASE("sums: those of items are taken in one loop with the gradient") {
    auto const f = [](auto x) { return sum(ad::vmap<1>([](auto y) { return sum(square(y)); })(x)); };
    ad::tensor<float, ad::dyn, ad::dyn, 4> const x(7, 9);
    auto const plan = ad::explain(ad::value_and_grad<0>(f), x);
    CAPTURE(plan);
    CHECK(count(plan, "loop over") == 1);
    CHECK(count(plan, "as 252") == 1);
}
TEST_CASE("sums: multiply-adds of sums are one number, as a call wants it") {
    auto const f = [](auto x, auto s) {
        auto const v = ad::let(ad::checkpoint([](auto u) { return ad::let(tanh(u) * u); })(s));
        auto const y = ad::let(x / (1.5 + square(v)));
        return 0.1 * sum(y) + 0.1 * sum(exp(0.3 * tanh(y)));
    };
    CHECK(sweep<"nm,", 0, 1>(f, {.longest = 17}) == "");
}
