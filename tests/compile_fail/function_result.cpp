// SPDX-License-Identifier: MIT
// function: value_and_grad gives more than the value, unless the gradient is written somewhere.
// expect: function_gives_something_else<float, tapeless::value_and_gradient<float
// expect: the callable gives something that is not R
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
using row = ad::tensor<float, 3>;
int main() {
    auto loss = [](auto w, auto x) { return sum(w * x); };
#ifdef RIGHT
    ad::function<float(ad::into_t<row&>, row, row)> f = ad::value_and_grad<0>(loss);
#else
    ad::function<float(row, row)> f = ad::value_and_grad<0>(loss);
#endif
    return f == nullptr;
}
