// SPDX-License-Identifier: MIT
// A target of another length, in a loss that uses it more than once: refused once.
// expect: target_shape_differs<
// expect-GNU: "poisson_nll"
// expect-Clang: loss::poisson_nll<
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto fit = [](auto rate, auto seen) {
#ifdef RIGHT
    return ad::loss::poisson_nll(rate, ad::narrow<0, 0, 3>(seen));
#else
    return ad::loss::poisson_nll(rate, seen);  // <- here
#endif
};
auto v = ad::evaluate(fit, ad::tensor<float, 3>{}, ad::tensor<float, 4>{});
int main() {}
