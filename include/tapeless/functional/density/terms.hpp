// SPDX-License-Identifier: MIT
#pragma once
// What the densities share: which terms they keep, and arguments that are arrays, single values or numbers.

#include <limits>

#include <tapeless/ops/boundary.hpp>
#include <tapeless/ops/exponential.hpp>
#include <tapeless/ops/reduce.hpp>
#include <tapeless/ops/view.hpp>

namespace tapeless {

namespace density {

/// Which terms of a density are added up: all of them, or those that a sampler needs. `propto` leaves out what is
/// made of plain numbers alone, and in the lpmf what is made of counts alone; what is left is the density up to a
/// factor.
enum class terms { all, propto };
inline constexpr terms propto = terms::propto;

}  // namespace density

/// Refuses arguments whose shapes do not broadcast.
template <fixed_string Density, class... Shapes>
struct density_arguments_do_not_broadcast {
    static_assert(sizeof...(Shapes) == 0,
                  "density: shapes of two arguments differ on an axis where neither extent is 1 (shapes align on the "
                  "right)");
};

namespace detail::inline functional_part {

/// An argument of a density: an array, a single value, or a number.
template <class E>
concept any_term = expression<E> || number<E>;

/// The element type of the first argument that is an array of floating-point numbers; double where there is none.
template <class... A>
struct real_among {
    using type = double;
};
template <expression A, class... Rest>
    requires(std::floating_point<computed<typename A::value_type>>)
struct real_among<A, Rest...> {
    using type = computed<typename A::value_type>;
};
template <class A, class... Rest>
struct real_among<A, Rest...> : real_among<Rest...> {};

template <class A>
struct shape_beside : shape_or_none<A> {};
template <number A>
struct shape_beside<A> {
    using type = shape<>;
};
template <class A>
constexpr bool shapes_broadcast() {
    return true;
}
template <class A, class B, class... More>
constexpr bool shapes_broadcast() {
    if constexpr (!broadcast_shape<A, B>::ok) return false;
    else return shapes_broadcast<typename broadcast_shape<A, B>::type, More...>();
}
/// The arguments of a density: of which type they are computed, and whether their shapes fit one another. That is asked
/// once, with the density's name; of arguments that do not fit their sums are taken, so that nothing else is refused.
template <fixed_string Density, class... A>
struct arguments_of {
    using type = typename real_among<A...>::type;
    static constexpr auto why_not() {
        if constexpr ((is_node_ref<A> || ...)) return because<no_reason>{};
        else if constexpr (shapes_broadcast<typename shape_beside<A>::type...>()) return because<no_reason>{};
        else return because<density_arguments_do_not_broadcast<Density, typename shape_beside<A>::type...>>{};
    }
};

/// An argument as numbers of the type of all of them: counts and masks are converted.
template <class Arguments, class E>
constexpr auto named_as(E const& e) {
    using T = typename Arguments::type;
    if constexpr (number<E>) return literal<T>(static_cast<double>(e));
    else if constexpr (!accepts(Arguments::why_not())) return let(sum(cast<T>(e)));
    else if constexpr (std::integral<typename E::value_type>) return let(cast<T>(e));
    else return let(e);
}

/// each + term, a term of the arguments Of; with propto only if one of them is more than a number.
template <density::terms K, class... Of, class E, class Term>
constexpr auto with_term(E const& each, Term const& term) {
    if constexpr (K == density::terms::all || (expression<Of> || ...)) return each + term;
    else return each;
}
/// A number that propto leaves out.
template <density::terms K>
constexpr double constant_term(double c) {
    return K == density::terms::all ? c : 0.0;
}

inline constexpr double minus_infinity = -std::numeric_limits<double>::infinity();
inline constexpr double half_log_2pi = 0.91893853320467274178, log_pi = 1.1447298858494001741,
                        log_2 = 0.69314718055994530942;

}  // namespace detail::functional_part
}  // namespace tapeless
