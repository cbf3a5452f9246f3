// SPDX-License-Identifier: MIT
// Behind the pointer of a view stands one length for each of its run-time axes.
// expect: deleted
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
int main() {
    double numbers[6] = {};
#ifdef RIGHT
    ad::view<double, ad::dyn, ad::dyn> x(numbers, 2, 3);
#else
    ad::view<double, ad::dyn, ad::dyn> x(numbers, 2);
#endif
    return x.extent(0) == 2;
}
