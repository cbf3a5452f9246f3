// SPDX-License-Identifier: MIT
#pragma once
// dropout: elements set to 0 at random, by a given mask or by a seed.

#include <tapeless/functional/layer_norm.hpp>
#include <tapeless/ops/random.hpp>

namespace tapeless {

/// Named in a message where p is no probability; never called.
inline void dropout_needs_p_from_zero_to_one() {}

namespace detail::inline functional_part {
/// 1 / (1 - p), and 0 for p = 1, where nothing is kept.
template <class P>
constexpr auto inverse_keep_rate(P const& p) {
    if constexpr (number<P>) {
        if (!(p >= P(0) && p <= P(1))) dropout_needs_p_from_zero_to_one();
        return p < 1 ? 1 / (1 - static_cast<double>(p)) : 0.0;
    } else return where(p < 1.0, 1.0 / (1.0 - p), 0.0);
}
}  // namespace detail::functional_part

/// x / (1 - p) where the mask is set, 0 elsewhere. A mask of numbers counts as a factor: x mask / (1 - p).
template <expression X, parameter_array Mask, parameter_like P>
constexpr auto dropout(X const& x, Mask const& mask, P const& p) {
    auto const scale = detail::inverse_keep_rate(p);
    if constexpr (std::same_as<typename Mask::value_type, bool>) return where(mask, x * scale, 0.0);
    else return x * mask * scale;
}
/// x / (1 - p) with probability 1 - p, otherwise 0. The same seed (one integer, best an argument) drops the same
/// elements, in the gradient too, which draws the numbers again instead of storing them; another seed drops others.
template <expression X, parameter_like Seed, parameter_like P>
constexpr auto dropout(X const& x, Seed const& seed, P const& p) {
    auto const v = let(x);
    return where(uniform_like(v, seed) >= p, v * detail::inverse_keep_rate(p), 0.0);
}

}  // namespace tapeless
