// SPDX-License-Identifier: MIT
#pragma once
// Reductions composed of sums and maxima, with rules of their own: var, std_dev, logsumexp, norm.

#include <limits>

#include <tapeless/ops/exponential.hpp>
#include <tapeless/ops/reduce.hpp>

namespace tapeless {

/// How var and std_dev divide: by the number of elements less the correction.
struct variance {
    int correction = 1;
};

/// Refuses NumPy's name of the correction.
template <class A>
struct option_is_called_correction {
    static_assert(never<A>,
                  "var, std_dev: the option is called correction: var<0>(x, {.correction = 1}), which is 1 "
                  "where nothing is said");
};
/// Refuses var(x, 1).
template <class A>
struct correction_stands_in_braces {
    static_assert(never<A>,
                  "var, std_dev: axes stand in angle brackets, the correction in braces: "
                  "var<0>(x, {.correction = 0})");
};
namespace detail::inline ops_part {
/// What {.ddof = 1} makes, and neither {1} nor {}.
struct named_ddof {
    struct nothing {
    } none = {};
    struct number {
        constexpr number(double) {}
    } ddof;
};
}  // namespace detail::ops_part

/// Called by no one: norm<axes...>(x, p) has p > 0.
inline void norm_needs_p_greater_than_zero() {}

namespace detail::inline ops_part {
template <class Op, class T>
constexpr node_ref<T> over(attribute const& at, node_ref<T> x) {
    return apply_with<Op>(attribute{.axes = at.axes}, x);
}
/// The elements less their mean.
template <class T>
constexpr node_ref<T> centred(node_ref<T> x, attribute const& at) {
    return x - over<mean_op>(at, x);
}
/// max(n - correction, 0)
template <class T>
constexpr node_ref<T> degrees_of_freedom(node_ref<T> x, attribute const& at) {
    node_ref<T> const n = count_of(x, at.axes) - at.correction();
    if (!x.graph->is_constant(n.id)) return maximum(n, 0.0);
    double const fixed = x.graph->nodes[n.id].attr.value();
    return {x.graph, emit_constant<T>(*x.graph, fixed > 0 ? fixed : 0)};
}

/// The largest element, of nothing the lowest; no gradient: what it is subtracted from does not depend on it.
struct peak_op : reduce_base<"max", combination::max, false> {
    static constexpr bool differentiable = false;
};
/// The largest element where it is finite, otherwise 0: what exponents are taken relative to.
template <class T>
constexpr node_ref<T> finite_peak(node_ref<T> x, attribute const& at) {
    auto const m = over<peak_op>(at, x);
    return where(abs(m) == std::numeric_limits<double>::infinity(), 0.0, m);
}
}  // namespace detail::ops_part

/// sum((x - mean)^2) / (n - correction), in two passes; d/dx = 2 (x - mean) / (n - correction).
struct var_op : detail::composed_reduction<var_op, "var"> {
    static constexpr auto value(auto x, detail::attribute const& at) {
        auto const d = detail::centred(x, at);
        return detail::over<sum_op>(at, d * d) / detail::degrees_of_freedom(x, at);
    }
    static constexpr auto rule(auto g, auto, auto x, detail::attribute const& at) {
        return 2.0 * g / detail::degrees_of_freedom(x, at) * detail::centred(x, at);
    }
};

/// sqrt(var); d/dx = (x - mean) / ((n - correction) y), and 0 where y = 0.
struct std_dev_op : detail::composed_reduction<std_dev_op, "std_dev"> {
    static constexpr auto value(auto x, detail::attribute const& at) { return sqrt(var_op::value(x, at)); }
    static constexpr auto rule(auto g, auto y, auto x, detail::attribute const& at) {
        return where(y == 0.0, 0.0, g / y) / detail::degrees_of_freedom(x, at) * detail::centred(x, at);
    }
};

/// log(sum(e^x)), relative to the largest element; d/dx = e^(x - y), 0 where everything is -inf.
struct logsumexp_op : detail::composed_reduction<logsumexp_op, "logsumexp"> {
    static constexpr auto value(auto x, detail::attribute const& at) {
        auto const m = detail::finite_peak(x, at);
        return m + log(detail::over<sum_op>(at, exp(x - m)));
    }
    static constexpr auto rule(auto g, auto, auto x, detail::attribute const& at) {
        auto const e = exp(x - detail::finite_peak(x, at));  // those of the value
        auto const s = detail::over<sum_op>(at, e);
        return e * (g / where(s == 0.0, 1.0, s));
    }
};

/// (sum |x|^p)^(1/p); d/dx = sign(x) (|x| / y)^(p-1), and 0 where y = 0. The limit for p = inf is the largest |x|.
struct norm_op : detail::composed_reduction<norm_op, "norm"> {
    static constexpr auto value(auto x, detail::attribute const& at) {
        double const p = at.exponent();
        return p == 2 ? sqrt(detail::over<sum_op>(at, x * x)) : pow(detail::over<sum_op>(at, pow(abs(x), p)), 1 / p);
    }
    static constexpr auto rule(auto g, auto y, auto x, detail::attribute const& at) {
        auto const reciprocal = where(y == 0.0, 0.0, 1.0 / y);
        return at.exponent() == 2 ? g * reciprocal * x
                              : where(x == 0.0, 0.0, g * sign(x) * pow(abs(x) * reciprocal, at.exponent() - 1));
    }
    template <class T>
    static constexpr int simplify(detail::builder& b, detail::node const& n) {
        node_ref<T> const x(&b, n.in[0]);
        double const p = n.attr.exponent();
        if (p == 1) return detail::over<sum_op>(n.attr, abs(x)).id;
        if (p == std::numeric_limits<double>::infinity()) return detail::over<max_op>(n.attr, abs(x)).id;
        return detail::composed_reduction<norm_op, "norm">::simplify<T>(b, n);
    }
};

/// Variance over the axes named, or over all: var<0>(x), var<0>(x, {.correction = 0}).
template <int... Axis, expression A>
constexpr auto var(A const& a, variance v = {}) {
    return detail::reduce<var_op, false, Axis...>(a, v.correction);
}
/// Variance with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto var(A const& a, keepdims_t, variance v = {}) {
    return detail::reduce<var_op, true, Axis...>(a, v.correction);
}
/// Standard deviation over the axes named, or over all: the square root of var, and its gradient 0 where it is 0.
template <int... Axis, expression A>
constexpr auto std_dev(A const& a, variance v = {}) {
    return detail::reduce<std_dev_op, false, Axis...>(a, v.correction);
}
/// Standard deviation with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto std_dev(A const& a, keepdims_t, variance v = {}) {
    return detail::reduce<std_dev_op, true, Axis...>(a, v.correction);
}
/// log(sum(e^x)) over the axes named, or over all; stable for any x.
template <int... Axis, expression A>
constexpr auto logsumexp(A const& a) {
    return detail::reduce<logsumexp_op, false, Axis...>(a);
}
/// log(sum(e^x)) with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto logsumexp(A const& a, keepdims_t) {
    return detail::reduce<logsumexp_op, true, Axis...>(a);
}
/// (sum |x|^p)^(1/p) over the axes named, or over all, for p > 0 (infinity too); its gradient is 0 where it is 0.
template <int... Axis, expression A>
constexpr auto norm(A const& a, double p = 2) {
    if (!(p > 0)) norm_needs_p_greater_than_zero();
    return detail::reduce<norm_op, false, Axis...>(a, p);
}
/// The p-norm with the reduced axes kept as extents of 1.
template <int... Axis, expression A>
constexpr auto norm(A const& a, keepdims_t, double p = 2) {
    if (!(p > 0)) norm_needs_p_greater_than_zero();
    return detail::reduce<norm_op, true, Axis...>(a, p);
}

template <int... Axis, expression A>
constexpr auto var(A const& a, detail::named_ddof) {
    return refuse(because<option_is_called_correction<A>>{}), var<Axis...>(a);
}
template <int... Axis, expression A>
constexpr auto std_dev(A const& a, detail::named_ddof) {
    return refuse(because<option_is_called_correction<A>>{}), std_dev<Axis...>(a);
}
template <int... Axis, expression A>
constexpr auto var(A const& a, std::integral auto) {
    return refuse(because<correction_stands_in_braces<A>>{}), var<Axis...>(a);
}
template <int... Axis, expression A>
constexpr auto std_dev(A const& a, std::integral auto) {
    return refuse(because<correction_stands_in_braces<A>>{}), std_dev<Axis...>(a);
}
template <int... Axis, expression A>
constexpr auto var(keepdims_t keep, A const& a) {
    return refuse(because<keepdims_stands_after_the_array<A>>{}), var<Axis...>(a, keep);
}
template <int... Axis, expression A>
constexpr auto std_dev(keepdims_t keep, A const& a) {
    return refuse(because<keepdims_stands_after_the_array<A>>{}), std_dev<Axis...>(a, keep);
}
template <int... Axis, expression A>
constexpr auto logsumexp(keepdims_t keep, A const& a) {
    return refuse(because<keepdims_stands_after_the_array<A>>{}), logsumexp<Axis...>(a, keep);
}
template <int... Axis, expression A>
constexpr auto norm(keepdims_t keep, A const& a) {
    return refuse(because<keepdims_stands_after_the_array<A>>{}), norm<Axis...>(a, keep);
}
template <int... Axis, expression A>
constexpr auto logsumexp(A const& a, detail::axes_in_parentheses) {
    return refuse(because<axes_stand_in_angle_brackets<A>>{}), logsumexp<Axis...>(a);
}

}  // namespace tapeless
