// SPDX-License-Identifier: MIT
#pragma once
// Sorting along an axis: argsort, sort, topk. Values are gathered by the indices, through which the gradient goes back.

#include <tapeless/kernels/loop_nest.hpp>
#include <tapeless/ops/extremes.hpp>
#include <tapeless/ops/indexed.hpp>
#include <tapeless/ops/slice.hpp>

namespace tapeless {

/// Refuses to take more elements than there are.
template <class Shape, int Axis, int K>
struct topk_beyond_the_axis {
    static_assert(never<Shape>, "topk<axis, k>(x): k is at least 1, and the axis has at least k elements");
};

namespace detail::inline ops_part {

/// Indices 0 ... n - 1 by what is before what, a strict order: runs of 8 by insertion, then merged two at a time.
/// `from` and `spare` have n elements each; returns the one that holds the result.
template <class Before>
std::int64_t* sort_indices(std::int64_t* from, std::int64_t* spare, std::int64_t n, Before const& before) {
    constexpr std::int64_t run = 8;
    for (std::int64_t first = 0; first < n; first += run) {
        std::int64_t const end = first + run < n ? first + run : n;
        for (std::int64_t i = first; i < end; ++i) {
            std::int64_t k = i;
            for (; k > first && before(i, from[k - 1]); --k) from[k] = from[k - 1];
            from[k] = i;
        }
    }
    for (std::int64_t width = run; width < n; width *= 2) {
        for (std::int64_t first = 0; first < n; first += 2 * width) {
            std::int64_t const middle = first + width < n ? first + width : n,
                               end = middle + width < n ? middle + width : n;
            std::int64_t a = first, b = middle;
            for (std::int64_t k = first; k < end; ++k)
                spare[k] = a < middle && (b == end || !before(from[b], from[a])) ? from[a++] : from[b++];
        }
        std::int64_t* const sorted = spare;
        spare = from;
        from = sorted;
    }
    return from;
}
/// The first k of them alone, where k is small: what comes later has to be before the last of those.
template <class Before>
void first_indices(std::int64_t* to, std::int64_t k, std::int64_t n, Before const& before) {
    std::int64_t have = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        if (have == k && !before(i, to[k - 1])) continue;
        std::int64_t at = have < k ? have++ : k - 1;
        for (; at > 0 && before(i, to[at - 1]); --at) to[at] = to[at - 1];
        to[at] = i;
    }
}

/// The indices that sort x along the axis in attr.axes, descending where the number is 1: all of them, or the first
/// attr.offset. Equal elements stay in order; NaN counts as the largest.
struct argsort_op : custom_loop<"sort"> {
    static constexpr bool takes_leading_axes = true, differentiable = false;
    static constexpr loop_cut cut(attribute const& at, int rank, int) { return cut_beside(at.axes, rank, 1 << 12); }
    template <class... T>
    static constexpr int scratch_element = 2 * static_cast<int>(sizeof(std::int64_t));
    template <class...>
    using result = std::int64_t;
    static constexpr dims shape(builder& b, node const& n) {
        dims d = b.shape_of(n.in[0]);
        if (n.attr.offset > 0) d.extent[d.rank - 1 - static_cast<int>(n.attr.axes)] = n.attr.offset;
        return d;
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* outs, attribute const& at, void* scratch) {
        strided const &x = in[0], &out = outs[0];
        int const axis = static_cast<int>(at.axes);
        std::int64_t const n = x.extent[axis], k = out.extent[axis];
        if (k == 0) return;
        std::ptrdiff_t const step = x.stride[axis];
        auto* const room = static_cast<std::int64_t*>(scratch);
        loop_nest<2> others;
        for (int a = 0; a < x.rank; ++a)
            if (a != axis) others.add(x.extent[a], out.stride[a], x.stride[a]);
        others.each(0, [&](std::ptrdiff_t const* p) {
            T const* const row = x.as<T const>() + p[1];
            auto smaller = [](T a, T b) { return a < b || (b != b && a == a); };
            auto order = [&](auto const& before) {
                std::int64_t* sorted = room;
                if (k <= 16 && k < n) first_indices(room, k, n, before);
                else sorted = sort_indices(room, room + n, n, before);
                std::int64_t* const to = out.as<std::int64_t>() + p[0];
                for (std::int64_t i = 0; i < k; ++i) to[i * out.stride[axis]] = sorted[i];
            };
            auto ties = [](std::int64_t i, std::int64_t j, bool is, bool other) { return is || (!other && i < j); };
            if (at.number == 0)
                order([&](std::int64_t i, std::int64_t j) {
                    return ties(i, j, smaller(row[i * step], row[j * step]), smaller(row[j * step], row[i * step]));
                });
            else
                order([&](std::int64_t i, std::int64_t j) {
                    return ties(i, j, smaller(row[j * step], row[i * step]), smaller(row[i * step], row[j * step]));
                });
        });
    }
};

/// The shape of X with K elements along an axis (0: all).
template <class X, int Axis, int K>
struct sorted_shape {
    static constexpr dims compute() {
        dims d = dims_of<X>();
        if (K > 0) d.extent[Axis < 0 ? Axis + X::rank : Axis] = K;
        return d;
    }
    static constexpr dims value = compute();
    using type = typename shape_from<sorted_shape, X>::type;
};

template <int Axis, int K, class A>
constexpr auto sorted_indices(A const& x, bool descending) {
    using T = typename A::value_type;
    using S = typename A::shape_type;
    static_assert(!is_flag<T>, "sort: convert a mask with cast<T>(...)");
    builder& b = *x.graph;
    dims const d = b.shape_of(x.id);
    int const axis = axis_from_right(Axis, d.rank);
    dims row;
    row.rank = 1;
    row.extent[0] = b.resolve(d.from_right(axis));
    if (K > 0) b.check(row.extent[0], relation::at_least, K);
    attribute const at{.axes = axis, .number = descending ? 1.0 : 0.0, .shape = b.intern(row), .offset = K};
    int const made = operation_table<argsort_op, T>::emit(b, at, {x.id});
    return typename symbol_with<std::int64_t, typename sorted_shape<S, Axis, K>::type>::type(&b, made);
}
/// What sort returns where it refuses.
template <class A>
constexpr auto unsorted(A const& x) {
    return extremes<A, A>{x, x};
}
template <int Axis, int K, class A>
constexpr auto sorted_with_indices(A const& x, bool descending) {
    auto const indices = sorted_indices<Axis, K>(x, descending);
    auto const values = let(gather<Axis>(x, indices));
    return extremes<std::remove_const_t<decltype(values)>, std::remove_const_t<decltype(indices)>>{values, indices};
}
}  // namespace detail::ops_part

/// Which way to sort: sort<-1>(x, descending).
struct descending_t {};
inline constexpr descending_t descending{};
/// Which elements to take: topk<-1, 3>(x, smallest).
struct smallest_t {};
inline constexpr smallest_t smallest{};

/// The indices (int64) that sort x along an axis, the smallest first: equal elements stay in order, NaN counts as the
/// largest.
template <int Axis = -1, expression A>
constexpr auto argsort(A const& x) {
    if constexpr (!accepts(detail::why_no_axes<detail::argsort_op, A, typename A::shape_type, Axis>())) return let(x);
    else return detail::sorted_indices<Axis, 0>(let(detail::widened(x)), false);
}
template <int Axis = -1, expression A>
constexpr auto argsort(A const& x, descending_t) {
    if constexpr (!accepts(detail::why_no_axes<detail::argsort_op, A, typename A::shape_type, Axis>())) return let(x);
    else return detail::sorted_indices<Axis, 0>(let(detail::widened(x)), true);
}
/// x sorted along an axis and where the elements were: { values, indices }. The gradient goes back to where a value
/// came from.
template <int Axis = -1, expression A>
constexpr auto sort(A const& x) {
    if constexpr (!accepts(detail::why_no_axes<detail::argsort_op, A, typename A::shape_type, Axis>()))
        return detail::unsorted(let(x));
    else return detail::sorted_with_indices<Axis, 0>(let(detail::widened(x)), false);
}
template <int Axis = -1, expression A>
constexpr auto sort(A const& x, descending_t) {
    if constexpr (!accepts(detail::why_no_axes<detail::argsort_op, A, typename A::shape_type, Axis>()))
        return detail::unsorted(let(x));
    else return detail::sorted_with_indices<Axis, 0>(let(detail::widened(x)), true);
}
namespace detail::inline ops_part {
template <int Axis, int K, class A>
constexpr auto take_best(A const& x, bool largest) {
    using S = typename A::shape_type;
    if constexpr (!accepts(why_no_axes<argsort_op, A, S, Axis>())) {
        return unsorted(let(x));
    } else {
        constexpr std::int64_t e = S::extents[static_cast<std::size_t>(Axis < 0 ? Axis + S::rank : Axis)];
        if constexpr (K < 1 || (e >= 0 && e < K))
            return refuse(because<topk_beyond_the_axis<S, Axis, K>>{}),
                   sorted_with_indices<Axis, 0>(let(widened(x)), largest);
        else return sorted_with_indices<Axis, K>(let(widened(x)), largest);
    }
}
}  // namespace detail::ops_part
/// The k largest elements along an axis, in descending order, and where they are: { values, indices }.
template <int Axis, int K, expression A>
constexpr auto topk(A const& x) {
    return detail::take_best<Axis, K>(x, true);
}
/// The k smallest ones, in ascending order.
template <int Axis, int K, expression A>
constexpr auto topk(A const& x, smallest_t) {
    return detail::take_best<Axis, K>(x, false);
}

}  // namespace tapeless
