// SPDX-License-Identifier: MIT
#pragma once
// Logarithms of densities of vectors and matrices: dirichlet_lpdf, lkj_corr_cholesky_lpdf.

#include <tapeless/functional/density/terms.hpp>
#include <tapeless/ops/cumulative.hpp>
#include <tapeless/ops/gamma.hpp>
#include <tapeless/ops/slice.hpp>
#include <tapeless/ops/triangle.hpp>

namespace tapeless {

/// Refuses matrices that are not square, or whose size only run time knows.
template <class Shape>
struct lkj_needs_square_matrices {
    static_assert(never<Shape>,
                  "lkj_corr_cholesky_lpdf: the last two extents are equal numbers, known when compiled");
};

namespace density {

/// The sum over k of (alpha_k - 1) ln theta_k - ln gamma(alpha_k), plus ln gamma(the sum of alpha); vectors along the
/// last axis, summed over the others.
template <terms K = terms::all, expression Theta, expression Alpha>
    requires(Theta::rank > 0 && Alpha::rank > 0)
constexpr auto dirichlet_lpdf(Theta const& theta, Alpha const& alpha) {
    auto const a = let(alpha);
    return sum(sum<-1>(xlogy(a - 1.0, theta)) + (lgamma(sum<-1>(a)) - sum<-1>(lgamma(a))));
}

/// Of Cholesky factors L of n x n correlation matrices: the sum over k = 2, ..., n of (n - k + 2 eta - 2) ln L_kk, plus
/// (n - 1) ln gamma(eta + (n-1)/2) - the sum over k < n of k ln(pi)/2 + ln gamma(eta + (n-1-k)/2). eta is one number.
template <terms K = terms::all, expression L, detail::any_term Eta>
    requires(L::rank >= 2)
constexpr auto lkj_corr_cholesky_lpdf(L const& l, Eta const& eta) {
    using S = typename L::shape_type;
    using T = detail::arguments_of<"lkj_corr_cholesky_lpdf", L>;
    constexpr std::int64_t n = detail::dims_of<S>().from_right(0);
    if constexpr (n < 1 || n != detail::dims_of<S>().from_right(1)) refuse(because<lkj_needs_square_matrices<S>>{});
    auto const e = detail::named_as<T>(eta);
    auto const d = let(log(slice<-1, 1, to_end>(diagonal(l))));
    // the sum of the sums so far has the element before the last twice, and so on: each n - k + 1 times
    auto const each = sum<-1>(cumsum<-1>(d)) + (2.0 * e - 3.0) * sum<-1>(d);
    if constexpr (K == terms::all || expression<Eta>) {
        constexpr double m = static_cast<double>(n - 1);
        auto const log_gammas = [&]<int... I>(std::integer_sequence<int, I...>) {
            return ((m * lgamma(e + 0.5 * m)) - ... - lgamma(e + 0.5 * I));
        }(std::make_integer_sequence<int, static_cast<int>(n - 1)>{});
        return sum(each + (log_gammas - detail::constant_term<K>(0.25 * m * (m + 1) * detail::log_pi)));
    } else {
        return sum(each);
    }
}

}  // namespace density
}  // namespace tapeless
