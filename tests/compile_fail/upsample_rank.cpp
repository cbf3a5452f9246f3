// SPDX-License-Identifier: MIT
// A matrix has no channels; upsample is named.
// expect: pooling_needs_another_rank<
// expect-GNU: "upsample"
// expect-Clang: upsample_nearest<
// expect: shape<3>
#include <tapeless/tapeless.hpp>
namespace ad = tapeless;
auto larger = [](auto image) {
#ifdef RIGHT
    auto const stretched = ad::upsample_nearest<6, 6>(ad::reshape<1, 3, 1>(image));
#else
    auto const stretched = ad::upsample_nearest<6, 6>(image);  // <- here
#endif
    return mean(stretched);
};
auto y = ad::evaluate(larger, ad::tensor<float, 3>{});
int main() {}
