// SPDX-License-Identifier: MIT
// Includes what is quickly read, and what reaches xsimd; with Eigen also that.
#include <tapeless/simd/batch.hpp>
#include <tapeless/tensor.hpp>
#if __has_include(<Eigen/Core>)
#include <tapeless/interop/eigen.hpp>
#endif

#include <cstdio>

int main() {
    tapeless::tensor<float, 2, 2> const x{{1, 2}, {3, 4}};
    std::printf("%d.%d.%d %g\n", tapeless::version.major, tapeless::version.minor, tapeless::version.patch,
                static_cast<double>(x(1, 0)));
    return tapeless::version ==
                   tapeless::version_number{TAPELESS_VERSION_MAJOR, TAPELESS_VERSION_MINOR, TAPELESS_VERSION_PATCH}
               ? 0
               : 1;
}
