// SPDX-License-Identifier: MIT
#pragma once
// The table of an operation on operands of some element types: what graph, schedule and kernels ask it.

#include <array>

#include <tapeless/base/inline.hpp>
#include <tapeless/ir/expression.hpp>
#include <tapeless/ir/shape_rule.hpp>
#include <tapeless/simd/registers.hpp>

namespace tapeless {

/// An operand that gets no cotangent.
struct no_cotangent : expression_base {};

/// The cotangents of an operation's operands, in order.
template <class... E>
struct cotangents : detail::operands<std::make_integer_sequence<int, static_cast<int>(sizeof...(E))>, E...> {
    constexpr explicit cotangents(E const&... e)
        : detail::operands<std::make_integer_sequence<int, static_cast<int>(sizeof...(E))>, E...>(e...) {}
    static constexpr int size = static_cast<int>(sizeof...(E));
};

namespace detail::inline ops_part {

template <class Op>
concept has_number = requires { requires Op::has_number; };
template <class Op>
concept has_axes = requires { requires Op::has_axes; };

struct names_pushforward {
    static void pushforward();
};
template <class Op>
struct names_it_twice : Op, names_pushforward {};
/// Whether there is a rule of that name, whatever it takes: then the name is ambiguous beside another one.
template <class Op>
concept has_pushforward = !requires { &names_it_twice<Op>::pushforward; };

/// What a mask is called in the table: as wide as the numbers it selects.
template <class T, class... Others>
struct table_type {
    using type = T;
};
template <class... Others>
struct table_type<bool, Others...> {
    using type = std::conditional_t<((sizeof(Others) == 8) || ...), mask64_t, mask32_t>;
};

template <int I, class Head, class... Tail>
struct nth_type : nth_type<I - 1, Tail...> {};
template <class Head, class... Tail>
struct nth_type<0, Head, Tail...> {
    using type = Head;
};

constexpr int to_mask(builder& b, int id, dtype want);
/// bool from memory as a mask; anything else as it is.
constexpr int from_memory(builder& b, int id) {
    return b.nodes.items[id].type == dtype::b8 ? to_mask(b, id, dtype::mask32) : id;
}

/// Which of the operations that rules look for Op is: told by the type itself, so that not even what derives from it
/// counts.
template <class Op>
inline constexpr builtin builtin_of = builtin::none;

template <class Op, class... T>
struct operation_table {
    using R = typename Op::template result<T...>;
    // a comparison's mask is as wide as what it compares
    using out_type = std::conditional_t<std::same_as<R, bool>, typename table_type<bool, T...>::type, R>;
    static constexpr int arity = static_cast<int>(sizeof...(T));

    static constexpr dims shape_rule(builder& b, node const& n) { return Op::shape(b, n); }
    static constexpr int simplify_rule(builder& b, node const& n) { return Op::template simplify<R>(b, n); }
    static constexpr int batch_rule(builder& b, node const& n, unsigned leading) { return Op::of_all(b, n, leading); }

    static constexpr void pullback_rule(builder& b, int y, int g, node const& n, int* out) {
        pull(std::make_integer_sequence<int, arity>{}, b, y, g, n, out);
    }
    // functions of their own rather than lambdas, of which every table would have a class
    template <int... I>
    static constexpr void pull(std::integer_sequence<int, I...> all, builder& b, int y, int g, node const& n,
                               int* out) {
        node_ref<computed<R>> gr(&b, g);
        node_ref<R> yr(&b, y);
        if constexpr (has_axes<Op>) put(all, b, out, Op::pullback(gr, yr, node_ref<T>(&b, n.in[I])..., n.attr));
        else if constexpr (has_number<Op>)
            put(all, b, out, Op::pullback(gr, yr, node_ref<T>(&b, n.in[I])..., n.attr.number));
        else put(all, b, out, Op::pullback(gr, yr, node_ref<T>(&b, n.in[I])...));
    }
    template <int... I, class C>
    static constexpr void put(std::integer_sequence<int, I...>, builder& b, int* out, C const& c) {
        static_assert(C::size == arity, "pullback: one cotangent for each operand");
        ((out[I] = walk_cotangent<T>(b, detail::get<I>(c))), ...);
    }
    template <class U, class E>
    static constexpr int walk_cotangent(builder& b, E const& e) {
        if constexpr (std::same_as<E, no_cotangent>) return -1;
        else if constexpr (number<E>) return b.constant(static_cast<double>(e), dtype_of<computed<U>>());
        else return e.walk(b);
    }

    template <class U>
    using tangent_of = std::conditional_t<std::floating_point<computed<U>>, computed<U>, computed<R>>;
    static constexpr int pushforward_rule(builder& b, int y, node const& n, int const* t) {
        return [&]<int... I>(std::integer_sequence<int, I...>) {
            auto with = [&](auto const&... attributes) {
                return walk_cotangent<R>(b, Op::pushforward(node_ref<R>(&b, y), node_ref<T>(&b, n.in[I])...,
                                                            node_ref<tangent_of<T>>(&b, t[I])..., attributes...));
            };
            if constexpr (has_axes<Op>) return with(n.attr);
            else if constexpr (has_number<Op>) return with(n.attr.number);
            else return with();
        }(std::make_integer_sequence<int, arity>{});
    }

    template <int I>
    using input_register =
        typename register_type<typename nth_type<I, typename table_type<T, T..., R>::type...>::type>::type;
    template <int I>
    using operand = typename handed<Op, input_register<I>>::type;
    // one function, written out: there is one of each operation in every program
    TAPELESS_CONFIG_INLINE static void eval_rule(void* out, void const* a, [[maybe_unused]] void const* b,
                                                 [[maybe_unused]] void const* c, [[maybe_unused]] double num) {
        if constexpr (requires { Op::template eval_raw<T..., R>(out, a); }) {
            Op::template eval_raw<T..., R>(out, a);
        } else {
            auto& to = *static_cast<typename register_type<out_type>::type*>(out);
            operand<0> const x = *static_cast<input_register<0> const*>(a);
            if constexpr (arity == 1) {
                if constexpr (has_number<Op>) to = as_register<out_type>(Op::eval(x, num));
                else to = as_register<out_type>(Op::eval(x));
            } else {
                operand<1> const y = *static_cast<input_register<1> const*>(b);
                if constexpr (arity == 2) {
                    if constexpr (has_number<Op>) to = as_register<out_type>(Op::eval(x, y, num));
                    else to = as_register<out_type>(Op::eval(x, y));
                } else {
                    operand<2> const z = *static_cast<input_register<2> const*>(c);
                    if constexpr (has_number<Op>) to = as_register<out_type>(Op::eval(x, y, z, num));
                    else to = as_register<out_type>(Op::eval(x, y, z));
                }
            }
        }
    }

    /// Of numbers, for those operations that have an instruction of their own for one.
    TAPELESS_CONFIG_INLINE static void eval_one_rule(void* out, void const* a, void const* b, void const* c, double) {
        evaluate_one(std::make_integer_sequence<int, arity>{}, out, a, b, c);
    }
    template <int... I>
    TAPELESS_CONFIG_INLINE static void evaluate_one(std::integer_sequence<int, I...>, void* out, void const* a,
                                                    [[maybe_unused]] void const* b, [[maybe_unused]] void const* c) {
        *static_cast<simd::batch<R>*>(out) = simd::batch<R>(
            Op::eval(simd::detail::first(*static_cast<simd::batch<T> const*>(I == 0 ? a : I == 1 ? b : c))...));
    }

    /// Translation units built for other instruction sets have their own.
    template <class Build>
    static void run_rule(strided const* in, strided const* out, attribute const& at, void* scratch) {
        if constexpr (requires {
                          Op::template run<typename type_of_dtype<dtype_of<T>()>::type...>(in, out, at, scratch);
                      })
            Op::template run<typename type_of_dtype<dtype_of<T>()>::type...>(in, out, at, scratch);
        else Op::template run<typename type_of_dtype<dtype_of<T>()>::type...>(in, *out, at);
    }
    template <class Build, int Rows>
    TAPELESS_CONFIG_INLINE static void run_small_rule(strided const* in, strided const* out, attribute const& at,
                                                      void*) {
        if constexpr (requires { Op::part; })
            Op::template run_small<Rows, typename type_of_dtype<dtype_of<T>()>::type...>(in, out, at);
        else Op::template run_small<Rows, typename type_of_dtype<dtype_of<T>()>::type...>(in, *out, at);
    }
    template <std::size_t... K>
    static constexpr void put_small(operation& o, std::index_sequence<K...>) {
        o.has_small = true;
        ((o.run_small[K] = &run_small_rule<simd::batch<float>, small_sizes[K]>), ...);
    }

    // what an operation of another kind may have is not looked for: every question costs every program
    static constexpr operation make() {
        operation o;
        o.name = Op::name.text;
        o.is = builtin_of<Op>;
        o.identity = identity_of<Op, T...>();
        o.kind = Op::kind;
        o.arity = arity;
        o.keeps_type = moves_elements<Op> || o.kind == node_kind::alias;
        int i = 0;
        ((o.in[i++] = dtype_of<typename table_type<T, T..., R>::type>()), ...);
        o.out = dtype_of<out_type>();
        if constexpr (requires(builder& b, node const& n) { Op::template simplify<R>(b, n); }) {
            o.simplify = &simplify_rule;
            o.simplifies = true;
        }
        if constexpr (std::floating_point<computed<R>> && !requires { requires !Op::differentiable; }) {
            o.pullback = &pullback_rule;
            o.differentiable = true;
            if constexpr (has_pushforward<Op>) {
                o.pushforward = &pushforward_rule;
                o.pushes = true;
            }
        }
        if constexpr (requires { Op::cost; }) o.cost = Op::cost;
        if constexpr (Op::kind == node_kind::elementwise) {
            if constexpr (requires { Op::side_by_side; }) o.side_by_side = Op::side_by_side;
            if constexpr (requires { Op::same_value; }) o.same_value = Op::same_value;
            else o.eval = o.eval_one = &eval_rule;
            if constexpr (requires { Op::knows_numbers; }) o.eval_one = &eval_one_rule;
        } else {
            if constexpr (requires { Op::combine; }) o.combine = Op::combine;
            if constexpr (requires { Op::form; }) o.form = Op::form;
            if constexpr (requires { Op::of_items; }) o.of_items = Op::of_items;
            if constexpr (Op::kind == node_kind::custom_loop) put_loops(o);
        }
        if constexpr (requires(builder& b, node const& n) { Op::shape(b, n); }) {
            o.shape = &shape_rule;
            o.shapes = true;
        }
        return o;
    }
    static constexpr void put_loops(operation& o) {
        if constexpr (requires { Op::part; }) o.part = Op::part;
        else if constexpr (requires { Op::role; }) o.role = Op::role;
        else o.run = &run_rule<simd::batch<float>>;
        if constexpr (requires { Op::knows_small_sizes; })
            put_small(o, std::make_index_sequence<std::size(small_sizes)>{});
        if constexpr (requires(attribute const& at) { Op::cut(at, 0, 0); }) o.cut = &Op::cut, o.cuts = true;
        if constexpr (requires { Op::parameters; }) o.parameters = Op::parameters;
        if constexpr (requires { typename Op::finished; }) {
            o.finished = &operation_table<typename Op::finished, T..., R>::value;
            o.finished_axis = Op::finished_axis;
        }
        if constexpr (requires { Op::is_finished; }) o.is_finished = true;
        if constexpr (requires { typename Op::pooled; })
            if constexpr (!std::is_void_v<typename Op::pooled>) {
                if constexpr (!requires { Op::is_finished; })
                    o.pooled = &operation_table<typename Op::pooled, T..., R>::value;
                else o.pooled = &operation_table<typename Op::pooled, T...>::value;
                o.has_pooled = true;
            }
        if constexpr (requires { Op::pools_results; }) {
            o.kept = &operation_table<typename Op::template kept<R>, R>::value;
            o.pools_results = true;
        }
        if constexpr (requires { Op::pools_pairs; }) o.pools_pairs = Op::pools_pairs;
        if constexpr (requires { Op::runs_alone; }) o.runs_alone = Op::runs_alone;
        if constexpr (requires { Op::takes_leading_axes; }) o.takes_leading_axes = Op::takes_leading_axes;
        if constexpr (requires(builder& b, node const& n) { Op::of_all(b, n, 0u); }) {
            o.of_all = &batch_rule;
            o.batches = true;
        }
        if constexpr (requires { Op::template scratch_element<T...>; })
            o.scratch_element = Op::template scratch_element<T...>;
        if constexpr (requires { Op::scratch_by_offset; }) o.scratch_by_offset = Op::scratch_by_offset;
    }
    static constexpr operation value = make();

    static constexpr int emit(builder& b, attribute at, std::array<int, sizeof...(T)> in) {
        if constexpr (!(std::same_as<T, R> || ...) && !(storage_only<T> || ...)) b.knows<R>();
        // logic on masks keeps the width of the first
        if constexpr (std::same_as<R, bool> && (std::same_as<T, bool> && ...)) {
            if (b.nodes.items[in[0]].type == dtype::mask64)
                return operation_table<Op, typename std::conditional<true, mask64_t, T>::type...>::emit(b, at, in);
        }
        node n;
        n.attr = at;
        for (int i = 0; i < arity; ++i) {
            n.in[i] = in[static_cast<std::size_t>(i)];
            if constexpr (moves_elements<Op>) n.in[i] = from_memory(b, n.in[i]);
            else if (is_mask(value.in[i])) n.in[i] = to_mask(b, n.in[i], value.in[i]);
        }
        return b.emit(value, n);
    }
};

}  // namespace detail::ops_part
}  // namespace tapeless
