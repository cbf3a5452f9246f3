// SPDX-License-Identifier: MIT
// function: calling one is not const, so its signature is not either.
// expect: function: write a signature without const or noexcept
#include <tapeless/tensor.hpp>
namespace ad = tapeless;
int main() {
#ifdef RIGHT
    ad::function<double(double)> f;
#else
    ad::function<double(double) const> f;
#endif
    return sizeof(f) == 0;
}
