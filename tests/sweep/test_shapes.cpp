// SPDX-License-Identifier: MIT
// Stencils, steps, exchanged axes and reshapes, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: neighbours along both axes, as in a stencil") {
    CHECK(sweep<"nm", 0>([](auto x0) {
              auto const x = ad::let(ad::pad<1, 1, 1, 1>(x0));
              auto const up = ad::slice<0, 0, -2>(ad::slice<1, 1, -1>(x));
              auto const down = ad::slice<0, 2, ad::to_end>(ad::slice<1, 1, -1>(x));
              auto const left = ad::slice<1, 0, -2>(ad::slice<0, 1, -1>(x));
              auto const right = ad::slice<1, 2, ad::to_end>(ad::slice<0, 1, -1>(x));
              return sum(square(up + down + left + right - 4.0 * x0) + sin(up * down));
          }, {.most = 8000}) == "");
}
TEST_CASE("sweep: even and odd elements, backwards, and axes exchanged") {
    CHECK(sweep<"nm", 0>([](auto x) {
              auto const even = ad::slice<0, 0, ad::to_end, 2>(x);
              auto const last = ad::slice<0, ad::to_end, ad::to_end, -2>(x);
              return sum(exp(even * last)) + sum(sum<0>(transpose(x)) * sum<1>(ad::flip<1>(x)));
          }, {.most = 8000}) == "");
}
TEST_CASE("sweep: reshapes that cut and merge axes") {
    CHECK(sweep<"n6", 0>([](auto x) {
              auto const y = ad::let(ad::reshape<-1, 2, 3>(x));
              return sum(sin(ad::permute<1, 0, 2>(y))) + sum(square(sum<0>(ad::reshape<-1, 3>(tanh(x)))));
          }, {.most = 20000}) == "");
    CHECK(sweep<"nm", 0>([](auto x) { return sum(tanh(ad::flatten(transpose(x))) * ad::flatten(x)); },
                         {.most = 8000}) == "");
}
