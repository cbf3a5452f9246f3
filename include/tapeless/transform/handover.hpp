// SPDX-License-Identifier: MIT
#pragma once
// Calling a program: pointers and lengths are taken from the arguments, checked, and handed to the kernels.

#include <tapeless/compile/program.hpp>
#include <tapeless/compile/trace.hpp>

namespace tapeless::detail {

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
    /// Which arguments, then results, are surely contiguous.
    static constexpr list<char> dense() {
        list<char> d;
        for (leaf_info const& l : arguments::describe()) d.push(l.dense);
        if (W == wanted::both || (W == wanted::value && Targets::count == 0))
            for (int n = count_results<traced_result<F, A...>>(); n > 0; --n) d.push(1);
        if constexpr (Targets::count > 0) {
            for (leaf_info const& l : Targets::describe()) d.push(l.dense);
        } else {
            for (int n = ((arguments::first[I + 1] - arguments::first[I]) + ... + 0); n > 0; --n) d.push(1);
        }
        return d;
    }
};

/// "argument 2, axis 0 (batch)"; of a tree "argument 2, array 1, axis 0 (batch)", the arrays counted from 0 in the order of its
/// members.
inline std::string describe_axis(int argument, int array, int axis, std::string_view name) {
    std::string s = "argument " + std::to_string(argument) + (array < 0 ? "" : ", array " + std::to_string(array)) + ", axis " +
                    std::to_string(axis);
    if (!name.empty()) s += " (" + std::string(name) + ")";
    return s;
}

/// An argument's axis, or what a length was made from: "(argument 0, axis 0) + (argument 1, axis 0)".
template <class Program, class Arguments>
[[gnu::noinline, gnu::cold]] std::string describe_length(std::int64_t e) {
    if (e >= 0) return std::to_string(e);
    run_time_extent const& x = Program::lengths[static_cast<int>(~e)];
    length_formula const& f = x.formula;
    auto pair = [&](char const* sign) {
        std::string const a = describe_length<Program, Arguments>(f.a), b = describe_length<Program, Arguments>(f.b);
        return (f.a < 0 ? "(" + a + ")" : a) + sign + (f.b < 0 ? "(" + b + ")" : b);
    };
    switch (f.rule) {
        case length_rule::sum: return pair(" + ");
        case length_rule::difference: return pair(" - ");
        case length_rule::product: return pair(" * ");
        case length_rule::quotient: return pair(" / ");
        case length_rule::minimum: return "the smaller of " + pair(" and ");
        case length_rule::slice_length: return "a slice of " + describe_length<Program, Arguments>(f.a);
        case length_rule::given: break;
        default: return "an axis of an array made by the function";
    }
    int argument = 0;
    while (Arguments::first[static_cast<std::size_t>(argument) + 1] <= x.leaf) ++argument;
    int const first = Arguments::first[static_cast<std::size_t>(argument)];
    int const next = Arguments::first[static_cast<std::size_t>(argument) + 1];
    return describe_axis(argument, next - first > 1 ? x.leaf - first : -1, x.axis, x.name);
}

/// "argument 0, axis 0 has length 3, but argument 1, axis 0 has length 4: add needs them equal"
template <class Program, class Arguments>
[[gnu::noinline, gnu::cold]] void throw_extent_error(extent_check const& c, std::int64_t const* extents) {
    auto where = [](int e) { return describe_length<Program, Arguments>(~static_cast<std::int64_t>(e)); };
    std::string const who = c.op ? c.op : "the function";
    std::string message = where(c.extent) + " has length " + std::to_string(extents[c.extent]);
    if (c.is == relation::at_least) message += ", but " + who + " needs at least " + std::to_string(c.value);
    else if (c.is == relation::multiple) message += ", but " + who + " needs a multiple of " + std::to_string(c.value);
    else if (c.is == relation::at_most)
        message += ", but what it indexes has length " + std::to_string(c.other >= 0 ? extents[c.other] : c.value) + " there" +
                   (c.other >= 0 ? " (" + where(c.other) + ")" : "");
    else if (c.other >= 0)
        message += ", but " + where(c.other) + " has length " + std::to_string(extents[c.other]) +
                   (c.op ? ": " + who + " needs them equal" : "");
    else if (c.other == -1) message += ", but " + who + " needs " + std::to_string(c.value);
    else message += ": max, min, argmax and argmin need at least one element";
    throw shape_error(message);
}

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_target_error(int target, int axis, std::int64_t is, std::int64_t wanted) {
    throw shape_error("into: target " + std::to_string(target) + ", axis " + std::to_string(axis) + " has length " +
                      std::to_string(is) + ", but what is written there has " + std::to_string(wanted));
}

/// What a call hands over: filled leaf by leaf.
template <class Program>
struct handover {
    static constexpr int outputs = Program::graph_size.outputs;
    void const* argument[static_cast<std::size_t>(Program::leaves > 0 ? Program::leaves : 1)];
    void* output[static_cast<std::size_t>(outputs > 0 ? outputs : 1)];
    std::int64_t extent[static_cast<std::size_t>(Program::graph_size.extents > 0 ? Program::graph_size.extents : 1)]{};
    std::ptrdiff_t stride[static_cast<std::size_t>(Program::has_strided ? Program::leaves + outputs : 1)][max_rank];
    int leaves = 0, extents = 0, targets = 0;

    template <class A>
    TAPELESS_CONFIG_INLINE void take(A const& a) {
        for_each_leaf(a, [&](auto const& l) TAPELESS_CONFIG_INLINE {
            using traits = leaf_traits<std::remove_cvref_t<decltype(l)>>;
            argument[leaves] = traits::data(l);
            if constexpr (!traits::shape_type::is_static) {
                auto const e = traits::extents(l);
                for (std::size_t i = 0; i < e.size(); ++i)
                    if (traits::shape_type::extents[i] < 0) extent[extents++] = e[i];
            }
            if constexpr (!traits::is_dense) take_strides(leaves, traits::strides(l));
            ++leaves;
        });
    }
    void take_strides(int row, auto const& s) {
        for (std::size_t i = 0; i < s.size(); ++i) stride[row][s.size() - 1 - i] = s[i];
    }
    /// Extent `axis` of leaf `l` of the graph, as a number.
    std::int64_t length(int leaf, int axis) const {
        std::int64_t e = Program::shapes[Program::leaf_shape[leaf]].extent[axis];
        return e >= 0 ? e : extent[~e];
    }
};

/// The lengths that are made from others.
template <class Program>
TAPELESS_CONFIG_INLINE inline void derive_extents(handover<Program>& h) {
    if constexpr (Program::given_extents < Program::graph_size.extents)
        for (int i = Program::given_extents; i < Program::graph_size.extents; ++i) {
            length_formula const& f = Program::lengths[i].formula;
            auto known = [&](std::int64_t e) { return e >= 0 ? e : h.extent[~e]; };
            h.extent[i] = f.apply(known(f.a), known(f.b));
        }
}

template <class Program, class Arguments>
TAPELESS_CONFIG_INLINE inline void check_extents(handover<Program>& h) {
    derive_extents(h);
    if constexpr (Program::graph_size.checks > 0)
        for (extent_check const& c : Program::checks) {
            std::int64_t const is = h.extent[c.extent], wanted = c.other >= 0 ? h.extent[c.other] : c.value;
            bool ok = c.is == relation::at_most    ? is <= wanted
                      : c.is == relation::at_least ? is >= wanted
                      : c.is == relation::multiple ? is % wanted == 0
                      : c.other == -2              ? is != 0
                                                   : is == wanted;
            if (!ok) throw_extent_error<Program, Arguments>(c, h.extent);
        }
}

}  // namespace tapeless::detail
