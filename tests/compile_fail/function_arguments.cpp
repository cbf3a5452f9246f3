// SPDX-License-Identifier: MIT
// function: the callable takes what the signature says.
// expect: function_cannot_be_called
// expect: the callable cannot be called with Args...
#include <tapeless/tensor.hpp>
namespace ad = tapeless;
using row = ad::tensor<float, 3>;
int main() {
#ifdef RIGHT
    ad::function<float(row, float)> f = [](row const& x, float scale) { return scale * x(0); };
#else
    ad::function<float(row, row)> f = [](row const& x, float scale) { return scale * x(0); };
#endif
    return f == nullptr;
}
