// SPDX-License-Identifier: MIT
// A class that cannot be taken apart.
// expect: class_has_no_members_function
// expect: members()
#include <tapeless/tapeless.hpp>

#include <tuple>
namespace ad = tapeless;
auto f = [](auto s) { return std::get<0>(s) * std::get<1>(s); };
#ifdef RIGHT
struct state {
    double x = 1, v = 0;
    state() = default;
    auto members() { return std::tie(x, v); }
    auto members() const { return std::tie(x, v); }
};
#else
struct state {
    double x = 1, v = 0;
    state() = default;
};
#endif
auto g = ad::grad<0>(f)(state{});  // <- here
int main() {}
