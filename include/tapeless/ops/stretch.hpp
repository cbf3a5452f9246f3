// SPDX-License-Identifier: MIT
#pragma once
// Axes of extent 1 stretched, dropped and added; arrays repeated.

#include <tapeless/ops/reshape.hpp>

namespace tapeless {

/// Refuses to stretch an axis that is not of extent 1.
template <class From, auto... E>
struct expand_extents_differ {
    static_assert(never<From>, "expand<E...>: an extent of x is neither 1 nor the one asked for (dyn keeps it)");
};
/// Refuses to drop an axis that is longer than 1.
template <class Shape, int Axis>
struct squeeze_of_a_longer_axis {
    static_assert(never<Shape>, "squeeze<axis...>: only axes of extent 1 can be dropped");
};

namespace detail::inline ops_part {
// ---- stretched, dropped and new axes -------------------------------------------------------------------------------

template <auto... E>
struct expand_rule {
    using target = target_extents<E...>;
    static constexpr bool fits(dims const& d) {
        if (d.rank > target::rank) return false;
        for (int k = 0; k < target::rank; ++k) {
            std::int64_t const want = target::at[target::rank - 1 - k].length, is = d.from_right(k);
            if (want < 0 ? k >= d.rank : is >= 0 && is != 1 && is != want) return false;
        }
        return true;
    }
    static constexpr dims dims_from(dims const& d) {
        dims r;
        r.rank = target::rank;
        for (int k = 0; k < r.rank; ++k) {
            std::int64_t const want = target::at[r.rank - 1 - k].length;
            r.extent[r.rank - 1 - k] = want < 0 ? d.from_right(k) : want;
        }
        return r;
    }
    static constexpr int emit(builder& b, int x) {
        dims const from = b.shape_of(x), to = dims_from(from);
        for (int k = 0; k < from.rank; ++k)
            if (from.from_right(k) < 0 && to.from_right(k) >= 0) (void)b.same(from.from_right(k), to.from_right(k));
        return emit_expand(b, x, to);
    }
};

template <int... Axis>
struct squeeze_rule {
    static constexpr std::int64_t mask(dims const& d) {
        std::int64_t m = 0;
        ((m |= std::int64_t{1} << axis_from_right(Axis, d.rank)), ...);
        for (int k = 0; k < d.rank && sizeof...(Axis) == 0; ++k)
            if (d.from_right(k) == 1) m |= std::int64_t{1} << k;
        return m;
    }
    static constexpr dims dims_from(dims const& d) { return axis_map::without(d.rank, mask(d)).apply(d); }
    static constexpr int emit(builder& b, int x) {
        dims const d = b.shape_of(x);
        for (int k = 0; k < d.rank; ++k)
            if ((mask(d) >> k & 1) && d.from_right(k) < 0) (void)b.same(d.from_right(k), 1);
        return emit_axes(b, x, axis_map::without(d.rank, mask(d)));
    }
};

/// New axes of extent 1; they are counted in the result.
template <int... Axis>
struct unsqueeze_rule {
    static constexpr axis_map map(int rank) {
        int const to = rank + static_cast<int>(sizeof...(Axis));
        std::int64_t fresh = 0;
        ((fresh |= std::int64_t{1} << axis_from_right(Axis, to)), ...);
        axis_map m = axis_map::of_rank(to);
        for (int k = 0, from = 0; k < to; ++k)
            if (!(fresh >> k & 1)) m.set(k, from++);
        return m;
    }
    static constexpr dims dims_from(dims const& d) { return map(d.rank).apply(d); }
    static constexpr int emit(builder& b, int x) { return emit_axes(b, x, map(b.shape_of(x).rank)); }
};

// ---- tile ----------------------------------------------------------------------------------------------------------

template <int... Times>
struct tile_rule {
    static constexpr int count = static_cast<int>(sizeof...(Times));
    static constexpr int times(int k) {  // along axis k, from the right
        constexpr int t[] = {Times..., 1};
        return k < count ? t[count - 1 - k] : 1;
    }
    static constexpr dims dims_from(dims const& d) {
        dims r;
        r.rank = d.rank > count ? d.rank : count;
        for (int k = 0; k < r.rank; ++k) {
            std::int64_t const e = d.from_right(k);
            r.extent[r.rank - 1 - k] = e >= 0 ? e * times(k) : times(k) == 1 ? e : new_extent;
        }
        return r;
    }
    /// An axis before each one that is repeated, stretched, and the two made one.
    static constexpr int emit(builder& b, int x) {
        dims const d = b.shape_of(x);
        int const rank = d.rank > count ? d.rank : count;
        int wide = rank;
        for (int k = 0; k < rank; ++k) wide += times(k) != 1;
        axis_map m = axis_map::of_rank(wide);
        dims stretched, to;
        stretched.rank = wide;
        to.rank = rank;
        for (int k = 0, at = 0; k < rank; ++k) {
            if (k < d.rank) m.set(at, k);
            stretched.extent[wide - 1 - at++] = d.from_right(k);
            if (times(k) != 1) stretched.extent[wide - 1 - at++] = times(k);
            to.extent[rank - 1 - k] = b.product(d.from_right(k), times(k));
        }
        return emit_reshape(b, emit_expand(b, emit_axes(b, x, m), stretched), to);
    }
};
}  // namespace detail::ops_part

/// x stretched to these extents, aligned on the right: an axis of extent 1 is repeated; dyn keeps what x has.
template <auto... E, expression A>
constexpr auto expand(A const& x) {
    static_assert(sizeof...(E) <= max_rank, "expand: arrays have at most 8 axes");
    if constexpr (!detail::is_node_ref<A>) {
        using S = typename A::shape_type;
        if constexpr (!detail::expand_rule<E...>::fits(detail::dims_of<S>()))
            refuse(because<expand_extents_differ<S, E...>>{});
    }
    if constexpr (sizeof...(E) > max_rank) return x;
    else return apply<detail::moved<"expand", detail::expand_rule<E...>>>(x);
}

/// Without these axes, which have extent 1; without any named, all axes of extent 1.
template <int... Axis, expression A>
constexpr auto squeeze(A const& x) {
    using op = detail::moved<"squeeze", detail::squeeze_rule<Axis...>>;
    if constexpr (!detail::is_node_ref<A>) {
        using S = typename A::shape_type;
        refuse(detail::why_no_axes<op, A, S, Axis...>());
        constexpr auto can_go = [](int k) {
            if (k >= S::rank || k < -S::rank) return true;  // refused above
            auto const e = detail::dims_of<S>().from_right(k < 0 ? -1 - k : S::rank - 1 - k);
            return e < 0 || e == 1;
        };
        (refuse(because<unless<can_go(Axis), squeeze_of_a_longer_axis<S, Axis>>>{}), ...);
    }
    return apply<op>(x);
}

/// With new axes of extent 1; they are counted in the result: unsqueeze<-1>(x) is a column.
template <int... Axis, expression A>
constexpr auto unsqueeze(A const& x) {
    using op = detail::moved<"unsqueeze", detail::unsqueeze_rule<Axis...>>;
    if constexpr (!detail::is_node_ref<A>) {
        constexpr int rank = A::shape_type::rank + static_cast<int>(sizeof...(Axis));
        static_assert(rank <= max_rank, "unsqueeze: arrays have at most 8 axes");
        [[maybe_unused]] auto one = []<int K>() {
            if constexpr (K < rank && K >= -rank) return true;
            else return refuse(because<axis_out_of_range<op, K, typename A::shape_type>>{});
        };
        if constexpr (!(one.template operator()<Axis>() && ...) || rank > max_rank) return x;
        else return apply<op>(x);
    } else {
        return apply<op>(x);
    }
}

/// x so many times one after the other along each axis, aligned on the right.
template <int... Times, expression A>
constexpr auto tile(A const& x) {
    static_assert(sizeof...(Times) <= max_rank, "tile: arrays have at most 8 axes");
    static_assert(((Times >= 0) && ...), "tile<times...>: not a negative number of times");
    if constexpr (!((Times >= 0) && ...) || sizeof...(Times) > max_rank) return x;
    else return apply<detail::moved<"tile", detail::tile_rule<Times...>>>(x);
}
/// The same as tile.
template <int... Times, expression A>
constexpr auto repeat(A const& x) {
    return tile<Times...>(x);
}

}  // namespace tapeless
