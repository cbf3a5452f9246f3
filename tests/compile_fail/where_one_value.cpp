// SPDX-License-Identifier: MIT
// where chooses between two values.
// expect: where_needs_both_values
// expect: where(mask, a, 0.0)
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto x, auto y) {
#ifdef RIGHT
    return sum(where(x > 0, y, 0.0));
#else
    return sum(where(x > 0, y));  // <- here
#endif
};
auto y = ad::evaluate(f, ad::tensor<double, 4>{}, ad::tensor<double, 4>{});
int main() {}
