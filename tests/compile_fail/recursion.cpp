// SPDX-License-Identifier: MIT
// A function that never comes to an end.
// expect: expression_is_too_large_or_a_recursion_has_no_end
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
struct power {
    template <class X>
    constexpr auto operator()(X x) const {
        auto p = ad::let(x);
        for (int k = 0; k < 4; ++k) p *= x;
        return p;
    }
};
#else
struct power {
    template <class X>
    constexpr auto operator()(X x) const {
        return x * (*this)(x * x);  // <- here
    }
};
#endif
auto g = ad::grad<0>(power{})(0.5);
int main() {}
