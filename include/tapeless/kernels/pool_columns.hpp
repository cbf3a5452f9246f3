// SPDX-License-Identifier: MIT
#pragma once
// Windows over rows of an image: which elements are under them, and what rows and columns come to.

#include <bit>
#include <limits>
#include <utility>

#include <tapeless/kernels/blocks.hpp>
#include <tapeless/kernels/windows.hpp>
#include <tapeless/simd/pairs.hpp>
#include <tapeless/simd/value.hpp>

namespace tapeless::detail::inline kernels_part {

/// The windows along one axis (from the right).
struct pool_axis {
    std::int64_t in = 1, out = 1, size = 1, stride = 1, dilation = 1, before = 0;
    bool adaptive = false;  ///< window i covers the elements from floor(i in / out) on, before ceil((i + 1) in / out)
    bool counts_padding = true;  ///< of means: zeros around the array count as elements

    /// The first element under window i, the one behind the last, and how many elements it counts as.
    std::int64_t begin(std::int64_t i) const {
        if (adaptive) return i * in / out;
        std::int64_t const b = i * stride - before;
        return b >= 0 ? b : b + (-b + dilation - 1) / dilation * dilation;
    }
    std::int64_t end(std::int64_t i) const {
        if (adaptive) return ((i + 1) * in + out - 1) / out;
        std::int64_t const e = i * stride - before + (size - 1) * dilation + 1;
        return e < in ? e : in;
    }
    std::int64_t count(std::int64_t i) const {
        if (adaptive || !counts_padding) return end(i) - begin(i);
        std::int64_t const b = i * stride - before, e = b + size;
        return (e < in + before ? e : in + before) - b;
    }
    /// The windows that count as many elements as they are long: from `first` to `last` - 1.
    std::int64_t first_whole() const { return counts_padding ? 0 : (before + stride - 1) / stride; }
    std::int64_t last_whole() const {
        std::int64_t const left = in + before + (counts_padding ? before : 0) - size;
        std::int64_t const n = left < 0 ? 0 : left / stride + 1;
        return n < out ? n : out;
    }
    std::int64_t span() const { return (size - 1) * dilation + 1; }
};

/// Some windows of a row, and the columns under them: those from `from` to `to` - 1 are in the image.
template <class T>
struct pool_columns {
    static constexpr int most = 512, L = simd::lanes<T>;
    static constexpr int room = most + 2 * L;  ///< whole batches are read and written past the end
    std::int64_t first, count;                 ///< windows
    std::int64_t column, width, from, to;

    pool_columns(pool_axis const& a, std::int64_t window, std::int64_t windows) : first(window), count(windows) {
        column = first * a.stride - a.before;
        width = (count - 1) * a.stride + a.span();
        from = column < 0 ? (-column < width ? -column : width) : 0;
        std::int64_t const inside = a.in - column;
        to = inside < from ? from : inside < width ? inside : width;
    }
    static bool fits(pool_axis const& a) { return !a.adaptive && a.span() <= most / 2; }
    /// f(columns) for all windows of a row, some at a time.
    template <class F>
    static void each(pool_axis const& a, F const& f) {
        std::int64_t const some = (most - a.span()) / a.stride + 1;
        for (std::int64_t w = 0; w < a.out; w += some) f(pool_columns(a, w, a.out - w < some ? a.out - w : some));
    }
    /// f(place, lanes) for batches of the columns in the image.
    template <class F>
    TAPELESS_CONFIG_INLINE void each_inside(F const& f) const {
        std::int64_t const end = to;  // a copy: f may write anywhere, for all the compiler knows
        std::int64_t i = from;
        for (; i + L <= end; i += L) f(i, L);
        if (i < end) f(i, static_cast<int>(end - i));
    }
    /// And of the windows.
    template <class F>
    TAPELESS_CONFIG_INLINE void each_window(F const& f) const {
        std::int64_t const end = count;
        std::int64_t i = 0;
        for (; i + L <= end; i += L) f(i, L);
        if (i < end) f(i, static_cast<int>(end - i));
    }
    void fill_inside(T* row, T value) const {
        for (std::int64_t i = from; i < to; ++i) row[i] = value;
    }
    /// The columns around the image.
    void fill_around(T* row, T value) const {
        for (std::int64_t i = 0; i < from; ++i) row[i] = value;
        for (std::int64_t i = to; i < width; ++i) row[i] = value;
    }
};

namespace pool_detail {

template <class T>
TAPELESS_CONFIG_INLINE inline simd::batch<T> load_some(T const* p, int n) {
    return n == simd::lanes<T> ? simd::load(p) : simd::load_partial(p, n);
}
template <class T>
TAPELESS_CONFIG_INLINE inline void store_some(T* p, std::ptrdiff_t stride, simd::batch<T> v, int n) {
    if (stride != 1) simd::store_strided(p, stride, v, n);
    else if (n == simd::lanes<T>) simd::store(p, v);
    else simd::store_partial(p, v, n);
}
using simd::load_in_turn;
using simd::detail::even_lanes;
using simd::detail::in_turn;
using simd::detail::odd_lanes;
using simd::detail::twice;
/// Half of the lanes, which are not negative, as integers of twice the width: the first half, or the other.
template <int Half, class V, std::size_t... I>
TAPELESS_CONFIG_INLINE inline V widened(V a, std::index_sequence<I...>) {
    constexpr int n = static_cast<int>(sizeof...(I));
    return __builtin_shufflevector(a, V{}, (I % 2 ? n : Half * n / 2 + static_cast<int>(I) / 2)...);
}
/// The numbers that a batch holds as integers: place + l step is added to that of lane l.
template <class T>
TAPELESS_CONFIG_INLINE inline void store_places(std::int64_t* to, simd::batch<T> v, std::int64_t place,
                                                std::int64_t step) {
    constexpr int L = simd::lanes<T>, some = simd::lanes<double>;
    using integers = simd::detail::ivec<double>;
    auto const whole = __builtin_convertvector(simd::detail::raw(v), simd::detail::ivec<T>);
    integers part[static_cast<std::size_t>(L / some)];
    if constexpr (L == some) {
        part[0] = whole;
    } else {
        constexpr auto each_lane = std::make_index_sequence<static_cast<std::size_t>(L)>{};
        part[0] = std::bit_cast<integers>(widened<0>(whole, each_lane));
        part[1] = std::bit_cast<integers>(widened<1>(whole, each_lane));
    }
    integers count{};
    for (int l = 0; l < some; ++l) count[l] = l;
    count = count * step + place;
#pragma GCC unroll 4
    for (int i = 0; i < L / some; ++i) {
        integers const p = part[i] + (count + i * some * step);
        __builtin_memcpy(to + i * some, &p, sizeof p);
    }
}
/// n elements, `stride` apart: any number, 0 and negative ones too.
template <class T>
TAPELESS_CONFIG_INLINE inline simd::batch<T> every(T const* p, std::ptrdiff_t stride, int n) {
    constexpr int L = simd::lanes<T>;
    if (n == L && stride == 1) return simd::load(p);
    if (n < L || stride != 2) return simd::load_strided(p, stride, n);
    return simd::detail::wrap<T>(even_lanes(simd::detail::raw(simd::load(p)), simd::detail::raw(simd::load(p + L)),
                                            std::make_index_sequence<static_cast<std::size_t>(L)>{}));
}

inline std::int64_t rows_under(pool_axis const* a) {
    auto const most = [](pool_axis const& p) { return p.adaptive ? p.in / p.out + 2 : p.size; };
    return most(a[1]) * most(a[2]);
}
}  // namespace pool_detail

}  // namespace tapeless::detail::kernels_part
