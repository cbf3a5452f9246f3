// SPDX-License-Identifier: MIT
#pragma once
// Other extents for the same elements: reshape and flatten. They are views: the loop that reads the result walks the
// operand.

#include <tapeless/ops/view.hpp>

namespace tapeless {

/// The extents a reshape asks for.
template <auto... E>
struct target_shape {};
/// Refuses a reshape between shapes of different size.
template <class From, class To>
struct reshape_sizes_differ {
    static_assert(never<From>, "reshape: the two shapes have different numbers of elements");
};
/// Refuses a reshape with more than one extent to be found, or a name that is no axis of the operand.
template <class From, auto... E>
struct reshape_leaves_too_much_open {
    static_assert(never<From>,
                  "reshape<E...>: at most one extent may be left open (-1 or dyn), and a named one is an axis of x");
};

namespace detail::inline ops_part {

// ---- reshape -------------------------------------------------------------------------------------------------------

/// The extents asked for: a number, -1 (to be found) or a name.
template <auto... E>
struct target_extents {
    static constexpr int rank = static_cast<int>(sizeof...(E));
    struct one {
        std::int64_t length;
        std::string_view name;
    };
    template <auto X>
    static constexpr one read() {
        if constexpr (is_static_extent<X>) return {static_cast<std::int64_t>(X), {}};
        else return {-1, extent_name<X>()};
    }
    static constexpr one at[sizeof...(E) + 1] = {read<E>()..., {0, {}}};
    static constexpr int open() {
        int n = 0;
        for (int i = 0; i < rank; ++i) n += at[i].length < 0 && at[i].name.empty();
        return n;
    }
};

template <auto... E>
struct reshape_rule {
    using target = target_extents<E...>;

    /// The axis of a shape that has this name, or -1.
    template <auto... X>
    static constexpr int axis_named(std::string_view name, shape<X...>) {
        std::string_view const names[] = {extent_name<X>()..., {}};
        for (int i = 0; i < static_cast<int>(sizeof...(X)); ++i)
            if (names[i] == name) return i;
        return -1;
    }
    /// The result for a shape type: a run-time extent of the operand that is left over goes to the open one.
    template <class S>
    static constexpr dims dims_for(bool& same_size, bool& found) {
        dims const from = dims_of<S>();
        dims to;
        to.rank = target::rank;
        std::int64_t in = 1, out = 1;
        std::int64_t left[max_rank]{};
        int lefts = 0, open = -1;
        for (int i = 0; i < from.rank; ++i)
            if (from.extent[i] >= 0) in *= from.extent[i];
            else left[lefts++] = from.extent[i];
        for (int i = 0; i < to.rank; ++i) {
            if (!target::at[i].name.empty()) {
                int const a = axis_named(target::at[i].name, S{});
                if (a < 0) found = false;
                else {
                    to.extent[i] = from.extent[a];
                    for (int j = 0; j < lefts; ++j)
                        if (left[j] == from.extent[a]) {
                            left[j] = left[--lefts];
                            break;
                        }
                }
            } else if (target::at[i].length < 0) {
                open = i;
            } else {
                to.extent[i] = target::at[i].length;
                out *= to.extent[i];
            }
        }
        if (open < 0) {
            same_size = lefts > 0 || in == out;
        } else if (lefts == 0) {
            same_size = out != 0 && in % out == 0;
            to.extent[open] = same_size ? in / out : 0;
        } else {
            same_size = out != 0;  // any length would do
            to.extent[open] = lefts == 1 && in == out ? left[0] : new_extent;
        }
        return to;
    }
    template <class S>
    struct result {
        static constexpr bool check_size() {
            bool s = true, f = true;
            (void)dims_for<S>(s, f);
            return s;
        }
        static constexpr bool check_found() {
            bool s = true, f = true;
            (void)dims_for<S>(s, f);
            return f && target::open() <= 1;
        }
        static constexpr dims compute() {
            bool s = true, f = true;
            return dims_for<S>(s, f);
        }
        static constexpr bool same_size = check_size(), found = check_found();
        static constexpr dims value = compute();
    };

    static constexpr int emit(builder& b, int x) {
        dims const from = b.shape_of(x);
        dims to;
        to.rank = target::rank;
        std::int64_t in = 1, out = 1, rest = 1;  // rest: the run-time lengths that are left over
        std::int64_t left[max_rank]{};
        int lefts = 0, open = -1;
        for (int i = 0; i < from.rank; ++i) {
            std::int64_t const e = b.resolve(from.extent[i]);
            if (e >= 0) in *= e;
            else left[lefts++] = e;
        }
        for (int i = 0; i < to.rank; ++i) {
            std::int64_t e = target::at[i].length;
            if (!target::at[i].name.empty()) e = length_named(b, target::at[i].name);
            else if (e < 0) open = i;
            to.extent[i] = e;
            if (e >= 0) out *= e;
            for (int j = 0; j < lefts && e < 0 && open != i; ++j)
                if (left[j] == e) {
                    left[j] = left[--lefts];
                    break;
                }
        }
        for (int j = 0; j < lefts; ++j) rest = b.product(rest, left[j]);
        if (open < 0 && (in != out || lefts > 0)) {  // in * rest must be out
            if (in > 0 && out % in == 0) (void)b.same(rest, out / in);
            else (void)b.same(b.product(rest, in), out);
        }
        if (open >= 0) {
            if (out > 0 && in % out == 0) {
                to.extent[open] = b.product(rest, in / out);
            } else {
                std::int64_t const whole = in > 0 && out % in == 0 ? rest : b.product(rest, in);
                std::int64_t const part = in > 0 && out % in == 0 ? out / in : out;
                b.check(whole, relation::multiple, part);
                to.extent[open] = b.derived({.rule = length_rule::quotient, .a = whole, .b = part});
            }
        }
        return emit_reshape(b, x, to);
    }
    static constexpr std::int64_t length_named(builder const& b, std::string_view name) {
        for (int i = 0; i < b.extents.size(); ++i)
            if (b.extents.items[i].name == name) return b.resolve(~static_cast<std::int64_t>(i));
        return -1;
    }
};
template <auto... E>
struct reshaped_op : composed<"reshape"> {
    template <class, class S>
    using result_shape = typename shape_from<typename reshape_rule<E...>::template result<S>, S>::type;
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        return reshape_rule<E...>::emit(b, n.in[0]);
    }
};

template <int From, int To>
struct flatten_rule {
    static constexpr dims merge(dims const& d, auto&& times) {
        int const first = d.rank - 1 - axis_from_right(From, d.rank), last = d.rank - 1 - axis_from_right(To, d.rank);
        dims r;
        if (d.rank == 0) {
            r.rank = 1;
            r.extent[0] = 1;
            return r;
        }
        for (int i = 0; i < d.rank; ++i) {
            if (i <= first || i > last) r.extent[r.rank++] = d.extent[i];
            else r.extent[r.rank - 1] = times(r.extent[r.rank - 1], d.extent[i]);
        }
        return r;
    }
    static constexpr dims dims_from(dims const& d) {
        return merge(d, [](std::int64_t a, std::int64_t b) {
            return a >= 0 && b >= 0 ? a * b : a == 1 ? b : b == 1 ? a : new_extent;
        });
    }
    static constexpr int emit(builder& b, int x) {
        dims const d = b.shape_of(x);
        return emit_reshape(b, x, merge(d, [&](std::int64_t e, std::int64_t f) { return b.product(e, f); }));
    }
};
}  // namespace detail::ops_part

/// The same elements in row-major order under other extents; one may be left open: reshape<-1, 3>(x), reshape<dyn,
/// 3>(x).
template <auto... E, expression A>
constexpr auto reshape(A const& x) {
    static_assert(sizeof...(E) <= max_rank, "reshape: arrays have at most 8 axes");
    if constexpr (!detail::is_node_ref<A>) {
        using S = typename A::shape_type;
        using R = typename detail::reshape_rule<E...>::template result<S>;
        if constexpr (!R::found) return refuse(because<reshape_leaves_too_much_open<S, E...>>{}), x;
        else if constexpr (!R::same_size) return refuse(because<reshape_sizes_differ<S, target_shape<E...>>>{}), x;
        else return apply<detail::reshaped_op<E...>>(x);
    } else {
        return apply<detail::reshaped_op<E...>>(x);
    }
}

/// Axes From to To made one (by default all).
template <int From = 0, int To = -1, expression A>
constexpr auto flatten(A const& x) {
    using rule = detail::flatten_rule<From, To>;
    using op = detail::moved<"flatten", rule>;
    if constexpr (detail::shape_or_none<A>::type::rank > 0)
        refuse(detail::why_no_axes<op, A, typename detail::shape_or_none<A>::type, From, To>());
    return apply<op>(x);
}

}  // namespace tapeless
