// SPDX-License-Identifier: MIT
// What stands in the output of einsum stands in an operand.
// expect: einsum: the output has a letter that no operand has
// expect: einsum_output_letter_unknown<'k'>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return sum(einsum<"ij->ji">(a));
#else
    return sum(einsum<"ij->ik">(a));
#endif
};
auto g = ad::grad<0>(f)(ad::tensor<float, 2, 3>{});
int main() {}
