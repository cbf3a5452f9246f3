// SPDX-License-Identifier: MIT
// Results are expressions: a number in the tuple would be the same for all arguments.
// expect: returns an expression of its arguments, or a tuple
// expect: a plain number is none
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto f = [](auto a) {
#ifdef RIGHT
    return std::tuple(sum(a), 2.0 * a);
#else
    return std::tuple(sum(a), 2.0);
#endif
};
auto g = ad::evaluate(f, ad::tensor<float, 3, 4>{});
int main() {}
