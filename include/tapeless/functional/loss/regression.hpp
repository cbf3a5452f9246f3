// SPDX-License-Identifier: MIT
#pragma once
// Losses of numbers against numbers: mse, l1, smooth_l1, huber.

#include <tapeless/functional/loss/reduction.hpp>

namespace tapeless::loss {

/// (x - t)^2
template <reduction R = reduction::mean, expression X, class Target>
constexpr auto mse(X const& x, Target const& target) {
    return detail::reduced<R>(square(x - detail::beside<"mse">(x, target)));
}

/// |x - t|; the derivative is 0 at equality.
template <reduction R = reduction::mean, expression X, class Target>
constexpr auto l1(X const& x, Target const& target) {
    return detail::reduced<R>(abs(x - detail::beside<"l1">(x, target)));
}

}  // namespace tapeless::loss
