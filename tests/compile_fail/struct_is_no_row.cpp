// SPDX-License-Identifier: MIT
// Structs whose members are of several types are no rows.
// expect: struct_is_no_row
// expect: k elements of one type
#include <tapeless/tapeless.hpp>

#include <vector>
namespace ad = tapeless;
struct point {
    float x, y;
#ifndef RIGHT
    int id;
#endif
};
std::vector<point> points(4);
auto f = [](auto x) { return sum(x); };
auto g = ad::grad<0>(f)(points);  // <- here
int main() {}
