// SPDX-License-Identifier: MIT
#pragma once
// batch_norm: every channel of x [N, C, ...] with mean 0 and variance 1, over the batch or by statistics gathered
// before.

#include <tapeless/functional/layer_norm.hpp>
#include <tapeless/ops/stretch.hpp>

namespace tapeless {

/// Refuses x without a channel axis, or statistics, gain or bias that are not one number a channel.
template <class X, class PerChannel>
struct not_one_number_a_channel {
    static_assert(never<X>, "batch_norm, group_norm: x is [N, C, ...]; statistics, gain and bias are [C]");
};

/// What batch_norm_training returns: the normalised x, and the new running statistics, which have no gradient.
template <class Out, class Mean, class Var>
struct batch_normalized {
    Out out;
    Mean mean;
    Var var;
};
/// How batch_norm_training moves the running statistics: new = (1 - momentum) old + momentum batch.
struct batch_norm_options {
    double momentum = 0.1;
    double eps = 1e-5;
};

namespace detail::inline functional_part {

/// Why p is not one number a channel of x.
template <class X, class P>
constexpr auto why_not_per_channel() {
    using S = typename X::shape_type;
    using C = typename P::shape_type;
    if constexpr (S::rank < 2 || C::rank != 1) return because<not_one_number_a_channel<S, C>>{};
    else if constexpr (S::extents[1] >= 0 && C::extents[0] >= 0 && S::extents[1] != C::extents[0])
        return because<not_one_number_a_channel<S, C>>{};
    else return because<no_reason>{};
}

/// [C] beside [N, C, ...]: the axes behind C as extents of 1.
template <class P, int... I>
constexpr auto with_trailing_ones(P const& p, std::integer_sequence<int, I...>) {
    if constexpr (sizeof...(I) == 0) return p;
    else return unsqueeze<(I + 1)...>(p);
}
template <class X, class P>
constexpr auto beside_channels(P const& p) {
    if constexpr (!accepts(why_not_per_channel<X, P>())) return sum(p);  // something that fits
    else return with_trailing_ones(p, std::make_integer_sequence<int, (X::rank < 2 ? 0 : X::rank - 2)>{});
}

template <class X, class Mean, class Var, int... I>
constexpr auto normalized_by_batch(X const& x, Mean const& mean_before, Var const& var_before, batch_norm_options o,
                                   std::integer_sequence<int, I...>) {
    auto const out = standardized<0, (I + 2)...>(x, o.eps);
    auto const new_mean = stop_gradient((1 - o.momentum) * mean_before + o.momentum * mean<0, (I + 2)...>(x));
    auto const new_var = stop_gradient((1 - o.momentum) * var_before + o.momentum * var<0, (I + 2)...>(x));
    using result = batch_normalized<std::remove_const_t<decltype(out)>, std::remove_const_t<decltype(new_mean)>,
                                    std::remove_const_t<decltype(new_var)>>;
    return result{out, new_mean, new_var};
}
}  // namespace detail::functional_part

/// (x - mean) / sqrt(var + eps) a channel, by running statistics [C]: what a trained model does.
template <expression X, parameter_array Mean, parameter_array Var, parameter_like Eps = double>
constexpr auto batch_norm(X const& x, Mean const& running_mean, Var const& running_var, Eps const& eps = 1e-5) {
    return (x - detail::beside_channels<X>(running_mean)) * rsqrt(detail::beside_channels<X>(running_var) + eps);
}
/// batch_norm(x, running_mean, running_var) * gain + bias, the two [C].
template <expression X, parameter_array Mean, parameter_array Var, parameter_array Gain, parameter_array Bias,
          parameter_like Eps = double>
constexpr auto batch_norm(X const& x, Mean const& running_mean, Var const& running_var, Gain const& gain,
                          Bias const& bias, Eps const& eps = 1e-5) {
    return batch_norm(x, running_mean, running_var, eps) * detail::beside_channels<X>(gain) +
           detail::beside_channels<X>(bias);
}

/// (x - mean) / sqrt(var + eps) a channel, mean and var (divisor n) over the batch; and the new running statistics, the
/// variance among them with the divisor n - 1.
template <expression X, parameter_array Mean, parameter_array Var>
constexpr auto batch_norm_training(X const& x, Mean const& running_mean, Var const& running_var,
                                   batch_norm_options o = {}) {
    refuse(detail::why_not_per_channel<X, Mean>());
    refuse(detail::why_not_per_channel<X, Var>());
    return detail::normalized_by_batch(let(x), running_mean, running_var, o,
                                       std::make_integer_sequence<int, (X::rank < 2 ? 0 : X::rank - 2)>{});
}
/// The same, out * gain + bias.
template <expression X, parameter_array Mean, parameter_array Var, parameter_array Gain, parameter_array Bias>
constexpr auto batch_norm_training(X const& x, Mean const& running_mean, Var const& running_var, Gain const& gain,
                                   Bias const& bias, batch_norm_options o = {}) {
    auto const n = batch_norm_training(x, running_mean, running_var, o);
    auto const out = n.out * detail::beside_channels<X>(gain) + detail::beside_channels<X>(bias);
    return batch_normalized<std::remove_const_t<decltype(out)>, decltype(n.mean), decltype(n.var)>{out, n.mean, n.var};
}

}  // namespace tapeless
