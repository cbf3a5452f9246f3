// SPDX-License-Identifier: MIT
#pragma once
// Logarithms of densities of normal vectors: by their covariance, its Cholesky factor, or its inverse.

#include <tapeless/functional/density/terms.hpp>
#include <tapeless/ops/linalg/cholesky.hpp>
#include <tapeless/ops/product.hpp>
#include <tapeless/ops/reshape.hpp>

namespace tapeless {
namespace detail::inline functional_part {

/// y - mu, vectors along the last axis.
template <class Y, class Mu>
constexpr auto deviation(Y const& y, Mu const& mu) {
    using T = arguments_of<"multivariate_normal_lpdf", Y, Mu>;
    if constexpr (!accepts(T::why_not())) {
        return let(cast<typename T::type>(y));
    } else {
        auto const d = let(named_as<T>(y) - named_as<T>(mu));
        static_assert(decltype(d)::rank > 0, "multivariate_normal_lpdf: y, or mu, has vectors along its last axis");
        return d;
    }
}
/// The sum over all vectors of -|l⁻¹ d|²/2 - n ln(2 pi)/2 - the sum of ln l_ii.
template <density::terms K, class D, class L>
constexpr auto normal_by_factor(D const& d, L const& l) {
    auto const each = [](auto const& z) { return -0.5 * square(z) - constant_term<K>(half_log_2pi); };
    auto const logs = sum<-1>(log(diagonal(l)));
    if constexpr (L::rank == 2 && D::rank > 2) return normal_by_factor<K>(flatten<0, -2>(d), l);
    else if constexpr (L::rank == 2 && D::rank == 2)  // one matrix, many vectors: they are the columns of one system
        return sum(sum<0>(each(linalg::solve_triangular(l, transpose(d), linalg::quiet))) - logs);
    else return sum(sum<-1>(each(linalg::solve_triangular(l, d, linalg::vectors, linalg::quiet))) - logs);
}
}  // namespace detail::functional_part

namespace density {

/// -(y - mu)ᵀ sigma⁻¹ (y - mu)/2 - ln|sigma|/2 - n ln(2 pi)/2, summed over all vectors; y and mu have vectors along
/// their last axis, sigma is a matrix for all of them, or one for each: leading axes broadcast. What is read of sigma
/// is (sigma + sigmaᵀ)/2; where it is not positive definite the density is NaN.
template <terms K = terms::all, detail::any_term Y, detail::any_term Mu, expression Sigma>
constexpr auto multivariate_normal_lpdf(Y const& y, Mu const& mu, Sigma const& sigma) {
    return detail::normal_by_factor<K>(detail::deviation(y, mu), let(linalg::cholesky(sigma, linalg::quiet)));
}
/// The same by the lower triangle l of sigma = l lᵀ.
template <terms K = terms::all, detail::any_term Y, detail::any_term Mu, expression L>
constexpr auto multivariate_normal_cholesky_lpdf(Y const& y, Mu const& mu, L const& l) {
    return detail::normal_by_factor<K>(detail::deviation(y, mu), let(l));
}
/// The same by the precision, the inverse of sigma.
template <terms K = terms::all, detail::any_term Y, detail::any_term Mu, expression P>
constexpr auto multivariate_normal_prec_lpdf(Y const& y, Mu const& mu, P const& precision) {
    auto const p = let(precision);
    auto const d = detail::deviation(y, mu);
    auto const logs = sum<-1>(log(diagonal(linalg::cholesky(p, linalg::quiet))));
    auto const product = [&] {
        if constexpr (P::rank == 2) return matmul(d, p);
        else return squeeze<-2>(matmul(unsqueeze<-2>(d), p));
    }();
    return sum(sum<-1>(-0.5 * (d * product) - detail::constant_term<K>(detail::half_log_2pi)) + logs);
}

}  // namespace density
}  // namespace tapeless
