// SPDX-License-Identifier: MIT
// function: a gradient that is made by the call cannot be returned as a view.
// expect: function_result_points_to_a_temporary<
// expect: make R a tensor
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
using row = ad::tensor<float, 3>;
struct result {
    double value;
#ifdef RIGHT
    ad::tensor<float, 3> gradient;
#else
    ad::view<float const, 3> gradient;
#endif
};
int main() {
    ad::function<result(row)> f = ad::value_and_grad<0>([](auto x) { return sum(x * x); });
    return f == nullptr;
}
