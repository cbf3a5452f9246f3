// SPDX-License-Identifier: MIT
#pragma once
// The loops of indexed operations: elements or whole rows picked from an array, or added up in one.

#include <tapeless/base/inline.hpp>
#include <tapeless/kernels/loop_nest.hpp>

namespace tapeless::detail::inline ops_part {

// ---- rows: n elements, the strides given ---------------------------------------------------------------------------

/// Loads and stores the whole batches of n elements, four at a time; returns where they end.
template <class T, class Load, class Store>
TAPELESS_CONFIG_INLINE inline std::int64_t each_batch(std::int64_t n, Load const& load, Store const& store) {
    constexpr int L = simd::lanes<T>;
    std::int64_t const fours = n / (4 * L) * (4 * L), whole = n / L * L;
    for (std::int64_t i = 0; i < fours; i += 4 * L) {
        simd::batch<T> const a = load(i), b = load(i + L), c = load(i + 2 * L), d = load(i + 3 * L);
        store(i, a), store(i + L, b), store(i + 2 * L, c), store(i + 3 * L, d);
    }
    for (std::int64_t i = fours; i < whole; i += L) store(i, load(i));
    return whole;
}

/// Both rows in one piece.
template <class T, class Build = simd::batch<T>>
TAPELESS_CONFIG_INLINE inline void copy_piece(T* to, T const* from, std::int64_t n) {
    constexpr std::int64_t piece = 64 / static_cast<std::int64_t>(sizeof(T));  // a copy of known size is no call
    std::int64_t const twos = n / (2 * piece) * (2 * piece), whole = n / piece * piece;
    for (std::int64_t i = 0; i < twos; i += 2 * piece) __builtin_memcpy(to + i, from + i, 128);
    if (twos < whole) __builtin_memcpy(to + twos, from + twos, 64);
    for (std::int64_t i = whole; i < n; ++i) to[i] = from[i];
}
template <class T, class Build = simd::batch<T>>
TAPELESS_CONFIG_INLINE inline void add_piece(T* to, T const* from, std::int64_t n) {
    std::int64_t const whole = each_batch<T>(
        n,
        [to, from](std::int64_t p)
            TAPELESS_CONFIG_INLINE { return simd::add(simd::load(to + p), simd::load(from + p)); },
        [to](std::int64_t p, simd::batch<T> const& v) TAPELESS_CONFIG_INLINE { simd::store(to + p, v); });
    for (std::int64_t i = whole; i < n; ++i) to[i] = static_cast<T>(to[i] + from[i]);
}
/// Rows of so few elements that a loop over them would cost more than they do.
template <int N, class T>
TAPELESS_CONFIG_INLINE inline void add_few(T* to, T const* from) {
    T sum[N];
#pragma GCC unroll 4
    for (int k = 0; k < N; ++k) sum[k] = static_cast<T>(to[k] + from[k]);
#pragma GCC unroll 4
    for (int k = 0; k < N; ++k) to[k] = sum[k];
}
/// One number in a piece.
template <class T, class Build = simd::batch<T>>
inline void fill_piece(T* to, T number, std::int64_t n) {
    std::int64_t const whole = each_batch<T>(
        n, [v = simd::batch<T>(number)](std::int64_t) TAPELESS_CONFIG_INLINE { return v; },
        [to](std::int64_t p, simd::batch<T> const& v) TAPELESS_CONFIG_INLINE { simd::store(to + p, v); });
    for (std::int64_t i = whole; i < n; ++i) to[i] = number;
}

template <class T, class Build = simd::batch<T>>
inline void copy_row(T* to, std::ptrdiff_t to_stride, T const* from, std::ptrdiff_t from_stride, std::int64_t n) {
    if (to_stride == 1 && from_stride == 1) return copy_piece(to, from, n);
    if (to_stride == 1 && from_stride == 0) return fill_piece(to, *from, n);
    for (std::int64_t i = 0; i < n; ++i, to += to_stride, from += from_stride) *to = *from;
}
template <class T, class Build = simd::batch<T>>
inline void add_row(T* to, std::ptrdiff_t to_stride, T const* from, std::ptrdiff_t from_stride, std::int64_t n) {
    if (to_stride == 1 && from_stride == 1) return add_piece(to, from, n);
    for (std::int64_t i = 0; i < n; ++i, to += to_stride, from += from_stride) *to = static_cast<T>(*to + *from);
}

/// All of an array; a number is an array whose strides are 0.
template <class T, class Build = simd::batch<T>>
void copy_array(strided const& to, strided const& from) {
    loop_nest<2> nest;
    for (int k = 0; k < to.rank; ++k) nest.add(to.extent[k], to.stride[k], from.stride[k]);
    nest.each(1, [&](std::ptrdiff_t const* at) {
        copy_row(to.as<T>() + at[0], nest.inner_stride(0), from.as<T const>() + at[1], nest.inner_stride(1),
                 nest.inner());
    });
}

// ---- where the element with an index lies --------------------------------------------------------------------------

/// Along one axis.
struct along_axis {
    std::ptrdiff_t stride;
    std::ptrdiff_t operator()(std::int64_t i) const { return i * stride; }
};
/// In the row-major order of all elements of an array with any strides.
struct in_row_major_order {
    strided const& array;
    std::ptrdiff_t operator()(std::int64_t i) const {
        std::ptrdiff_t offset = 0;
        for (int k = 0; k < array.rank; i /= array.extent[k++]) offset += i % array.extent[k] * array.stride[k];
        return offset;
    }
};
/// Calls f with the way to find elements of the flattened array.
template <class F, class Build = simd::batch<float>>
void with_flat_order(strided const& array, F&& f) {
    loop_nest<1> nest;
    for (int k = 0; k < array.rank; ++k) nest.add(array.extent[k], array.stride[k]);
    if (nest.axes <= 1) f(along_axis{nest.inner_stride(0)});
    else f(in_row_major_order{array});
}

// ---- elements and rows ---------------------------------------------------------------------------------------------

/// to[p] = from[p, where(index[p])] at every position of the nest; its arrays are `to`, `index` and `from`.
template <class T, class I, class Where, class Build = simd::batch<T>>
void pick_elements(loop_nest<3> const& nest, T* to, I const* index, T const* from, Where where) {
    std::ptrdiff_t const a = nest.inner_stride(0), b = nest.inner_stride(1), c = nest.inner_stride(2);
    std::int64_t const n = nest.inner();
    nest.each(1, [&](std::ptrdiff_t const* at) {
        T* const t = to + at[0];
        I const* const i = index + at[1];
        T const* const f = from + at[2];
        if (a == 1 && b == 1 && c == 0)
            for (std::int64_t p = 0; p < n; ++p) t[p] = f[where(static_cast<std::int64_t>(i[p]))];
        else
            for (std::int64_t p = 0; p < n; ++p) t[p * a] = f[p * c + where(static_cast<std::int64_t>(i[p * b]))];
    });
}
/// to[p, where(index[p])] += from[p] in the order of the positions; the arrays of the nest are `from`, `index` and
/// `to`.
template <class T, class I, class Where, class Build = simd::batch<T>>
void add_elements(loop_nest<3> const& nest, T const* from, I const* index, T* to, Where where, std::int64_t left_out) {
    std::ptrdiff_t const a = nest.inner_stride(0), b = nest.inner_stride(1), c = nest.inner_stride(2);
    std::int64_t const n = nest.inner();
    nest.each(1, [&](std::ptrdiff_t const* at) {
        for (std::int64_t p = 0; p < n; ++p) {
            auto const i = static_cast<std::int64_t>(index[at[1] + p * b]);
            if (i == left_out) continue;
            T& t = to[at[2] + p * c + where(i)];
            t = static_cast<T>(t + from[at[0] + p * a]);
        }
    });
}

/// How an array, the indices, and what is picked lie beside each other.
template <class Build = simd::batch<float>>
struct picked_rows {
    loop_nest<2> row;        ///< of what is picked, and of the array: the axes inside the indexed one
    loop_nest<3> positions;  ///< of what is picked, the indices, and the array: all other axes
    std::ptrdiff_t stride;   ///< of the indexed axis
    bool whole;              ///< rows lie in one piece on both sides

    picked_rows(strided const& picked, strided const& index, strided const& array, int axis)
        : stride(array.stride[axis]) {
        for (int k = 0; k < axis; ++k) row.add(array.extent[k], picked.stride[k], array.stride[k]);
        for (int k = 0; k < index.rank; ++k)
            positions.add(index.extent[k], picked.stride[axis + k], index.stride[k], 0);
        for (int k = axis + 1; k < array.rank; ++k)
            positions.add(array.extent[k], picked.stride[k + index.rank - 1], 0, array.stride[k]);
        whole = row.axes == 1 && row.stride[0][0] == 1 && row.stride[1][0] == 1;
    }
    bool is_element() const { return row.axes == 0 && !row.empty; }
    /// f(offset in what is picked, index, offset in the array without it) in order.
    template <class I, class F>
    void each(strided const& index, F f) const {
        std::int64_t const n = positions.inner();
        std::ptrdiff_t const a = positions.inner_stride(0), b = positions.inner_stride(1),
                             c = positions.inner_stride(2);
        // everything is captured by value, and so in registers: what is stored might otherwise be it
        positions.each(1, [n, a, b, c, f, data = index.as<I const>()](std::ptrdiff_t const* at) {
            I const* i = data + at[1];
            std::ptrdiff_t in_picked = at[0], in_array = at[2];
            for (std::int64_t p = 0; p < n; ++p, i += b, in_picked += a, in_array += c)
                f(in_picked, static_cast<std::int64_t>(*i), in_array);
        });
    }
};

/// Calls f(n) with a row's length as a constant where it is 2, 3 or 4 elements in one piece, such as a point. Otherwise
/// returns false.
template <class F, class Build = simd::batch<float>>
TAPELESS_CONFIG_INLINE inline bool with_short_row(picked_rows<> const& r, F f) {
    if (!r.whole || r.row.empty) return false;
    switch (r.row.inner()) {
    case 2: return f(std::integral_constant<int, 2>{}), true;
    case 3: return f(std::integral_constant<int, 3>{}), true;
    case 4: return f(std::integral_constant<int, 4>{}), true;
    default: return false;
    }
}

/// picked[..., i..., ...] = array[..., index[i...], ...]
template <class T, class I, class Build = simd::batch<T>>
void pick_rows(strided const& picked, strided const& index, strided const& array, int axis) {
    picked_rows<> const r(picked, index, array, axis);
    T* const to = picked.as<T>();
    T const* const from = array.as<T const>();
    if (r.is_element()) return pick_elements(r.positions, to, index.as<I const>(), from, along_axis{r.stride});
    auto const short_row = [&r, &index, to, from](auto n) TAPELESS_CONFIG_INLINE {
        constexpr std::size_t bytes = decltype(n)::value * sizeof(T);
        r.template each<I>(index, [to, from, stride = r.stride](std::ptrdiff_t at, std::int64_t i, std::ptrdiff_t base)
                                      TAPELESS_CONFIG_INLINE {
            __builtin_memcpy(to + at, from + base + i * stride, bytes);
        });
    };
    if (with_short_row(r, short_row)) return;
    r.template each<I>(index, [&r, to, from, stride = r.stride, length = r.whole ? r.row.inner() : 0](
                                  std::ptrdiff_t at, std::int64_t i, std::ptrdiff_t base) TAPELESS_CONFIG_INLINE {
        T const* const row = from + base + i * stride;
        if (length > 0) return copy_piece(to + at, row, length);
        r.row.each(1, [&](std::ptrdiff_t const* in) {
            copy_row(to + at + in[0], r.row.inner_stride(0), row + in[1], r.row.inner_stride(1), r.row.inner());
        });
    });
}
/// array[..., index[i...], ...] += picked[..., i..., ...]; rows whose index is `left_out` are not.
template <class T, class I, class Build = simd::batch<T>>
void add_rows(strided const& array, strided const& index, strided const& picked, int axis, std::int64_t left_out) {
    picked_rows<> const r(picked, index, array, axis);
    T* const to = array.as<T>();
    T const* const from = picked.as<T const>();
    if (r.is_element()) return add_elements(r.positions, from, index.as<I const>(), to, along_axis{r.stride}, left_out);
    auto const short_row = [&r, &index, to, from, left_out](auto n) TAPELESS_CONFIG_INLINE {
        constexpr int length = decltype(n)::value;
        r.template each<I>(index, [to, from, left_out, stride = r.stride](
                                      std::ptrdiff_t at, std::int64_t i, std::ptrdiff_t base) TAPELESS_CONFIG_INLINE {
            if (i != left_out) add_few<length>(to + base + i * stride, from + at);
        });
    };
    if (with_short_row(r, short_row)) return;
    r.template each<I>(index, [&r, to, from, left_out, stride = r.stride, length = r.whole ? r.row.inner() : 0](
                                  std::ptrdiff_t at, std::int64_t i, std::ptrdiff_t base) TAPELESS_CONFIG_INLINE {
        if (i == left_out) return;
        T* const row = to + base + i * stride;
        if (length > 0) return add_piece(row, from + at, length);
        r.row.each(1, [&](std::ptrdiff_t const* in) {
            add_row(row + in[1], r.row.inner_stride(1), from + at + in[0], r.row.inner_stride(0), r.row.inner());
        });
    });
}

}  // namespace tapeless::detail::ops_part
