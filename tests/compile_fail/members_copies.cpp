// SPDX-License-Identifier: MIT
// members() returns copies, which nobody would ever read.
// expect: members_returns_no_references
// expect: std::tie(w, b)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
class model {
    ad::tensor<double, 3> w;

public:
    model() {}
#ifdef RIGHT
    auto members() { return std::tie(w); }
    auto members() const { return std::tie(w); }
#else
    auto members() { return std::tuple(w); }
    auto members() const { return std::tuple(w); }
#endif
};
auto f = [](auto const& m) { return sum(std::get<0>(m)); };
auto g = ad::grad<0>(f)(model{});  // <- here
int main() {}
