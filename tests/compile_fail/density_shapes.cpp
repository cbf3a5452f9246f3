// SPDX-License-Identifier: MIT
// Three shapes that do not broadcast are refused once, with the name of the density.
// expect: density_arguments_do_not_broadcast<
// expect-GNU: "beta_lpdf"
// expect-Clang: density::beta_lpdf<
// expect: tapeless::shape<3>, tapeless::shape<4>, tapeless::shape<5>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto model = [](auto p, auto a, auto b) {
#ifdef RIGHT
    return ad::density::beta_lpdf(p, sum(a), sum(b));
#else
    return ad::density::beta_lpdf(p, a, b);  // <- here
#endif
};
using ad::tensor;
auto g = ad::grad<1, 2>(model)(tensor<double, 3>{}, tensor<double, 4>{}, tensor<double, 5>{});
int main() {}
