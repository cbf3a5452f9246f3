// SPDX-License-Identifier: MIT
// function: its copies have callables of their own.
// expect: function_of_something_that_cannot_be_copied<
#include <tapeless/tensor.hpp>
namespace ad = tapeless;
struct scale {
    scale() = default;
    scale(scale&&) = default;
#ifdef RIGHT
    scale(scale const&) = default;
#endif
    double operator()(double x) const { return 2 * x; }
};
int main() {
    ad::function<double(double)> f = scale{};
    return f == nullptr;
}
