// SPDX-License-Identifier: MIT
#pragma once
// layer_norm and rms_norm: rows of mean 0 and variance 1, or of mean square 1. Two passes over a row that is in the
// cache.

#include <tapeless/functional/parameter.hpp>
#include <tapeless/ops/power.hpp>
#include <tapeless/ops/statistics.hpp>

namespace tapeless {

/// Refuses a gain or bias that is not of the shape of the axes normalised over.
template <class X, class Gain>
struct gain_differs_from_normalized_axes {
    static_assert(never<X>,
                  "layer_norm, rms_norm: gain and bias have the extents of the trailing axes that are normalised over");
};
/// Refuses to normalise over more axes than there are.
template <class X, int Axes>
struct too_few_axes_to_normalize {
    static_assert(never<X>, "layer_norm<axes>, rms_norm<axes>: at least one trailing axis, and no more than x has");
};

namespace detail::inline functional_part {

/// The number of trailing axes: as asked for, otherwise as many as the gain has.
template <int Axes, class Gain>
constexpr int trailing_axes() {
    if constexpr (Axes > 0 || is_node_ref<Gain>) return Axes > 0 ? Axes : 1;
    else return Gain::rank;
}
template <class X, class Gain>
constexpr bool fits_trailing_axes(int axes) {
    if (Gain::rank != axes || X::rank < axes) return false;
    for (int k = 1; k <= axes; ++k) {
        std::int64_t const x = X::extents[static_cast<std::size_t>(X::rank - k)],
                           g = Gain::extents[static_cast<std::size_t>(axes - k)];
        if (x >= 0 && g >= 0 && x != g) return false;
    }
    return true;
}
template <int Axes, class X>
constexpr void check_trailing_axes() {
    if constexpr (!is_node_ref<X>)
        if constexpr (Axes < 1 || Axes > X::shape_type::rank)
            refuse(because<too_few_axes_to_normalize<typename X::shape_type, Axes>>{});
}
/// Gain or bias; x itself, which fits, in place of one that does not, and is refused.
template <int Axes, class X, class Gain>
constexpr auto const& fitting([[maybe_unused]] X const& x, Gain const& gain) {
    if constexpr (is_node_ref<X> || is_node_ref<Gain>) return gain;
    else if constexpr (fits_trailing_axes<typename X::shape_type, typename Gain::shape_type>(Axes)) return gain;
    else
        return refuse(because<gain_differs_from_normalized_axes<typename X::shape_type, typename Gain::shape_type>>{}),
               x;
}

/// 0, 1, ... of so many axes: not of more than x has, which has been refused.
template <int Axes, class X>
constexpr int count_axes() {
    if constexpr (Axes < 1) return 1;
    else if constexpr (is_node_ref<X>) return Axes;
    else return Axes <= X::rank ? Axes : X::rank;
}
template <int Axes, class X>
using axes_there_are = std::make_integer_sequence<int, count_axes<Axes, X>()>;

/// (x - mean) / sqrt(var + eps) over the axes named.
template <int... Axis, class X, class Eps>
constexpr auto standardized(X const& x, Eps const& eps) {
    return (x - mean<Axis...>(x, keepdims)) * rsqrt(var<Axis...>(x, keepdims, {.correction = 0}) + eps);
}
template <class X, class Eps, int... I>
constexpr auto standardized_rows(X const& x, Eps const& eps, std::integer_sequence<int, I...>) {
    return standardized<(-1 - I)...>(x, eps);
}
template <class X, class Eps, int... I>
constexpr auto rows_of_mean_square_one(X const& x, Eps const& eps, std::integer_sequence<int, I...>) {
    return x * rsqrt(mean<(-1 - I)...>(x * x, keepdims) + eps);
}
}  // namespace detail::functional_part

/// (x - mean) / sqrt(var + eps) over the last axis, or over the last `Axes` ones; var has the divisor n.
template <int Axes = 1, expression X, parameter_like Eps = double>
constexpr auto layer_norm(X const& x, Eps const& eps = 1e-5) {
    detail::check_trailing_axes<Axes, X>();
    return detail::standardized_rows(let(x), eps, detail::axes_there_are<Axes, X>{});
}
/// layer_norm(x) * gain, over as many trailing axes as gain has.
template <int Axes = 0, expression X, parameter_array Gain, parameter_like Eps = double>
constexpr auto layer_norm(X const& x, Gain const& gain, Eps const& eps = 1e-5) {
    constexpr int axes = detail::trailing_axes<Axes, Gain>();
    detail::check_trailing_axes<axes, X>();
    return detail::standardized_rows(let(x), eps, detail::axes_there_are<axes, X>{}) * detail::fitting<axes>(x, gain);
}
/// layer_norm(x) * gain + bias, over as many trailing axes as gain has.
template <int Axes = 0, expression X, parameter_array Gain, parameter_array Bias, parameter_like Eps = double>
constexpr auto layer_norm(X const& x, Gain const& gain, Bias const& bias, Eps const& eps = 1e-5) {
    constexpr int axes = detail::trailing_axes<Axes, Gain>();
    detail::check_trailing_axes<axes, X>();
    return detail::standardized_rows(let(x), eps, detail::axes_there_are<axes, X>{}) * detail::fitting<axes>(x, gain) +
           detail::fitting<axes>(x, bias);
}

/// x / sqrt(mean(x^2) + eps) over the last axis, or over the last `Axes` ones.
template <int Axes = 1, expression X, parameter_like Eps = double>
constexpr auto rms_norm(X const& x, Eps const& eps = 1e-5) {
    detail::check_trailing_axes<Axes, X>();
    return detail::rows_of_mean_square_one(let(x), eps, detail::axes_there_are<Axes, X>{});
}
/// rms_norm(x) * gain, over as many trailing axes as gain has.
template <int Axes = 0, expression X, parameter_array Gain, parameter_like Eps = double>
constexpr auto rms_norm(X const& x, Gain const& gain, Eps const& eps = 1e-5) {
    constexpr int axes = detail::trailing_axes<Axes, Gain>();
    detail::check_trailing_axes<axes, X>();
    return detail::rows_of_mean_square_one(let(x), eps, detail::axes_there_are<axes, X>{}) *
           detail::fitting<axes>(x, gain);
}

}  // namespace tapeless
