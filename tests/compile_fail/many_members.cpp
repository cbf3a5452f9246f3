// SPDX-License-Identifier: MIT
// A struct of more members than can be taken apart.
// expect: a tree's struct has members (at most 24), or a members() function
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
struct state {
    double a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x;
#ifndef RIGHT
    double y;
#endif
};
auto value = ad::evaluate([](auto s) { return 2.0 * std::get<0>(s); }, state{});
int main() {}
