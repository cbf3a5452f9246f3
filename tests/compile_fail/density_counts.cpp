// SPDX-License-Identifier: MIT
// Counts beside rates of another length.
// expect: density_arguments_do_not_broadcast<
// expect-GNU: "poisson_lpmf"
// expect-Clang: density::poisson_lpmf<
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto log_likelihood = [](auto counts, auto rate) {
    auto const lambda = exp(rate);
#ifdef RIGHT
    return ad::density::poisson_lpmf(counts, mean(lambda));
#else
    return ad::density::poisson_lpmf(counts, lambda);  // <- here
#endif
};
auto v = ad::value_and_grad<1>(log_likelihood)(ad::tensor<int, 7>{}, ad::tensor<double, 2>{});
int main() {}
