// SPDX-License-Identifier: MIT
#pragma once
// Comparisons, tests, logic on masks, and what is chosen by a mask: where, masked_fill.

#include <tapeless/ops/arithmetic.hpp>

namespace tapeless {

/// Refuses numbers in the place of a mask.
template <class Element>
struct where_needs_a_mask {
    static_assert(never<Element>, "where: the first argument is a mask, such as x > 0");
};
/// Refuses where(mask, a).
template <class Mask, class A>
struct where_needs_both_values {
    static_assert(never<Mask>,
                  "where(mask, a, b) chooses between two values: for 0 elsewhere write where(mask, a, 0.0). How many "
                  "elements a mask selects is known at run time only, so there is no array of them");
};

struct less_op : comparison<"less"> {
    static auto eval(auto a, auto b) { return simd::less(a, b); }
};
struct less_equal_op : comparison<"less_equal"> {
    static auto eval(auto a, auto b) { return simd::less_equal(a, b); }
};
struct equal_op : comparison<"equal"> {
    static constexpr bool takes_masks = true;
    static auto eval(auto a, auto b) { return simd::equal(a, b); }
};
struct not_equal_op : comparison<"not_equal"> {
    static constexpr bool takes_masks = true;
    static auto eval(auto a, auto b) { return simd::not_equal(a, b); }
};
// A finite x, and every integer, has x - x = 0; infinities and NaN give NaN.
struct isnan_op : comparison<"isnan"> {
    static auto eval(auto x) { return simd::not_equal(x, x); }
};
struct isinf_op : comparison<"isinf"> {
    static auto eval(auto x) { return simd::both(simd::equal(x, x), simd::not_equal(simd::sub(x, x), decltype(x)(0))); }
};
struct isfinite_op : comparison<"isfinite"> {
    static auto eval(auto x) { return simd::equal(simd::sub(x, x), decltype(x)(0)); }
};
struct and_op : comparison<"and"> {
    static constexpr bool takes_masks = true, takes_only_masks = true;
    static auto eval(auto a, auto b) { return simd::both(a, b); }
};
struct or_op : comparison<"or"> {
    static constexpr bool takes_masks = true, takes_only_masks = true;
    static auto eval(auto a, auto b) { return simd::either(a, b); }
};
struct not_op : comparison<"not"> {
    static constexpr bool takes_masks = true, takes_only_masks = true;
    static auto eval(auto a) { return simd::none_of(a); }
};

/// mask ? a : b. The cotangent goes to the chosen side; what the other side would have given is never looked at.
struct where_op : elementwise<"where"> {
    static constexpr int cost = 1;
    static constexpr bool takes_masks = true;
    static auto eval(auto m, auto a, auto b) { return simd::select(detail::mask_of(m, a), a, b); }
    static constexpr auto pullback(auto g, auto, auto m, auto, auto) {
        return cotangents(no_cotangent{}, where(m, g, 0.0), where(!m, g, 0.0));
    }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        return detail::simplify_where::first<T>(b, n);
    }
};

namespace detail::inline ops_part {
template <>
inline constexpr builtin builtin_of<equal_op> = builtin::equal;
template <>
inline constexpr builtin builtin_of<less_equal_op> = builtin::less_equal;
template <>
inline constexpr builtin builtin_of<where_op> = builtin::where;

/// A mask of another width, or bool from memory as a mask.
template <class From, class To>
struct mask_conversion {
    static constexpr int lanes = lanes_of<From>() > lanes_of<To>() ? lanes_of<From>() : lanes_of<To>();
    TAPELESS_CONFIG_INLINE static void eval_rule(void* out, void const* a, void const*, void const*, double) {
        using M = typename register_type<To>::type;
        if constexpr (std::same_as<From, bool>)
            *static_cast<M*>(out) = simd::load_mask<std::conditional_t<std::same_as<To, mask32_t>, float, double>>(
                static_cast<bool const*>(a), lanes);
        else simd::convert_mask(static_cast<typename register_type<From>::type const*>(a), static_cast<M*>(out), lanes);
    }
    static constexpr operation make() {
        operation o;
        o.name = "mask";
        o.identity = identity_of<mask_conversion>();
        o.arity = 1;
        o.in[0] = dtype_of<From>();
        o.out = dtype_of<To>();
        o.eval = o.eval_one = &eval_rule;
        return o;
    }
    static constexpr operation value = make();
};

constexpr int to_mask(builder& b, int id, dtype want) {
    dtype have = b.nodes[id].type;
    if (have == want) return id;
    node n;
    n.in[0] = id;
    if (have == dtype::b8)
        return want == dtype::mask32 ? b.emit(mask_conversion<bool, mask32_t>::value, n)
                                     : b.emit(mask_conversion<bool, mask64_t>::value, n);
    return want == dtype::mask32 ? b.emit(mask_conversion<mask64_t, mask32_t>::value, n)
                                 : b.emit(mask_conversion<mask32_t, mask64_t>::value, n);
}

template <class... E>
inline constexpr bool are_masks = (is_flag<typename E::value_type> && ...);

template <class T>
constexpr int emit_masked(builder& b, int mask, int x) {
    return operation_table<where_op, bool, T, T>::emit(b, {}, {mask, x, emit_constant<T>(b, 0)});
}
}  // namespace detail::ops_part

template <class A, class B>
concept operand_pair = operand_like<A> && operand_like<B> && (expression<A> || expression<B>);

template <class A, class B>
    requires operand_pair<A, B>
constexpr detail::applied<less_op, A, B> operator<(A const& a, B const& b) {
    return apply<less_op>(a, b);
}
template <class A, class B>
    requires operand_pair<A, B>
constexpr detail::applied<less_op, B, A> operator>(A const& a, B const& b) {
    return apply<less_op>(b, a);
}
template <class A, class B>
    requires operand_pair<A, B>
constexpr detail::applied<less_equal_op, A, B> operator<=(A const& a, B const& b) {
    return apply<less_equal_op>(a, b);
}
template <class A, class B>
    requires operand_pair<A, B>
constexpr detail::applied<less_equal_op, B, A> operator>=(A const& a, B const& b) {
    return apply<less_equal_op>(b, a);
}
template <class A, class B>
    requires operand_pair<A, B>
constexpr detail::applied<equal_op, A, B> operator==(A const& a, B const& b) {
    return apply<equal_op>(a, b);
}
template <class A, class B>
    requires operand_pair<A, B>
constexpr detail::applied<not_equal_op, A, B> operator!=(A const& a, B const& b) {
    return apply<not_equal_op>(a, b);
}
template <expression A, expression B>
constexpr detail::applied<and_op, A, B> operator&&(A const& a, B const& b) {
    static_assert(detail::are_masks<A, B>, "&& combines masks: write x != 0 for numbers");
    return apply<and_op>(a, b);
}
template <expression A, expression B>
constexpr detail::applied<or_op, A, B> operator||(A const& a, B const& b) {
    static_assert(detail::are_masks<A, B>, "|| combines masks: write x != 0 for numbers");
    return apply<or_op>(a, b);
}
template <expression A>
constexpr detail::applied<not_op, A> operator!(A const& a) {
    static_assert(detail::are_masks<A>, "! inverts a mask: write x == 0 for numbers");
    return apply<not_op>(a);
}

namespace detail::inline ops_part {
/// Where the library compares its own enumerators and lengths, the search for operators ends here: g++ would try those
/// above each time, a thirtieth of the time it takes to read this library. Expressions bring theirs along.
struct nothing {};
void operator==(nothing, nothing);
void operator!=(nothing, nothing);
void operator<(nothing, nothing);
void operator>(nothing, nothing);
void operator<=(nothing, nothing);
void operator>=(nothing, nothing);
void operator&&(nothing, nothing);
void operator||(nothing, nothing);
void operator!(nothing);
void operator+(nothing, nothing);
void operator-(nothing, nothing);
void operator*(nothing, nothing);
void operator/(nothing, nothing);
void operator%(nothing, nothing);
void operator^(nothing, nothing);
void operator&(nothing, nothing);
void operator|(nothing, nothing);
void operator<<(nothing, nothing);
void operator>>(nothing, nothing);
void operator~(nothing);
void operator*(nothing);
void operator++(nothing);
void operator++(nothing, int);
void operator--(nothing);
void operator--(nothing, int);
}  // namespace detail::ops_part

/// x is NaN
template <any_expression A>
constexpr detail::applied<isnan_op, A> isnan(A const& a) {
    return apply<isnan_op>(a);
}
/// x is an infinity
template <any_expression A>
constexpr detail::applied<isinf_op, A> isinf(A const& a) {
    return apply<isinf_op>(a);
}
/// x is neither NaN nor an infinity
template <any_expression A>
constexpr detail::applied<isfinite_op, A> isfinite(A const& a) {
    return apply<isfinite_op>(a);
}

/// mask ? a : b, element by element; the three shapes broadcast together.
template <expression M, operand_like A, operand_like B>
    requires std::same_as<typename M::value_type, bool>
constexpr detail::applied<where_op, M, A, B> where(M const& mask, A const& a, B const& b) {
    static_assert(!number<A> || !number<B>,
                  "where: one of the two values is an array (two numbers have no element type)");
    return apply<where_op>(mask, a, b);
}
/// The same for all elements, known when the function is traced.
template <std::same_as<bool> M, operand_like A, operand_like B>
    requires(expression<A> || expression<B>)
constexpr auto where(M mask, A const& a, B const& b) {
    using E = std::conditional_t<expression<A>, A, B>;
    using T = std::conditional_t<std::same_as<typename E::value_type, bool>, float, typename E::value_type>;
    return where(literal<T>(mask) > 0, a, b);
}
template <expression M, operand_like A, operand_like B>
constexpr auto where(M const& numbers, A const& a, B const& b) {
    refuse(because<where_needs_a_mask<typename M::value_type>>{});
    if constexpr (number<A> && number<B>) return numbers;
    else return where(numbers != 0, a, b);
}
template <expression M, operand_like A>
constexpr auto where(M const& mask, A const&) {
    return refuse(because<where_needs_both_values<M, A>>{}), mask;
}
/// value where the mask is set, x elsewhere
template <expression A, expression M, operand_like V>
constexpr auto masked_fill(A const& x, M const& mask, V const& value) {
    return where(mask, value, x);
}

}  // namespace tapeless
