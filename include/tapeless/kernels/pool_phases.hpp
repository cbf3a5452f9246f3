// SPDX-License-Identifier: MIT
#pragma once
// Rows under windows, combined: columns of even and odd numbers are kept apart where windows go two steps at a time, so
// that what a tap reads for neighbouring windows lies side by side.

#include <tapeless/kernels/pool_stream.hpp>

namespace tapeless::detail::inline kernels_part {

/// Some columns of a row: column i is at[i % Stride][i / Stride].
template <class T, int Stride>
struct phase_row {
    static constexpr int L = simd::lanes<T>;
    static constexpr int room = pool_columns<T>::most / Stride + 3 * L;  ///< whole batches are written past the end
    T at[static_cast<std::size_t>(Stride)][static_cast<std::size_t>(room)];

    TAPELESS_CONFIG_INLINE T* place(std::int64_t i) { return at[i % Stride] + i / Stride; }
    TAPELESS_CONFIG_INLINE T const* place(std::int64_t i) const { return at[i % Stride] + i / Stride; }
    void fill(std::int64_t from, std::int64_t to, T value) {
        for (std::int64_t i = from; i < to; ++i) *place(i) = value;
    }
};

namespace pool_detail {

/// Columns i ... i + lanes - 1 of a row, at most Stride batches, to where they belong; `combine` with what is there.
template <bool First, int Stride, class T, class Load, class F>
TAPELESS_CONFIG_INLINE inline void put_columns(T* p, [[maybe_unused]] T* q, std::int64_t i, int lanes, Load const& load,
                                               F const& combine) {
    constexpr int L = simd::lanes<T>;
    auto const leave = [&](T* to, simd::batch<T> v) TAPELESS_CONFIG_INLINE {
        if constexpr (!First) v = combine(simd::load(static_cast<T const*>(to)), v);
        simd::store(to, v);
    };
    simd::batch<T> const v = load(i, lanes < L ? lanes : L);
    if constexpr (Stride == 1) {
        leave(p, v);
    } else {
        constexpr auto each_lane = std::make_index_sequence<static_cast<std::size_t>(L)>{};
        simd::batch<T> const u = lanes > L ? load(i + L, lanes - L) : v;
        leave(p, simd::detail::wrap<T>(even_lanes(simd::detail::raw(v), simd::detail::raw(u), each_lane)));
        leave(q, simd::detail::wrap<T>(odd_lanes(simd::detail::raw(v), simd::detail::raw(u), each_lane)));
    }
}
/// Columns from ... end - 1, which `load(i, lanes)` gives, to a row. Where it is the first that is put there, the last
/// batches may be put there once more.
template <bool First, int Stride, class T, class Load, class F>
TAPELESS_CONFIG_INLINE inline void put_row(phase_row<T, Stride>& to, std::int64_t from, std::int64_t end,
                                           Load const& load, F const& combine) {
    constexpr int W = Stride * simd::lanes<T>;
    T *p = to.place(from), *q = to.place(from + 1);
    std::int64_t i = from;
    for (; i + W <= end; i += W, p += W / Stride, q += W / Stride)
        put_columns<First, Stride>(p, q, i, W, load, combine);
    if (i == end) return;
    if (First && end - from >= W)
        put_columns<First, Stride>(to.place(end - W), to.place(end - W + 1), end - W, W, load, combine);
    else put_columns<First, Stride>(p, q, i, static_cast<int>(end - i), load, combine);
}

/// to = the rows under the windows of plane d, row h combined, `around` in the columns that are not in the image and
/// where there are no rows.
template <int Stride, class T, class F>
TAPELESS_CONFIG_INLINE inline void combine_rows(images<T const> const& x, T const* image, pool_axis const* a,
                                                pool_columns<T> const& w, std::int64_t d, std::int64_t h,
                                                phase_row<T, Stride>& to, T around, F const& combine) {
    constexpr int some = 4;  // rows at a time
    T const* row[some];
    int there = 0;
    bool first = true;
    auto const take = [&]<std::size_t I>(index<I>) TAPELESS_CONFIG_INLINE {
        constexpr int N = index<I>::i;
        T const* at[I + 1];
#pragma GCC unroll 4
        for (int r = 0; r <= N; ++r) at[r] = row[r];
        auto const load = [&](std::int64_t i, int lanes) TAPELESS_CONFIG_INLINE {
            simd::batch<T> v = load_some(at[0] + i, lanes);
#pragma GCC unroll 4
            for (int r = 0; r < N; ++r) v = combine(v, load_some(at[r + 1] + i, lanes));
            return v;
        };
        if (first) put_row<true, Stride>(to, w.from, w.to, load, combine);
        else if constexpr (N + 1 == some) put_row<false, Stride>(to, w.from, w.to, load, combine);
        first = false;
    };
    auto const add_one = [&](T const* r) TAPELESS_CONFIG_INLINE {
        put_row<false, Stride>(
            to, w.from, w.to, [&](std::int64_t i, int lanes) TAPELESS_CONFIG_INLINE { return load_some(r + i, lanes); },
            combine);
    };
    std::int64_t const d1 = a[2].end(d), h0 = a[1].begin(h), h1 = a[1].end(h);
    for (std::int64_t i = a[2].begin(d); i < d1; i += a[2].dilation)
        for (std::int64_t j = h0; j < h1; j += a[1].dilation) {
            row[there++] = image + i * x.step[2] + j * x.step[1] + w.column;
            if (there == some) take(index<some - 1>{}), there = 0;
        }
    if (first) {
        if (there == 3) take(index<2>{});
        else if (there == 2) take(index<1>{});
        else if (there == 1) take(index<0>{});
        else to.fill(w.from, w.to, around);
    } else {
        for (int r = 0; r < there; ++r) add_one(row[r]);
    }
    to.fill(0, w.from, around);
    to.fill(w.to, w.width, around);
}

/// f(number of the first window, value, lanes): the columns under windows combined.
template <int Stride, class T, class F, class G>
TAPELESS_CONFIG_INLINE inline void combine_columns(phase_row<T, Stride> const& row, pool_axis const& a,
                                                   std::int64_t count, F const& combine, G const& f) {
    constexpr int L = simd::lanes<T>;
    auto const some = [&](std::int64_t i, int n) TAPELESS_CONFIG_INLINE {
        simd::batch<T> v;
        if (Stride == 2 || a.stride == 1) {
            v = simd::load(row.at[0] + i);
            for (std::int64_t k = 1; k < a.size; ++k) v = combine(v, simd::load(row.place(k * a.dilation) + i));
        } else {
            T const* const p = row.at[0] + i * a.stride;
            v = every(p, a.stride, n);
            for (std::int64_t k = 1; k < a.size; ++k) v = combine(v, every(p + k * a.dilation, a.stride, n));
        }
        f(i, v, n);
    };
    std::int64_t i = 0;
    for (; i + L <= count; i += L) some(i, L);
    if (i == count) return;
    if (count >= L) some(count - L, L);  // the last windows: some of them once more
    else some(0, static_cast<int>(count));
}
/// f(steps from one window to the next) as a constant: 2, or 1 for any other.
template <class F>
void with_known_stride(pool_axis const& a, F const& f) {
    if (a.stride == 2) f(index<2>{});
    else f(index<1>{});
}
}  // namespace pool_detail

/// How many elements the windows of some columns count as.
template <class T>
struct window_counts {
    T columns[static_cast<std::size_t>(pool_columns<T>::room)];

    window_counts(pool_axis const& a, pool_columns<T> const& w) {
        for (std::int64_t i = 0; i < w.count; ++i) columns[i] = static_cast<T>(a.count(w.first + i));
        for (std::int64_t i = w.count; i < w.count + simd::lanes<T>; ++i) columns[i] = T(1);
    }
    /// v / what windows i, i + 1, ... of so many rows count as.
    TAPELESS_CONFIG_INLINE simd::batch<T> divide(simd::batch<T> v, simd::batch<T> rows, std::int64_t i) const {
        return v / (rows * simd::load(columns + i));
    }
};

}  // namespace tapeless::detail::kernels_part
