// SPDX-License-Identifier: MIT
// Values of several registers: what is loaded and stored at an edge.

#include <cstdint>

#include <tapeless/simd/value.hpp>

#include "support/catch.hpp"

namespace detail = tapeless::detail;

namespace {

/// Loads and stores n lanes, `stride` apart; lanes beyond have to be as the first, and stay as they were in memory.
template <class T, int Registers>
int wrong_lanes(std::ptrdiff_t stride) {
    constexpr int L = detail::value<T, 64>::lanes, W = Registers * L;
    int wrong = 0;
    for (int n = 1; n <= W; ++n) {
        T from[4 * W], to[4 * W], all[W];
        for (int i = 0; i < 4 * W; ++i) {
            from[i] = static_cast<T>(i + 3);
            to[i] = static_cast<T>(-1);
        }
        detail::value<T, W> v;
        detail::load<true>(v, static_cast<T const*>(from), stride, n);
        detail::store<false>(v, all, 1, W);
        detail::store<true>(v, to, stride, n);
        for (int i = 0; i < W; ++i) wrong += all[i] != from[i < n ? i * stride : 0];
        for (int i = 0; i < 4 * W; ++i)
            wrong += to[i] != (i % stride == 0 && i / stride < n ? from[i] : static_cast<T>(-1));
    }
    return wrong;
}
template <class T>
int wrong_lanes() {
    return wrong_lanes<T, 1>(1) + wrong_lanes<T, 1>(3) + wrong_lanes<T, 4>(1) + wrong_lanes<T, 4>(2);
}

}  // namespace

TEST_CASE("simd: lanes beyond an edge are as the first, and are not stored") {
    CHECK(wrong_lanes<float>() == 0);
    CHECK(wrong_lanes<double>() == 0);
    CHECK(wrong_lanes<std::int32_t>() == 0);
    CHECK(wrong_lanes<std::int64_t>() == 0);
}
