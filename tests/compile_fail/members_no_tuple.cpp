// SPDX-License-Identifier: MIT
// members() returns an array alone.
// expect: members_returns_no_references
// expect: tuple of references
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
struct model {
    ad::tensor<double, 3> w;
#ifdef RIGHT
    auto members() { return std::tie(w); }
    auto members() const { return std::tie(w); }
#else
    auto& members() { return w; }
#endif
};
auto f = [](auto const& m) { return sum(std::get<0>(m)); };
auto g = ad::grad<0>(f)(model{});  // <- here
int main() {}
