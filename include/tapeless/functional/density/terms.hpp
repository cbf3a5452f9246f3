// SPDX-License-Identifier: MIT
#pragma once
// What the densities share: which terms they keep, and arguments that are arrays, single values or numbers.

#include <limits>

#include <tapeless/ops/boundary.hpp>
#include <tapeless/ops/exponential.hpp>
#include <tapeless/ops/reduce.hpp>

namespace tapeless {

namespace density {

/// Which terms of a density are added up: all of them, or those that a sampler needs. `propto` leaves out what is
/// made of plain numbers alone, and in the lpmf what is made of counts alone; what is left is the density up to a
/// factor.
enum class terms { all, propto };
inline constexpr terms propto = terms::propto;

}  // namespace density

namespace detail {

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

/// An argument as numbers of type T: counts and masks are converted.
template <class T, class E>
constexpr auto named_as(E const& e) {
    if constexpr (number<E>) return literal<T>(static_cast<double>(e));
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

}  // namespace detail
}  // namespace tapeless
