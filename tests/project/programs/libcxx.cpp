// SPDX-License-Identifier: MIT
// The other standard library. Where it is not installed there is nothing to test.
// compiler: Clang
// needs: -stdlib=libc++
// flags: -stdlib=libc++
// prints: [2. 4.]
#include <tapeless/io/npy.hpp>
#include <tapeless/io/safetensors.hpp>
#include <tapeless/io/text.hpp>
#include <tapeless/tapeless.hpp>

#include <cstdio>
#include <vector>

namespace ad = tapeless;

int main() {
    std::vector<float> x{1, 2};
    auto const g = ad::grad<0>([](auto v) { return sum(v * v); })(x);
    std::printf("%s\n", ad::to_string(g).c_str());
}
