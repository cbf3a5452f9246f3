// SPDX-License-Identifier: MIT
// Every sample has a length of its own.
// expect: ctc_shapes_do_not_fit
// expect: log-probabilities (t, n, c) have targets (n, s)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto y, auto t, auto l) { return ad::loss::ctc(x, y, t, l); };
#ifdef RIGHT
using lengths = ad::tensor<int, 2>;
#else
using lengths = ad::tensor<int, 3>;
#endif
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 2, 3>{}, ad::tensor<int, 2, 2>{}, lengths{}, ad::tensor<int, 2>{});
int main() {}
