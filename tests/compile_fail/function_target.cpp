// SPDX-License-Identifier: MIT
// function: a target that owns its memory is a reference in the signature, or the gradient would be written to a copy.
// expect: function_target_is_a_copy<
// expect: is written into_t<Target&>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
using row = ad::tensor<float, 3>;
int main() {
    auto step = ad::value_and_grad<0>([](auto x) { return sum(x * x); });
#ifdef RIGHT
    ad::function<float(ad::into_t<row&>, row)> f = step;
    ad::function<float(ad::into_t<ad::view<float, 3>>, row)> g = step;
#else
    ad::function<float(ad::into_t<row>, row)> f = step, g = f;
#endif
    return f == nullptr || g == nullptr;
}
