// SPDX-License-Identifier: MIT
#pragma once
// The transpose of max pooling: what stands at windows goes to the largest element under each, which is found again.

#include <tapeless/kernels/pool.hpp>

namespace tapeless::detail {

/// Each of n numbers to the largest of its two by two elements of two rows of `width`, zeros elsewhere.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void spread_to_pairs(T const* from, T const* above, T const* below, std::int64_t n, T* to_above,
                                       T* to_below, std::int64_t width) {
    using namespace pool_detail;
    using batch = simd::batch<T>;
    constexpr int L = simd::lanes<T>;
    constexpr auto each_lane = std::make_index_sequence<static_cast<std::size_t>(L)>{};
    using bits = simd::detail::ivec<T>;
    auto const leave = [&](T* p, bits even, bits odd) TAPELESS_CONFIG_INLINE {
        bits const first = in_turn<0>(even, odd, each_lane), other = in_turn<L / 2>(even, odd, each_lane);
        __builtin_memcpy(p, &first, sizeof first);
        __builtin_memcpy(p + L, &other, sizeof other);
    };
    auto const is_better = [](batch v, batch u) TAPELESS_CONFIG_INLINE { return simd::detail::raw(is_above<T>(v, u)); };
    auto const choose = [](bits m, batch v, batch u)
                            TAPELESS_CONFIG_INLINE { return simd::select(simd::detail::wrap_mask<T>(m), v, u); };
    for (std::int64_t i = 0; i < n; i += L) {
        if (i > n - L) i = n - L;  // the last windows: some of them once more
        batch a, b, c, d;
        load_in_turn(above + 2 * i, a, b);
        load_in_turn(below + 2 * i, c, d);
        bits const g = std::bit_cast<bits>(simd::detail::raw(simd::load(from + i)));
        bits const second = is_better(b, a), fourth = is_better(d, c);
        bits const lower = is_better(choose(fourth, d, c), choose(second, b, a));
        bits const up = g & ~lower, down = g & lower;
        leave(to_above + 2 * i, up & ~second, up & second);
        leave(to_below + 2 * i, down & ~fourth, down & fourth);
    }
    for (std::int64_t i = 2 * n; i < width; ++i) to_above[i] = to_below[i] = T(0);
}

/// to(pixel) = the sum of y(window) over the windows under which x(pixel) is the largest element, the first of several,
/// NaN above all.
template <class T, class Build = simd::batch<T>>
void spread_to_largest(images<T const> const& y, images<T const> const& x, images<T> const& to, pool_axis const* a) {
    bool const pairs = are_pairs(a) && x.step[0] == 1 && y.step[0] == 1 && to.step[0] == 1;
    for (std::int64_t n = 0; n < x.items; ++n)
        for (std::int64_t c = 0; c < x.channels; ++c) {
            T const *const image = x.data + n * x.item + c * x.channel, *const from =
                                                                            y.data + n * y.item + c * y.channel;
            T* const to_image = to.data + n * to.item + c * to.channel;
            if (pairs) {
                for (std::int64_t h = 0; h < a[1].out; ++h) {
                    T const* const above = image + 2 * h * x.step[1];
                    T* const row = to_image + 2 * h * to.step[1];
                    spread_to_pairs<T>(from + h * y.step[1], above, above + x.step[1], a[0].out, row, row + to.step[1],
                                       a[0].in);
                }
                for (std::int64_t h = 2 * a[1].out; h < a[1].in; ++h)
                    for (std::int64_t i = 0; i < a[0].in; ++i) to_image[h * to.step[1] + i] = T(0);
                continue;
            }
            each_pixel(to, to_image, [](T& v) { v = T(0); });
            each_window(a, [&](std::int64_t d, std::int64_t h, std::int64_t w) {
                largest_element<T> const l = largest_under(x, image, a, d, h, w);
                to_image[l.plane * to.step[2] + l.row * to.step[1] + l.column * to.step[0]] +=
                    from[d * y.step[2] + h * y.step[1] + w * y.step[0]];
            });
        }
}

}  // namespace tapeless::detail
