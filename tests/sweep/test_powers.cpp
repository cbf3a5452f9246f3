// SPDX-License-Identifier: MIT
// Items beside a few numbers, such as polynomials: what runs along the short axis, and powers, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

namespace {

/// x^0, x^1, ... beside the numbers w.
template <class X, class W>
constexpr auto powers(X const& x, W const& w) {
    return ad::cumprod<1>(where(ad::arange_like<0>(w) == 0, 1.0, ad::unsqueeze<1>(x)));
}

}  // namespace

TEST_CASE("sweep: polynomials by running products") {
    CHECK(sweep<"n,7,n", 0, 1, 2>([](auto x, auto w, auto y) { return mean(square(matmul(powers(x, w), w) - y)); },
                                  {.most = 4000}) == "");
    CHECK(sweep<"n^,3,n~", 0, 1, 2>([](auto x, auto w, auto y) { return sum(square(sum<1>(powers(x, w) * w) - y)); },
                                    {.most = 4000}) == "");
}
TEST_CASE("sweep: polynomials by powers") {
    CHECK(sweep<"n,6,n", 1, 2>(
              [](auto x, auto w, auto y) {
                  return mean(square(matmul(pow(ad::unsqueeze<1>(x), ad::arange_like<0>(w)), w) - y));
              },
              {.most = 4000}) == "");
}
TEST_CASE("sweep: running sums and products of items beside a few numbers") {
    CHECK(sweep<"n,5", 0, 1>(
              [](auto x, auto w) {
                  auto const t = ad::let(ad::cumsum<1>(tanh(ad::unsqueeze<1>(x) * w)));
                  return sum(square(sum<1>(t))) + sum(sin(max<1>(t))) + sum(t);
              },
              {.most = 4000}) == "");
    CHECK(sweep<"n,4", 0, 1>(
              [](auto x, auto w) {
                  auto const t = ad::let(ad::cumprod<1>(ad::flip<1>(1.5 + 0.5 * sin(ad::unsqueeze<1>(x) + w))));
                  return sum(square(sum<1>(t * w))) + sum(sum<0>(t) * w);
              },
              {.most = 4000}) == "");
}
TEST_CASE("sweep: a running product that is also a result of its own, and one along the items") {
    CHECK(sweep<"n,3", 0, 1>(
              [](auto x, auto w) {
                  auto const t = ad::let(ad::cumprod<1>(1.0 + 0.1 * ad::unsqueeze<1>(x) * w));
                  return sum(square(sum<1>(t))) + sum(tanh(ad::cumsum<0>(t)) * 0.1);
              },
              {.most = 2000}) == "");
}
