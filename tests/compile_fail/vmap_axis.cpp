// SPDX-License-Identifier: MIT
// A number has no axis: it is the same for all items.
// expect: vmap_axis_out_of_range
// expect: is mapped along `whole`
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
ad::tensor<float, 4, 3> x;
#ifdef RIGHT
auto scaled() { return ad::vmap<0, ad::whole>([](auto a, auto s) { return s * a; })(x, 2.0f); }
#else
auto scaled() { return ad::vmap([](auto a, auto s) { return s * a; })(x, 2.0f); }
#endif
int main() {}
