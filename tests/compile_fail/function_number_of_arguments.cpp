// SPDX-License-Identifier: MIT
// A function of two arguments is not called with one, hidden or not.
// expect: function_does_not_take_these_arguments
// expect: which the function does not take
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
using row = ad::tensor<float, 3>;
int main() {
    auto loss = [](auto w, auto x) { return sum(w * x); };
#ifdef RIGHT
    ad::function<row(row, row)> f = ad::grad<0>(loss);
#else
    ad::function<row(row)> f = ad::grad<0>(loss);  // <- here
#endif
    return f == nullptr;
}
