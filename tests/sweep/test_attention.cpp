// SPDX-License-Identifier: MIT
// Attention and distances, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: attention, all kept") {
    CHECK(sweep<"qd,kd,kv", 0, 1, 2>([](auto q, auto k, auto v) { return sum(square(ad::attention(q, k, v))); },
                                     {.most = 8000, .longest = 1026}) == "");
}
TEST_CASE("sweep: attention of several heads with a mask") {
    CHECK(sweep<"hqd,hkd,hkd,qk?", 0, 1, 2>(
              [](auto q, auto k, auto v, auto keep) { return sum(sin(ad::attention(q, k, v, keep))); },
              {.differences = false, .most = 8000, .longest = 514}) == "");
}
TEST_CASE("sweep: squared distances, written literally, and the nearest of them") {
    CHECK(sweep<"nd,kd", 0, 1>([](auto x, auto c) {
              auto const d = ad::let(sum<2>(square(ad::unsqueeze<1>(x) - ad::unsqueeze<0>(c))));
              return sum(exp(-1.0 * d)) + sum(logsumexp<1>(ad::concat<1>(d, d + 1.0)));
          }, {.most = 4000, .longest = 514}) == "");
}
TEST_CASE("sweep: a mixture of normals") {
    CHECK(sweep<"n,k,k,k", 1, 2, 3>([](auto x, auto mu, auto s, auto w) {
              auto const z = (ad::unsqueeze<1>(x) - mu) / exp(s);
              auto const p = ad::let(w - s - 0.5 * square(z));
              return sum(logsumexp<1>(ad::concat<1>(p, p)));
          }, {.most = 8000}) == "");
}
