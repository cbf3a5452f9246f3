// SPDX-License-Identifier: MIT
#pragma once
// The loops of indexed operations: elements or whole rows picked from an array, or added up in one.

#include <tapeless/core/strided.hpp>
#include <tapeless/simd/simd.hpp>

namespace tapeless::detail {

// ---- rows: n elements, the strides given ---------------------------------------------------------------------------

template <class T>
inline void copy_row(T* to, std::ptrdiff_t to_stride, T const* from, std::ptrdiff_t from_stride, std::int64_t n) {
    constexpr int L = simd::lanes<T>;
    std::int64_t i = 0;
    if (to_stride == 1 && from_stride == 1) {
        for (; i + L <= n; i += L) simd::store(to + i, simd::load(from + i));
    } else if (to_stride == 1 && from_stride == 0) {
        for (simd::batch<T> const v(*from); i + L <= n; i += L) simd::store(to + i, v);
    }
    for (; i < n; ++i) to[i * to_stride] = from[i * from_stride];
}
template <class T>
inline void add_row(T* to, std::ptrdiff_t to_stride, T const* from, std::ptrdiff_t from_stride, std::int64_t n) {
    constexpr int L = simd::lanes<T>;
    std::int64_t i = 0;
    if (to_stride == 1 && from_stride == 1) {
        for (; i + L <= n; i += L) simd::store(to + i, simd::add(simd::load(to + i), simd::load(from + i)));
    } else if (to_stride == 1 && from_stride == 0) {
        for (simd::batch<T> const v(*from); i + L <= n; i += L) simd::store(to + i, simd::add(simd::load(to + i), v));
    }
    for (; i < n; ++i) to[i * to_stride] = static_cast<T>(to[i * to_stride] + from[i * from_stride]);
}

/// All of an array; a number is an array whose strides are 0.
template <class T>
void copy_array(strided const& to, strided const& from) {
    loop_nest<2> nest;
    for (int k = 0; k < to.rank; ++k) nest.add(to.extent[k], to.stride[k], from.stride[k]);
    nest.each(1, [&](std::ptrdiff_t const* at) {
        copy_row(to.as<T>() + at[0], nest.inner_stride(0), from.as<T const>() + at[1], nest.inner_stride(1), nest.inner());
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
template <class F>
void with_flat_order(strided const& array, F&& f) {
    loop_nest<1> nest;
    for (int k = 0; k < array.rank; ++k) nest.add(array.extent[k], array.stride[k]);
    if (nest.axes <= 1) f(along_axis{nest.inner_stride(0)});
    else f(in_row_major_order{array});
}

// ---- elements and rows ---------------------------------------------------------------------------------------------

/// to[p] = from[p, where(index[p])] at every position of the nest; its arrays are `to`, `index` and `from`.
template <class T, class I, class Where>
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
/// to[p, where(index[p])] += from[p] in the order of the positions; the arrays of the nest are `from`, `index` and `to`.
template <class T, class I, class Where>
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
struct picked_rows {
    loop_nest<2> row;        ///< of what is picked, and of the array: the axes inside the indexed one
    loop_nest<3> positions;  ///< of what is picked, the indices, and the array: all other axes
    std::ptrdiff_t stride;   ///< of the indexed axis

    picked_rows(strided const& picked, strided const& index, strided const& array, int axis) : stride(array.stride[axis]) {
        for (int k = 0; k < axis; ++k) row.add(array.extent[k], picked.stride[k], array.stride[k]);
        for (int k = 0; k < index.rank; ++k) positions.add(index.extent[k], picked.stride[axis + k], index.stride[k], 0);
        for (int k = axis + 1; k < array.rank; ++k) positions.add(array.extent[k], picked.stride[k + index.rank - 1], 0, array.stride[k]);
    }
};

/// picked[..., i..., ...] = array[..., index[i...], ...]
template <class T, class I>
void pick_rows(strided const& picked, strided const& index, strided const& array, int axis) {
    picked_rows const r(picked, index, array, axis);
    T *const to = picked.as<T>(), *const from = array.as<T>();
    if (r.row.axes == 0 && !r.row.empty) return pick_elements(r.positions, to, index.as<I const>(), static_cast<T const*>(from), along_axis{r.stride});
    r.positions.each(0, [&](std::ptrdiff_t const* at) {
        std::ptrdiff_t const source = at[2] + static_cast<std::ptrdiff_t>(index.as<I const>()[at[1]]) * r.stride;
        r.row.each(1, [&](std::ptrdiff_t const* in) {
            copy_row(to + at[0] + in[0], r.row.inner_stride(0), static_cast<T const*>(from + source + in[1]), r.row.inner_stride(1), r.row.inner());
        });
    });
}
/// array[..., index[i...], ...] += picked[..., i..., ...]; rows whose index is `left_out` are not.
template <class T, class I>
void add_rows(strided const& array, strided const& index, strided const& picked, int axis, std::int64_t left_out) {
    picked_rows const r(picked, index, array, axis);
    T *const to = array.as<T>(), *const from = picked.as<T>();
    if (r.row.axes == 0 && !r.row.empty)
        return add_elements(r.positions, static_cast<T const*>(from), index.as<I const>(), to, along_axis{r.stride}, left_out);
    r.positions.each(0, [&](std::ptrdiff_t const* at) {
        auto const i = static_cast<std::int64_t>(index.as<I const>()[at[1]]);
        if (i == left_out) return;
        r.row.each(1, [&](std::ptrdiff_t const* in) {
            add_row(to + at[2] + i * r.stride + in[1], r.row.inner_stride(1), static_cast<T const*>(from + at[0] + in[0]), r.row.inner_stride(0), r.row.inner());
        });
    });
}

}  // namespace tapeless::detail
