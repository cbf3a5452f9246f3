// SPDX-License-Identifier: MIT
// The function is called while compiling.
// expect: function_cannot_be_called_while_compiling
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
#ifdef RIGHT
struct loss {
    constexpr auto operator()(auto x) const { return square(x); }
};
#else
struct loss {
    auto operator()(auto x) const {
        static int calls = 0;
        ++calls;
        return square(x);
    }
};
#endif
auto g = ad::grad<0>(loss{})(0.5);  // <- here
int main() {}
