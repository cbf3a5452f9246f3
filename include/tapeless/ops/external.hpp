// SPDX-License-Identifier: MIT
#pragma once
// Foreign code inside a function: a solver, a table, a simulation, called on arrays in memory, with a derivative rule
// of its own.

#include <tapeless/base/plain_function.hpp>
#include <tapeless/ops/boundary.hpp>
#include <tapeless/ops/custom_loop.hpp>

namespace tapeless {

/// Refuses foreign code that cannot be called on what it is given.
template <class F, class... Views>
struct external_function_does_not_take {
    static_assert(
        never<F>,
        "external(f, rule)(x...): f is called as f(out, x...), out a view of what it fills, x views of const");
};

namespace detail::inline ops_part {

/// An operand as the view that foreign code sees.
template <class T, class Shape>
struct view_with;
template <class T, auto... E>
struct view_with<T, shape<E...>> {
    using type = view<T, E...>;
    static type make(strided const& s) {
        std::array<std::int64_t, sizeof...(E)> lengths;
        std::array<std::ptrdiff_t, sizeof...(E)> strides;
        for (std::size_t k = 0; k < sizeof...(E); ++k) {
            lengths[k] = s.extent[sizeof...(E) - 1 - k];
            strides[k] = s.stride[sizeof...(E) - 1 - k];
        }
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            // all lengths are spelled as run-time ones, and the view compares them with those it knows
            return type(view<T, ((void)K, dyn)...>(s.as<T>(), lengths[K]..., strides));
        }(std::make_index_sequence<sizeof...(E)>{});
    }
};

/// y = what F writes, called on arrays; what flows back is what Rule says.
template <class F, class Rule, class Result, class... Operands>
struct external_op : custom_loop<"external"> {
    static constexpr bool of_items = true, runs_alone = true;
    template <int K, class S>
    static constexpr dims declared(builder& b, node const& n) {
        dims d = dims_of_constants<S>();
        for (int k = 0; k < d.rank; ++k)
            if (d.extent[k] < 0) d.extent[k] = b.shape_of(n.in[K]).extent[k];
        return d;
    }
    static constexpr dims shape(builder& b, node const& n) { return declared<0, Result>(b, n); }
    static constexpr auto pullback(auto g, auto y, auto x, auto... rest) {
        builder& b = *y.graph;
        g.id = emit_expand(b, g.id, dims(b.shape_of(y.id)));  // what arrives may be one number for all elements
        return without_attribute(g, y, x, rest...);
    }
    template <class T, class... Others>
    static void run(strided const* in, strided const& out, attribute const&) {
        call<T, T, Others...>(std::make_index_sequence<sizeof...(Operands)>{}, in, out);
    }

private:
    /// The rule sees symbols, whose types know the shapes. The last of x is the attribute.
    template <class... X>
    static constexpr auto without_attribute(auto g, auto y, X... x) {
        return [&]<std::size_t... K>(std::index_sequence<K...>, auto const& all) {
            return Rule{}(as_symbol<Result>(g), as_symbol<Result>(y), as_symbol<Operands>(std::get<K>(all))...);
        }(std::make_index_sequence<sizeof...(X) - 1>{}, std::tuple<X...>(x...));
    }
    template <class Shape, class T>
    static constexpr auto as_symbol(node_ref<T> const& x) {
        return typename symbol_with<T, Shape>::type(x.graph, x.id);
    }
    template <class R, class... T, std::size_t... K>
    static void call(std::index_sequence<K...>, strided const* in, strided const& out) {
        F{}(view_with<R, Result>::make(out), view_with<T const, Operands>::make(in[K])...);
    }
};

/// The shape of what foreign code makes: the extents declared, or those of the first operand.
template <class First, auto... E>
struct external_shape {
    using type = shape<E...>;
};
template <class First>
struct external_shape<First> {
    using type = First;
};

template <class F, class Rule, auto... E>
struct external_function {
    template <expression X, expression... Rest>
    constexpr auto operator()(X const& x, Rest const&... rest) const {
        static_assert(sizeof...(Rest) < static_cast<std::size_t>(max_inputs), "external: at most five arguments");
        return call(let(widened(x)), let(widened(rest))...);
    }
    template <class... X>
        requires constants_among<X...>
    constexpr auto operator()(X const&... x) const {
        return with_indices([](auto const&... y) { return external_function{}(y...); }, x...);
    }

private:
    template <class X, class... Rest>
    static constexpr auto call(X const& x, Rest const&... rest) {
        using T = typename X::value_type;
        using R = typename external_shape<typename X::shape_type, E...>::type;
        using op = external_op<F, Rule, R, typename X::shape_type, typename Rest::shape_type...>;
        if constexpr (!std::is_invocable_v<
                          F, typename view_with<T, R>::type, typename view_with<T const, typename X::shape_type>::type,
                          typename view_with<typename Rest::value_type const, typename Rest::shape_type>::type...>)
            return refuse(because<external_function_does_not_take<
                              F, typename view_with<T, R>::type,
                              typename view_with<T const, typename X::shape_type>::type>>{}),
                   x;
        else return let(apply_custom_loop<op, R>(attribute{}, x, rest...));
    }
};
}  // namespace detail::ops_part

/// external<E...>(f, rule)(x...): f(out, x...), foreign code, fills an array of these extents (none: those of the first
/// argument; dyn: its extent there), and is called when the function runs, with views of what it reads and writes.
/// rule(g, y, x...) returns cotangents(...) as for with_pullback. Nothing is fused with it: what it reads is stored
/// first.
template <auto... E, class F, class Rule>
constexpr auto external(F, Rule) {
    using G = detail::plain_function<F>;
    static_assert(std::is_empty_v<G> && std::is_empty_v<Rule>, "external: no captures; pass the value as an argument");
    return detail::external_function<G, Rule, E...>{};
}

}  // namespace tapeless
