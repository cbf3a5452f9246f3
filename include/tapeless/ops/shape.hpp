// SPDX-License-Identifier: MIT
#pragma once
// Shapes: reshape, flatten, expand, squeeze, unsqueeze, slice, narrow, select, flip, tile, diagonal. All of them are views:
// the loop that reads the result walks the operand, and the loop that makes a gradient writes to its place.

#include <tapeless/ops/movement.hpp>
#include <tapeless/ops/product.hpp>

namespace tapeless {

/// The extents a reshape asks for.
template <auto... E>
struct target_shape {};
/// Refuses a reshape between shapes of different size.
template <class From, class To>
struct reshape_sizes_differ {
    static_assert(sizeof(From) == 0, "reshape: the two shapes have different numbers of elements");
};
/// Refuses a reshape with more than one extent to be found, or a name that is no axis of the operand.
template <class From, auto... E>
struct reshape_leaves_too_much_open {
    static_assert(sizeof(From) == 0, "reshape<E...>: at most one extent may be left open (-1 or dyn), and a named one is an axis of x");
};
/// Refuses to stretch an axis that is not of extent 1.
template <class From, auto... E>
struct expand_extents_differ {
    static_assert(sizeof(From) == 0, "expand<E...>: an extent of x is neither 1 nor the one asked for (dyn keeps it)");
};
/// Refuses to drop an axis that is longer than 1.
template <class Shape, int Axis>
struct squeeze_of_a_longer_axis {
    static_assert(sizeof(Shape) == 0, "squeeze<axis...>: only axes of extent 1 can be dropped");
};
/// Refuses a step of 0.
template <class Shape, int Axis>
struct slice_step_is_zero {
    static_assert(sizeof(Shape) == 0, "slice: the step is 0");
};
/// Refuses elements that the axis does not have.
template <class Shape, int Axis, int Start, int Length>
struct narrow_beyond_the_axis {
    static_assert(sizeof(Shape) == 0, "narrow<axis, start, length>: the axis is shorter than start + length");
};

namespace detail {

/// Base of what becomes views as soon as it enters the graph. Rule::dims_from(d) gives the result's shape of an operand's.
template <fixed_string Name, class Rule>
struct moved : composed<Name> {
    template <class S>
    struct rule_of {
        static constexpr dims value = Rule::dims_from(dims_of<S>());
    };
    template <class, class S>
    using result_shape = typename shape_from<rule_of<S>, S>::type;
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        return Rule::emit(b, n.in[0]);
    }
};

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
        return merge(d, [](std::int64_t a, std::int64_t b) { return a >= 0 && b >= 0 ? a * b : a == 1 ? b : b == 1 ? a : new_extent; });
    }
    static constexpr int emit(builder& b, int x) {
        dims const d = b.shape_of(x);
        return emit_reshape(b, x, merge(d, [&](std::int64_t e, std::int64_t f) { return b.product(e, f); }));
    }
};

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

// ---- slices --------------------------------------------------------------------------------------------------------

/// Elements start, start + step, ... before stop of an axis (from the right).
constexpr int emit_slice_between(builder& b, int x, int axis, std::int64_t start, std::int64_t stop, std::int64_t step) {
    std::int64_t const n = b.resolve(b.shape_of(x).from_right(axis));
    if (n >= 0) {
        slice_bounds const s(n, start, stop, step);
        return emit_slice(b, x, axis, s.start, s.length, step);
    }
    if (step == 1) {  // in terms that say where another slice begins or ends
        auto bound = [&](std::int64_t i) {
            return i == to_end ? n : i < 0 ? b.difference(n, -i) : i == 0 ? 0 : b.derived({.rule = length_rule::minimum, .a = n, .b = i});
        };
        std::int64_t const from = bound(start), to = bound(stop);
        return emit_slice(b, x, axis, from, from == to ? 0 : b.difference(to, from), 1);
    }
    if (step == -1 && start == to_end && stop == to_end) return emit_slice(b, x, axis, b.difference(n, 1), n, -1);
    length_formula f{.rule = length_rule::slice_start, .a = n, .start = start, .stop = stop, .step = step};
    std::int64_t const from = b.derived(f);
    f.rule = length_rule::slice_length;
    return emit_slice(b, x, axis, from, b.derived(f), step);
}

template <int Axis, std::int64_t Start, std::int64_t Stop, std::int64_t Step>
struct slice_rule {
    static constexpr dims dims_from(dims d) {
        std::int64_t& e = d.extent[d.rank - 1 - axis_from_right(Axis, d.rank)];
        bool const whole = (Step == 1 && Start == 0 && Stop == to_end) || (Step == -1 && Start == to_end && Stop == to_end);
        if (e >= 0) e = slice_bounds(e, Start, Stop, Step).length;
        else if (!whole) e = new_extent;
        return d;
    }
    static constexpr int emit(builder& b, int x) {
        return emit_slice_between(b, x, axis_from_right(Axis, b.shape_of(x).rank), Start, Stop, Step);
    }
};
template <int Axis, int Start, int Length>
struct narrow_rule {
    static constexpr dims dims_from(dims d) {
        d.extent[d.rank - 1 - axis_from_right(Axis, d.rank)] = Length;
        return d;
    }
    static constexpr int emit(builder& b, int x) {
        int const axis = axis_from_right(Axis, b.shape_of(x).rank);
        b.check(b.shape_of(x).from_right(axis), relation::at_least, Start + Length);
        return emit_slice(b, x, axis, Start, Length, 1);
    }
};
template <int... Axis>
struct flip_rule {
    static constexpr dims dims_from(dims const& d) { return d; }
    static constexpr int emit(builder& b, int x) {
        int const rank = b.shape_of(x).rank;
        ((x = emit_slice_between(b, x, axis_from_right(Axis, rank), to_end, to_end, -1)), ...);
        return x;
    }
};

/// The bounds of a slice are numbers of the traced function: attr.offset and attr.number.
template <int Axis>
struct slice_between_op : composed<"slice"> {
    template <class S>
    struct rule_of {
        static constexpr dims compute() {
            dims d = dims_of<S>();
            d.extent[d.rank - 1 - axis_from_right(Axis, d.rank)] = new_extent;
            return d;
        }
        static constexpr dims value = compute();
    };
    template <class, class S>
    using result_shape = typename shape_from<rule_of<S>, S>::type;
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        return emit_slice_between(b, n.in[0], axis_from_right(Axis, b.shape_of(n.in[0]).rank), n.attr.offset,
                                  static_cast<std::int64_t>(n.attr.number), 1);
    }
};
/// Called where an index is beyond a static extent: not a constant expression, so the compiler refuses and names it.
inline void select_index_is_out_of_range() {}
template <int Axis>
struct select_op : composed<"select"> {
    template <class S>
    struct rule_of {
        static constexpr dims value = axis_map::without(S::rank, std::int64_t{1} << axis_from_right(Axis, S::rank)).apply(dims_of<S>());
    };
    template <class, class S>
    using result_shape = typename shape_from<rule_of<S>, S>::type;
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        dims const d = b.shape_of(n.in[0]);
        int const axis = axis_from_right(Axis, d.rank);
        std::int64_t const i = n.attr.offset, length = b.resolve(d.from_right(axis));
        if (length >= 0 && (i >= length || i < -length)) select_index_is_out_of_range();
        b.check(length, relation::at_least, i < 0 ? -i : i + 1);
        int const one = emit_slice(b, n.in[0], axis, i < 0 ? b.difference(length, -i) : i, 1, 1);
        return emit_axes(b, one, axis_map::without(d.rank, std::int64_t{1} << axis));
    }
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

// ---- diagonals and triangles ---------------------------------------------------------------------------------------

/// The position along an axis (from the right) of an array of that rank, as wide as T.
template <class T>
constexpr int emit_position(builder& b, std::int64_t extent, int rank, int axis) {
    using position = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    axis_map m = axis_map::of_rank(rank);
    m.set(axis, 0);
    return emit_axes(b, b.coordinate(extent, dtype_of<position>()), m);
}
/// Column against row + offset in the last two axes, as a mask.
template <class Compare, class T>
constexpr int emit_column_against_row(builder& b, dims const& d, std::int64_t offset) {
    using position = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    int const column = emit_position<T>(b, d.from_right(0), d.rank, 0), row = emit_position<T>(b, d.from_right(1), d.rank, 1);
    int const on = emit_binary<add_op, position>(b, row, b.constant(static_cast<double>(offset), dtype_of<position>()));
    return operation_table<Compare, position, position>::emit(b, {}, {column, on});
}

/// x where the column is at most (Lower) or at least (else) the row + attr.offset, elsewhere 0.
template <bool Lower>
struct triangle_op : composed<"triangle"> {
    template <class, class S>
    using result_shape = S;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        dims const d = b.shape_of(n.in[0]);
        if constexpr (Lower) return emit_masked<T>(b, emit_column_against_row<less_equal_op, T>(b, d, n.attr.offset), n.in[0]);
        else {
            int const below = emit_column_against_row<less_op, T>(b, d, n.attr.offset);
            int const mask = operation_table<not_op, bool>::emit(b, {}, {below});
            return emit_masked<T>(b, mask, n.in[0]);
        }
    }
};

template <int Offset>
struct diagonal_op : composed<"diagonal"> {
    static constexpr std::int64_t skipped_rows = Offset < 0 ? -Offset : 0, skipped_columns = Offset > 0 ? Offset : 0;
    static constexpr std::int64_t length(std::int64_t rows, std::int64_t columns) {
        std::int64_t const r = rows - skipped_rows, c = columns - skipped_columns, n = r < c ? r : c;
        return n < 0 ? 0 : n;
    }
    template <class S>
    struct rule_of {
        static constexpr dims compute() {
            dims d = dims_of<S>();
            std::int64_t const r = d.from_right(1), c = d.from_right(0);
            --d.rank;
            d.extent[d.rank - 1] = r >= 0 && c >= 0 ? length(r, c) : new_extent;
            return d;
        }
        static constexpr dims value = compute();
    };
    template <class, class S>
    using result_shape = typename shape_from<rule_of<S>, S>::type;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        dims d = b.shape_of(n.in[0]);
        std::int64_t const rows = b.resolve(d.from_right(1)), columns = b.resolve(d.from_right(0));
        if (rows >= 0 && columns >= 0) {  // every columns + 1 elements of the matrix in one row
            dims flat = d;
            --flat.rank;
            flat.extent[flat.rank - 1] = rows * columns;
            std::int64_t const count = length(rows, columns);
            return emit_slice(b, emit_reshape(b, n.in[0], flat), 0, count == 0 ? 0 : skipped_rows * columns + skipped_columns, count, columns + 1);
        }
        // the columns are all summed, one of which counts
        int const kept = emit_masked<T>(b, emit_column_against_row<equal_op, T>(b, d, Offset), n.in[0]);
        int const all = emit_axes(b, emit_sum<T>(b, kept, 1), axis_map::without(d.rank, 1));
        std::int64_t const count = b.derived({.rule = length_rule::minimum, .a = b.difference(rows, skipped_rows), .b = b.difference(columns, skipped_columns)});
        return emit_slice(b, all, 0, skipped_rows, count, 1);
    }
};

template <class Op, class A, class Shape, int... Axis>
constexpr void check_axes_of() {
    if constexpr (!is_node_ref<A>) {
        [[maybe_unused]] auto one = []<int K>() {
            if constexpr (K >= Shape::rank || K < -Shape::rank) (void)sizeof(axis_out_of_range<Op, K, Shape>);
        };
        (one.template operator()<Axis>(), ...);
    }
}
template <class A>
struct shape_or_none {
    using type = shape<>;
};
template <class A>
    requires requires { typename A::shape_type; }
struct shape_or_none<A> {
    using type = typename A::shape_type;
};
}  // namespace detail

/// The same elements in row-major order under other extents; one may be left open: reshape<-1, 3>(x), reshape<dyn, 3>(x).
template <auto... E, expression A>
constexpr auto reshape(A const& x) {
    if constexpr (!detail::is_node_ref<A>) {
        using S = typename A::shape_type;
        using R = typename detail::reshape_rule<E...>::template result<S>;
        if constexpr (!R::found) (void)sizeof(reshape_leaves_too_much_open<S, E...>);
        else if constexpr (!R::same_size) (void)sizeof(reshape_sizes_differ<S, target_shape<E...>>);
    }
    return apply<detail::reshaped_op<E...>>(x);
}

/// Axes From to To made one (by default all).
template <int From = 0, int To = -1, expression A>
constexpr auto flatten(A const& x) {
    using rule = detail::flatten_rule<From, To>;
    using op = detail::moved<"flatten", rule>;
    if constexpr (detail::shape_or_none<A>::type::rank > 0) detail::check_axes_of<op, A, typename detail::shape_or_none<A>::type, From, To>();
    return apply<op>(x);
}

/// x stretched to these extents, aligned on the right: an axis of extent 1 is repeated; dyn keeps what x has.
template <auto... E, expression A>
constexpr auto expand(A const& x) {
    if constexpr (!detail::is_node_ref<A>) {
        using S = typename A::shape_type;
        if constexpr (!detail::expand_rule<E...>::fits(detail::dims_of<S>())) (void)sizeof(expand_extents_differ<S, E...>);
    }
    return apply<detail::moved<"expand", detail::expand_rule<E...>>>(x);
}

/// Without these axes, which have extent 1; without any named, all axes of extent 1.
template <int... Axis, expression A>
constexpr auto squeeze(A const& x) {
    using op = detail::moved<"squeeze", detail::squeeze_rule<Axis...>>;
    if constexpr (!detail::is_node_ref<A>) {
        using S = typename A::shape_type;
        detail::check_axes_of<op, A, S, Axis...>();
        [[maybe_unused]] auto one = []<int K>() {
            if constexpr (K < S::rank && K >= -S::rank)
                if constexpr (S::extents[static_cast<std::size_t>(K < 0 ? K + S::rank : K)] > 1 || S::extents[static_cast<std::size_t>(K < 0 ? K + S::rank : K)] == 0)
                    (void)sizeof(squeeze_of_a_longer_axis<S, K>);
        };
        (one.template operator()<Axis>(), ...);
    }
    return apply<op>(x);
}

/// With new axes of extent 1; they are counted in the result: unsqueeze<-1>(x) is a column.
template <int... Axis, expression A>
constexpr auto unsqueeze(A const& x) {
    using op = detail::moved<"unsqueeze", detail::unsqueeze_rule<Axis...>>;
    if constexpr (!detail::is_node_ref<A>) {
        constexpr int rank = A::shape_type::rank + static_cast<int>(sizeof...(Axis));
        [[maybe_unused]] auto one = []<int K>() {
            if constexpr (K >= rank || K < -rank) (void)sizeof(axis_out_of_range<op, K, typename A::shape_type>);
        };
        (one.template operator()<Axis>(), ...);
    }
    return apply<op>(x);
}

/// Elements start, start + step, ... before stop along an axis. Negative bounds count from the end, bounds beyond it mean the
/// end, to_end goes as far as there is something: slice<0, 1, to_end>(x), slice<-1, to_end, to_end, -2>(x).
template <int Axis, int Start, int Stop, int Step = 1, expression A>
constexpr auto slice(A const& x) {
    using op = detail::moved<"slice", detail::slice_rule<Axis, Start, Stop, Step>>;
    using S = typename detail::shape_or_none<A>::type;
    if constexpr (Step == 0) (void)sizeof(slice_step_is_zero<S, Axis>);
    detail::check_axes_of<op, A, S, Axis>();
    return apply<op>(x);
}
/// Elements start ... stop - 1 along an axis, by numbers of the traced function; the length of the result is a run-time one.
template <int Axis, expression A>
constexpr auto slice(A const& x, int start, int stop) {
    detail::check_axes_of<detail::slice_between_op<Axis>, A, typename detail::shape_or_none<A>::type, Axis>();
    return apply_with<detail::slice_between_op<Axis>>(detail::attribute{.number = static_cast<double>(stop), .offset = start}, x);
}
/// The `Length` elements from Start on along an axis.
template <int Axis, int Start, int Length, expression A>
constexpr auto narrow(A const& x) {
    using op = detail::moved<"narrow", detail::narrow_rule<Axis, Start, Length>>;
    using S = typename detail::shape_or_none<A>::type;
    static_assert(Start >= 0 && Length >= 0, "narrow<axis, start, length>: start and length are not negative");
    detail::check_axes_of<op, A, S, Axis>();
    if constexpr (!detail::is_node_ref<A> && Axis < S::rank && Axis >= -S::rank) {
        constexpr std::int64_t e = S::extents[static_cast<std::size_t>(Axis < 0 ? Axis + S::rank : Axis)];
        if constexpr (e >= 0 && e < Start + Length) (void)sizeof(narrow_beyond_the_axis<S, Axis, Start, Length>);
    }
    return apply<op>(x);
}
/// Element `index` along an axis, which is dropped; negative ones count from the end.
template <int Axis, expression A>
constexpr auto select(A const& x, int index) {
    detail::check_axes_of<detail::select_op<Axis>, A, typename detail::shape_or_none<A>::type, Axis>();
    return apply_with<detail::select_op<Axis>>(detail::attribute{.offset = index}, x);
}
/// The elements along these axes in reverse.
template <int... Axis, expression A>
constexpr auto flip(A const& x) {
    using op = detail::moved<"flip", detail::flip_rule<Axis...>>;
    detail::check_axes_of<op, A, typename detail::shape_or_none<A>::type, Axis...>();
    return apply<op>(x);
}

/// x so many times one after the other along each axis, aligned on the right.
template <int... Times, expression A>
constexpr auto tile(A const& x) {
    static_assert(((Times >= 0) && ...), "tile<times...>: not a negative number of times");
    return apply<detail::moved<"tile", detail::tile_rule<Times...>>>(x);
}
/// The same as tile.
template <int... Times, expression A>
constexpr auto repeat(A const& x) {
    return tile<Times...>(x);
}

/// x on and below a diagonal of its last two axes (0: the main one, 1: the one above), elsewhere 0.
template <expression A>
constexpr auto tril(A const& x, int diagonal = 0) {
    detail::check_axes_of<detail::triangle_op<true>, A, typename detail::shape_or_none<A>::type, -2>();
    return apply_with<detail::triangle_op<true>>(detail::attribute{.offset = diagonal}, x);
}
/// x on and above a diagonal of its last two axes, elsewhere 0.
template <expression A>
constexpr auto triu(A const& x, int diagonal = 0) {
    detail::check_axes_of<detail::triangle_op<false>, A, typename detail::shape_or_none<A>::type, -2>();
    return apply_with<detail::triangle_op<false>>(detail::attribute{.offset = diagonal}, x);
}
/// y(..., i) = x(..., i, i + Offset); below the main diagonal for a negative offset.
template <int Offset = 0, expression A>
constexpr auto diagonal(A const& x) {
    detail::check_axes_of<detail::diagonal_op<Offset>, A, typename detail::shape_or_none<A>::type, -2>();
    return apply<detail::diagonal_op<Offset>>(x);
}

}  // namespace tapeless
