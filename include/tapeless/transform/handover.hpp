// SPDX-License-Identifier: MIT
#pragma once
// Calling a program: pointers and lengths are taken from the arguments, checked, and handed to the kernels.

#include <tapeless/compile/program.hpp>
#include <tapeless/compile/trace.hpp>

namespace tapeless::detail::inline transform_part {

/// A function, what is asked of it, the types of its arguments, and those of the targets its gradients are written to
/// (none: new arrays).
template <class F, wanted W, class Indices, class Targets, class... A>
struct source_of;
template <class F, wanted W, int... I, class Targets, class... A>
struct source_of<F, W, std::integer_sequence<int, I...>, Targets, A...> {
    using arguments = argument_list<A...>;
    static constexpr int leaves = arguments::first[sizeof...(A)];
    /// The argument that a leaf belongs to.
    static constexpr int argument_of(int leaf) {
        int argument = 0;
        while (arguments::first[static_cast<std::size_t>(argument) + 1] <= leaf) ++argument;
        return argument;
    }
    /// The graph; `look` sees it after each pass.
    template <class Observer = no_observer>
    static constexpr traced trace(Observer const& look = {}) {
        return detail::trace<F, W, A...>(std::integer_sequence<int, I...>{}, dense(), look);
    }
    /// The same in two parts: what is traced, and what the passes make of it.
    static constexpr traced begin() { return trace_graph<F, W, A...>(std::integer_sequence<int, I...>{}); }
    static constexpr traced finish(traced& t) { return simplified(t, dense()); }
    /// Which arguments, then results, are surely contiguous.
    static constexpr list<char> dense() { return layouts<false>(); }
    /// Which of them lie column by column, where any does; of results that is a guess.
    static constexpr list<char> columns() {
        list<char> d = layouts<true>();
        for (char c : d)
            if (c) return d;
        return {};
    }

private:
    template <bool Columns>
    static constexpr list<char> layouts() {
        list<char> d;
        for (leaf_info const& l : arguments::describe()) d.push(Columns ? l.columns : l.dense);
        if constexpr (W == wanted::both || (W == wanted::value && Targets::count == 0)) {
            if constexpr (forms_its_result<F>) push_parts<Columns>(d);
            else push_new(d, count_results<traced_result<F, A...>>(), !Columns);
        }
        if constexpr (Targets::count > 0) {
            for (leaf_info const& l : Targets::describe()) d.push(Columns ? l.columns : l.dense);
        } else if constexpr (W != wanted::value) {
            (push_like(d, I, Columns), ...);
        }
        return d;
    }
    static constexpr void push_new(list<char>& d, int n, bool is) {
        for (; n > 0; --n) d.push(is);
    }
    /// Arrays such as those of an argument.
    static constexpr void push_like(list<char>& d, int argument, bool columns) {
        list<leaf_info> const all = arguments::describe();
        auto const i = static_cast<std::size_t>(argument);
        for (int l = arguments::first[i]; l < arguments::first[i + 1]; ++l)
            d.push(columns ? all[l].owner_columns : all[l].owner_dense);
    }
    template <bool Columns, std::size_t K>
    static constexpr void push_part(list<char>& d) {
        if constexpr (F::result_like[K] >= 0) push_like(d, F::result_like[K], Columns);
        else push_new(d, count_results<std::tuple_element_t<K, traced_result<F, A...>>>(), !Columns);
    }
    template <bool Columns>
    static constexpr void push_parts(list<char>& d) {
        [&]<std::size_t... K>(std::index_sequence<K...>) {
            (push_part<Columns, K>(d), ...);
        }(std::make_index_sequence<F::result_like.size()>{});
    }
};

/// Whether the same arrays of two sources are surely contiguous.
template <class A, class B>
constexpr bool lie_alike() {
    list<char> const a = A::dense(), b = B::dense();
    if (a.size() != b.size()) return false;
    for (int i = 0; i < a.size(); ++i)
        if (a[i] != b[i]) return false;
    return true;
}

/// "argument 2, axis 0 (batch)"; of a tree "argument 2, array 1, axis 0 (batch)", the arrays counted from 0 in the
/// order of its members.
[[gnu::noinline, gnu::cold]] inline void describe_axis(sentence& s, int argument, int array, int axis,
                                                       std::string_view name) {
    s << "argument " << argument;
    if (array >= 0) s << ", array " << array;
    s << ", axis " << axis;
    if (!name.empty()) (s << " (").add(name.data(), name.size()) << ")";
}

/// What is known of the lengths of a program, and to which argument a leaf belongs.
struct length_tables {
    run_time_extent const* lengths;
    int given, count;  ///< those that are handed in, and all
    extent_check const* checks;
    int check_count;
    int const* first_leaf;  ///< of each argument
};

/// An argument's axis, or what a length was made from: "(argument 0, axis 0) + (argument 1, axis 0)".
[[gnu::noinline, gnu::cold]] inline void describe_length(sentence& s, length_tables const& t, std::int64_t e) {
    if (e >= 0) return void(s << e);
    run_time_extent const& x = t.lengths[static_cast<int>(~e)];
    length_formula const& f = x.formula;
    char const* sign = nullptr;
    switch (f.rule) {
        case length_rule::sum: sign = " + "; break;
        case length_rule::difference: sign = " - "; break;
        case length_rule::product: sign = " * "; break;
        case length_rule::quotient: sign = " / "; break;
        case length_rule::minimum: sign = " and "; break;
        case length_rule::slice_length: return describe_length(s << "a slice of ", t, f.a);
        case length_rule::given: break;
        default: return void(s << "an axis of an array made by the function");
    }
    if (sign != nullptr) {
        if (f.rule == length_rule::minimum) s << "the smaller of ";
        for (bool const second : {false, true}) {
            std::int64_t const part = second ? f.b : f.a;
            s << (second ? sign : "") << (part < 0 ? "(" : "");
            describe_length(s, t, part);
            s << (part < 0 ? ")" : "");
        }
        return;
    }
    int argument = 0;
    while (t.first_leaf[argument + 1] <= x.leaf) ++argument;
    int const first = t.first_leaf[argument], next = t.first_leaf[argument + 1];
    describe_axis(s, argument, next - first > 1 ? x.leaf - first : -1, x.axis, x.name);
}

/// "argument 0, axis 0 has length 3, but argument 1, axis 0 has length 4: add needs them equal"
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_extent_error(length_tables const& t, extent_check const& c,
                                                                      std::int64_t const* extents) {
    sentence s;
    auto describe = [&](int e) { describe_length(s, t, ~static_cast<std::int64_t>(e)); };
    char const* const who = c.op ? c.op : "the function";
    describe(c.extent);
    s << " has length " << extents[c.extent];
    if (c.is == relation::at_least) s << ", but " << who << " needs at least " << c.value;
    else if (c.is == relation::multiple) s << ", but " << who << " needs a multiple of " << c.value;
    else if (c.is == relation::at_most) {
        s << ", but what it indexes has length " << (c.other >= 0 ? extents[c.other] : c.value) << " there";
        if (c.other >= 0) {
            s << " (";
            describe(c.other);
            s << ")";
        }
    } else if (c.other >= 0) {
        s << ", but ";
        describe(c.other);
        s << " has length " << extents[c.other];
        if (c.op) s << ": " << who << " needs them equal";
    } else if (c.other == -1) s << ", but " << who << " needs " << c.value;
    else s << ": max, min, argmax and argmin need at least one element";
    throw_shape(s);
}

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_target_error(int target, int axis, std::int64_t is,
                                                                      std::int64_t wanted) {
    throw_shape(sentence{} << "into: target " << target << ", axis " << axis << " has length " << is
                           << ", but what is written there has " << wanted);
}

/// What a call hands over: filled leaf by leaf.
template <class Program>
struct handover {
    static constexpr int outputs = Program::graph_size.outputs;
    void const* argument[static_cast<std::size_t>(Program::leaves > 0 ? Program::leaves : 1)];
    void* output[static_cast<std::size_t>(outputs > 0 ? outputs : 1)];
    std::int64_t extent[static_cast<std::size_t>(Program::graph_size.extents > 0 ? Program::graph_size.extents : 1)];
    std::ptrdiff_t stride[static_cast<std::size_t>(Program::has_strided ? Program::leaves + outputs : 1)][max_rank];
    int targets;

    /// Extent `axis` of leaf `l` of the graph, as a number.
    std::int64_t length(int leaf, int axis) const {
        std::int64_t e = Program::shapes[Program::leaf_shape[leaf]].extent[axis];
        return e >= 0 ? e : extent[~e];
    }
};

// These depend on no program.

inline void take_strides(std::ptrdiff_t* to, auto const& s) {
    for (std::size_t i = 0; i < s.size(); ++i) to[s.size() - 1 - i] = s[i];
}
/// The arrays of an argument, from number `leaves` on.
template <class A>
TAPELESS_CONFIG_INLINE inline void take_argument(A const& a, void const** argument, std::int64_t* extent,
                                                 std::ptrdiff_t (*stride)[max_rank], int& leaves, int& extents) {
    if constexpr (leaf<A>) {
        using traits = leaf_traits<A>;
        argument[leaves] = traits::data(a);
        if constexpr (!traits::shape_type::is_static) {
            auto const e = traits::extents(a);
            for (std::size_t i = 0; i < e.size(); ++i)
                if (traits::shape_type::extents[i] < 0) extent[extents++] = e[i];
        }
        if constexpr (!traits::is_dense)
            if (stride) take_strides(stride[leaves], traits::strides(a));
        ++leaves;
    } else {
        each_leaf(a, [&](auto const& l)
                         TAPELESS_CONFIG_INLINE { take_argument(l, argument, extent, stride, leaves, extents); });
    }
}
/// The arrays of a target; `first` is the number of the first target among the strides.
template <class G>
TAPELESS_CONFIG_INLINE inline void take_target(G& g, void** output, std::ptrdiff_t (*stride)[max_rank], int first,
                                               int& targets) {
    if constexpr (leaf<G>) {
        using traits = leaf_traits<G>;
        if constexpr (!traits::is_dense)
            if (stride) take_strides(stride[first + targets], traits::strides(g));
        output[targets++] = traits::data(g);
    } else {
        each_leaf(g, [&](auto& l) TAPELESS_CONFIG_INLINE { take_target(l, output, stride, first, targets); });
    }
}

template <class Program, class G>
TAPELESS_CONFIG_INLINE inline void take_target(handover<Program>& h, G& g) {
    take_target(g, h.output, Program::has_strided ? h.stride : nullptr, Program::leaves, h.targets);
}

/// Makes the lengths that are made from others, and refuses those that do not fit.
TAPELESS_CONFIG_INLINE inline void check_extents(length_tables const& t, std::int64_t* extent) {
    for (int i = t.given; i < t.count; ++i) {
        length_formula const& f = t.lengths[i].formula;
        std::int64_t const a = f.a >= 0 ? f.a : extent[~f.a], b = f.b >= 0 ? f.b : extent[~f.b];
        extent[i] = f.apply(a, b);
    }
    for (int i = 0; i < t.check_count; ++i) {
        extent_check const& c = t.checks[i];
        std::int64_t const is = extent[c.extent], wanted = c.other >= 0 ? extent[c.other] : c.value;
        bool ok = c.is == relation::at_most    ? is <= wanted
                  : c.is == relation::at_least ? is >= wanted
                  : c.is == relation::multiple ? is % wanted == 0
                  : c.other == -2              ? is != 0
                                               : is == wanted;
        if (!ok) throw_extent_error(t, c, extent);
    }
}

/// The arguments of a call, their lengths checked.
template <class Program, class... A>
TAPELESS_CONFIG_INLINE inline void take_arguments(handover<Program>& h, A const&... a) {
    int leaves = 0, extents = 0;
    h.targets = 0;
    for (std::int64_t& e : h.extent) e = 0;
    (take_argument(a, h.argument, h.extent, Program::has_strided ? h.stride : nullptr, leaves, extents), ...);
    if constexpr (Program::graph_size.checks > 0 || Program::given_extents < Program::graph_size.extents) {
        static constexpr length_tables tables{Program::lengths.items,      Program::given_extents,
                                              Program::graph_size.extents, Program::checks.items,
                                              Program::graph_size.checks,  argument_list<A...>::first.data()};
        check_extents(tables, h.extent);
    }
}

}  // namespace tapeless::detail::transform_part
