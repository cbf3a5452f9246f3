// SPDX-License-Identifier: MIT
#pragma once
// Names and boundaries in a traced function: let, stop_gradient, cast, and functions with a derivative rule of their
// own.

#include <tuple>

#include <tapeless/base/plain_function.hpp>
#include <tapeless/ops/compare.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// Base of operations whose value is that of their first operand.
template <fixed_string Name>
struct boundary {
    static constexpr auto name = Name;
    static constexpr node_kind kind = node_kind::alias;
    template <class T, class...>
    using result = T;
    template <class, class S, class...>
    using result_shape = S;
    static constexpr dims shape(builder& b, node const& n) { return b.shape_of(n.in[0]); }
};

struct stop_gradient_op : boundary<"stop_gradient"> {
    static constexpr bool differentiable = false;
};

/// What a nested grad differentiates by: its argument, and nothing else that happens to be the same value.
struct parameter_op : boundary<"parameter"> {
    static constexpr bool of_any_type = true;
    static constexpr auto pullback(auto g, auto, auto) { return cotangents(g); }
};

/// f(x...) under its own rule: nothing flows back through f itself.
template <class Rule>
struct ruled_op : boundary<"with_pullback"> {
    static constexpr bool of_items = true;
    static constexpr auto pullback(auto g, auto y, auto, auto... x) {
        // what arrives may be one number for all elements
        g.id = emit_expand(*g.graph, g.id, dims(g.graph->shape_of(y.id)));
        return prepend(Rule{}(g, y, x...), std::make_integer_sequence<int, static_cast<int>(sizeof...(x))>{});
    }
    template <class C, int... I>
    static constexpr auto prepend(C const& c, std::integer_sequence<int, I...>) {
        static_assert(C::size == static_cast<int>(sizeof...(I)),
                      "with_pullback: the rule returns one cotangent for each argument");
        return cotangents(no_cotangent{}, detail::get<I>(c)...);
    }
};

/// The same with a rule for forward mode.
template <class Rule, class Forward>
struct ruled_both_ways_op : ruled_op<Rule> {
    template <class... X>
    static constexpr auto pushforward(auto y, auto, X... all) {
        return split(y, std::tuple<X...>(all...), std::make_index_sequence<sizeof...(X) / 2>{});
    }

private:
    /// all: the arguments, the tangent of the value itself (which does not matter), those of the arguments.
    template <class All, std::size_t... K>
    static constexpr auto split(auto y, All const& all, std::index_sequence<K...>) {
        return Forward{}(y, std::get<K>(all)..., std::get<sizeof...(K) + 1 + K>(all)...);
    }
};

/// Converts to To; the cotangent is converted back. What is stored only is converted to what it is computed in, and
/// from that; half and bfloat16 from double too.
template <class To>
struct cast_op : elementwise<"cast"> {
    static constexpr int cost = 1;
    static constexpr bool takes_masks = true;
    template <class From>
    using result = To;
    template <class, class S>
    using result_shape = S;
    template <class From, class R>
    static void eval_raw(void* out, void const* in) {
        using R2 = typename register_type<To>::type;
        if constexpr (std::same_as<From, double> && short_float<To>)
            *static_cast<R2*>(out) = simd::narrow<To>(static_cast<simd::batch<double> const*>(in));
        else if constexpr (storage_only<To>)
            *static_cast<R2*>(out) = simd::narrow<To>(*static_cast<simd::batch<From> const*>(in));
        else if constexpr (storage_only<From>)
            *static_cast<R2*>(out) = simd::widen(*static_cast<simd::packed<From> const*>(in));
        else if constexpr (is_flag<From>)
            *static_cast<R2*>(out) = simd::select(mask_of(as_register_of<To>(in), R2(To(1))), R2(To(1)), R2(To(0)));
        else simd::convert<To, From>(static_cast<simd::batch<From> const*>(in), static_cast<R2*>(out));
    }
    template <class T>
    static auto const& as_register_of(void const* in) {
        return *static_cast<simd::mask<std::conditional_t<sizeof(T) == 8, double, float>> const*>(in);
    }
    static constexpr auto pullback(auto g, auto, auto x) {
        using From = computed<typename decltype(x)::value_type>;
        if constexpr (!std::floating_point<From> || !std::floating_point<computed<To>>)
            return cotangents(no_cotangent{});
        else if constexpr (std::same_as<From, computed<To>>) return cotangents(g);  // the cotangent of half is float
        else return cotangents(apply<cast_op<From>>(g));
    }
    static constexpr auto pushforward(auto, auto, auto t) { return cast_tangent<computed<To>>(t); }
    template <class R, class T>
    static constexpr auto cast_tangent(node_ref<T> t) {
        if constexpr (std::same_as<R, T>) return t;
        else return apply<cast_op<R>>(t);
    }
    template <class>
    static constexpr int simplify(builder& b, node const& n) requires storage_only<To> {
        return simplify_cast::first<To>(b, n);
    }
};

template <class To>
inline constexpr builtin builtin_of<cast_op<To>> = builtin::cast;

/// Node `id` as what it is computed in: T.
template <class T>
constexpr int emit_widened(builder& b, int id) {
    [[maybe_unused]] dtype const type = b.nodes[id].type;
    [[maybe_unused]] auto const from = [&]<class Stored>(std::type_identity<Stored>) {
        return operation_table<cast_op<T>, Stored>::emit(b, {}, {id});
    };
    if constexpr (std::same_as<T, float>) {
        if (type == dtype::f16) return from(std::type_identity<half>{});
        if (type == dtype::bf16) return from(std::type_identity<bfloat16>{});
    } else if constexpr (std::same_as<T, std::int32_t>) {
        if (type == dtype::i8) return from(std::type_identity<std::int8_t>{});
        if (type == dtype::u8) return from(std::type_identity<std::uint8_t>{});
        if (type == dtype::i16) return from(std::type_identity<std::int16_t>{});
        if (type == dtype::u16) return from(std::type_identity<std::uint16_t>{});
    } else if constexpr (std::same_as<T, std::int64_t>) {
        if (type == dtype::u32) return from(std::type_identity<std::uint32_t>{});
    }
    return id;
}
/// A float node, T, as the shorter type that is stored.
template <class T>
constexpr int emit_shorter(builder& b, int id, dtype type) {
    if constexpr (std::same_as<T, float>) {
        if (type == dtype::f16) return operation_table<cast_op<half>, T>::emit(b, {}, {id});
        if (type == dtype::bf16) return operation_table<cast_op<bfloat16>, T>::emit(b, {}, {id});
    }
    return id;
}
/// A node as what is stored; integers have no gradients to store.
constexpr int emit_stored(builder& b, int id, dtype type) {
    return is_short_float(type) ? b.real(id).shorter(b, id, type) : id;
}
}  // namespace detail::ops_part

/// e with element type T: rounded to the nearest floating-point number, towards zero for an integer; for bool e != 0.
/// half, bfloat16 and short integers are stored: used in an operation, such an expression is rounded (of an integer
/// the low bits are kept), and computing goes on in float, or in int32 (of std::uint32_t in int64).
template <element T, expression E>
constexpr auto cast(E const& e) {
    using To = detail::type_of<detail::dtype_of<T>()>;
    using From = typename E::value_type;
    if constexpr (std::same_as<To, From>) return e;
    else if constexpr (std::same_as<To, bool>) return e != 0;
    else if constexpr (detail::storage_only<From>) return cast<To>(detail::widened(e));
    else if constexpr (detail::storage_only<To> && !std::same_as<From, detail::computed<To>> &&
                       !(detail::short_float<To> && std::floating_point<From>))
        return apply<detail::cast_op<To>>(cast<detail::computed<To>>(e));
    else return apply<detail::cast_op<To>>(e);
}

/// Names a value: computes e once and gives back a plain symbol, however e was made. Loops and deep models use it.
template <expression E>
constexpr auto let(E const& e) {
    if constexpr (detail::is_node_ref<E>) return e;
    else if constexpr (detail::storage_only<typename E::value_type>) {
        return cast<typename E::value_type>(let(detail::widened(e)));
    } else {
        using named = typename detail::symbol_with<typename E::value_type, typename E::shape_type>::type;
        if constexpr (std::same_as<named, E>)
            if (e.graph) return named(e.graph, detail::emit_leading_axes(*e.graph, e.id, E::rank));
        return named(e);
    }
}

/// The value of e; nothing flows back through it.
template <expression E>
constexpr detail::applied<detail::stop_gradient_op, E> stop_gradient(E const& e) {
    return apply<detail::stop_gradient_op>(e);
}


namespace detail::inline ops_part {
template <class F, class Op>
struct function_with_rule {
    template <expression... A>
    constexpr auto operator()(A const&... a) const {
        static_assert(sizeof...(A) < 4, "with_pullback: at most three arguments");
        return call(let(a)...);
    }

private:
    template <class... X>
    static constexpr auto call(X... x) {
        return let(apply<Op>(F{}(x...), x...));
    }
};
}  // namespace detail::ops_part

/// f with a derivative rule of its own: rule(g, y, x...) returns cotangents(...), y being f(x...). Forward mode
/// follows from it.
template <class F, class Rule>
constexpr auto with_pullback(F, Rule) {
    using G = detail::plain_function<F>;
    static_assert(std::is_empty_v<G> && std::is_empty_v<Rule>,
                  "with_pullback: no captures; pass the value as an argument");
    return detail::function_with_rule<G, detail::ruled_op<Rule>>{};
}
/// The same with a rule for forward mode: forward(y, x..., t...) returns the tangent of y where the arguments have
/// the tangents t, which are 0 for an argument that does not move.
template <class F, class Rule, class Forward>
constexpr auto with_pullback(F, Rule, Forward) {
    using G = detail::plain_function<F>;
    static_assert(std::is_empty_v<G> && std::is_empty_v<Rule> && std::is_empty_v<Forward>,
                  "with_pullback: no captures; pass the value as an argument");
    return detail::function_with_rule<G, detail::ruled_both_ways_op<Rule, Forward>>{};
}

}  // namespace tapeless
