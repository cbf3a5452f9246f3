// SPDX-License-Identifier: MIT
#pragma once
// Shapes of expressions as types, computed by the same rules that the graph uses on values.

#include <utility>

#include <tapeless/ir/builder.hpp>

namespace tapeless {
namespace detail::inline ir_part {

template <int I, auto Head, auto... Tail>
struct nth_extent : nth_extent<I - 1, Tail...> {};
template <auto Head, auto... Tail>
struct nth_extent<0, Head, Tail...> {
    static constexpr auto value = Head;
};

template <int I, class Shape>
struct shape_extent;
template <int I, auto... E>
struct shape_extent<I, shape<E...>> : nth_extent<I, E...> {};

/// A shape type as a value; a run-time extent is written as the operand and axis it comes from.
template <class Shape>
constexpr dims dims_of(int operand = 0) {
    dims d;
    d.rank = Shape::rank;
    int axis = 0;
    for (auto e : Shape::extents) {
        d.extent[axis] = e >= 0 ? e : ~static_cast<std::int64_t>(operand * max_rank + axis);
        ++axis;
    }
    return d;
}

/// In a shape rule: an extent that only run time knows, and that is no operand's.
inline constexpr std::int64_t new_extent = -0x7fffffffffffffff - 1;

/// Where shapes are types two run-time extents are taken to agree; the graph notes the check.
struct type_unifier {
    bool ok = true;
    constexpr std::int64_t same(std::int64_t a, std::int64_t b) {
        if (a >= 0 && b >= 0) ok = false;
        return a >= 0 ? a : b >= 0 ? b : a;
    }
};

/// Back from a value to a type: Rule::value is a dims, made from these shapes by dims_of.
template <class Rule, class... Shapes>
struct shape_from {
    template <std::int64_t E>
    static constexpr auto extent() {
        if constexpr (E >= 0) return canonical_extent<E>();
        else if constexpr (E == new_extent) return dyn;
        else return from_operand<static_cast<int>((~E) / max_rank), static_cast<int>((~E) % max_rank), Shapes...>();
    }
    template <int Operand, int Axis, class Head, class... Tail>
    static constexpr auto from_operand() {
        if constexpr (Operand == 0) return shape_extent<Axis, Head>::value;
        else return from_operand<Operand - 1, Axis, Tail...>();
    }
    template <int I>
    struct one {
        static constexpr auto value = extent<Rule::value.extent[I]>();
    };
    template <int... I>
    static shape<one<I>::value...> make(std::integer_sequence<int, I...>);
    using type = decltype(make(std::make_integer_sequence<int, Rule::value.rank>{}));
};

template <class A, class B>
struct broadcast_rule {
    static constexpr bool fits() {
        type_unifier u;
        (void)broadcast(u, dims_of<A>(0), dims_of<B>(1));
        return u.ok;
    }
    static constexpr dims compute() {
        type_unifier u;
        return broadcast(u, dims_of<A>(0), dims_of<B>(1));
    }
    static constexpr bool ok = fits();
    static constexpr dims value = compute();
};
}  // namespace detail::ir_part

/// Refuses, with both shapes in the message: on some axis (aligned on the right) the extents differ and neither is 1.
template <class Op, class A, class B>
struct broadcast_extents_differ {
    static_assert(never<A>,
                  "broadcast: two shapes differ on an axis where neither extent is 1 (shapes align on the right)");
};

namespace detail::inline ir_part {
template <class A, class B>
struct broadcast_shape {
    static constexpr bool ok = broadcast_rule<A, B>::ok;
    using type = typename shape_from<broadcast_rule<A, B>, A, B>::type;
};
template <class A>
struct broadcast_shape<A, A> {
    static constexpr bool ok = true;
    using type = A;
};
template <class A>
    requires(A::rank > 0)
struct broadcast_shape<A, shape<>> {
    static constexpr bool ok = true;
    using type = A;
};
template <class A>
    requires(A::rank > 0)
struct broadcast_shape<shape<>, A> {
    static constexpr bool ok = true;
    using type = A;
};

/// The shape of operands side by side; that of the first ones where they do not fit, which check_broadcast reports.
template <class... S>
struct broadcast_all;
template <class A>
struct broadcast_all<A> {
    using type = A;
};
template <class A, class B, class... Rest>
struct broadcast_all<A, B, Rest...> : broadcast_all<typename broadcast_shape<A, B>::type, Rest...> {};

/// Why the shapes do not fit.
template <class Op, class... S>
struct check_broadcast {
    using reason = no_reason;
};
template <class Op, class A, class B>
struct check_broadcast<Op, A, B> {
    using reason = unless<broadcast_shape<A, B>::ok, broadcast_extents_differ<Op, A, B>>;
};
template <class Op, class A, class B, class C>
struct check_broadcast<Op, A, B, C> {
    using reason =
        typename first_reason<typename check_broadcast<Op, A, B>::reason,
                              typename check_broadcast<Op, typename broadcast_shape<A, B>::type, C>::reason>::type;
};
}  // namespace detail::ir_part
}  // namespace tapeless
