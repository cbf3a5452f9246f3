// SPDX-License-Identifier: MIT
#pragma once
// Layers, losses and densities with tensors among their arguments, which are constants of the program.

#include <tapeless/functional/attention.hpp>
#include <tapeless/functional/batch_norm.hpp>
#include <tapeless/functional/density/counts.hpp>
#include <tapeless/functional/density/multivariate.hpp>
#include <tapeless/functional/density/positive.hpp>
#include <tapeless/functional/density/real.hpp>
#include <tapeless/functional/density/simplex.hpp>
#include <tapeless/functional/group_norm.hpp>
#include <tapeless/functional/layer_norm.hpp>
#include <tapeless/functional/loss/classes.hpp>
#include <tapeless/functional/loss/margin.hpp>
#include <tapeless/functional/loss/similarity.hpp>
#include <tapeless/ops/constant_operands.hpp>

namespace tapeless {

template <int... Axes, class... A>
    requires detail::constants_among<A...>
constexpr auto layer_norm(A const&... a) {
    return detail::with_constants([](auto const&... x) { return layer_norm<Axes...>(x...); }, a...);
}
template <int... Axes, class... A>
    requires detail::constants_among<A...>
constexpr auto rms_norm(A const&... a) {
    return detail::with_constants([](auto const&... x) { return rms_norm<Axes...>(x...); }, a...);
}
template <int Groups, class... A>
    requires detail::constants_among<A...>
constexpr auto group_norm(A const&... a) {
    return detail::with_constants([](auto const&... x) { return group_norm<Groups>(x...); }, a...);
}
template <class... A>
    requires detail::constants_among<A...>
constexpr auto batch_norm(A const&... a) {
    return detail::with_constants([](auto const&... x) { return batch_norm(x...); }, a...);
}
template <class... A>
    requires detail::constants_among<A...>
constexpr auto attention(A const&... a) {
    return detail::with_constants([](auto const&... x) { return attention(x...); }, a...);
}
template <int... Axis, class... A>
    requires detail::constants_among<A...>
constexpr auto cosine_similarity(A const&... a) {
    return detail::with_constants([](auto const&... x) { return cosine_similarity<Axis...>(x...); }, a...);
}

namespace loss {
using tapeless::cosine_similarity;

template <reduction R = reduction::mean, class X, class Target>
    requires detail::constants_among<X, Target>
constexpr auto nll(X const& x, Target const& target, nll_options const& options = {}) {
    return detail::with_indices([&](auto const&... a) { return nll<R>(a..., options); }, x, target);
}
template <reduction R = reduction::mean, class X, class Target, class Weight>
    requires detail::constants_among<X, Target, Weight>
constexpr auto nll(X const& x, Target const& target, Weight const& weight, nll_options const& options = {}) {
    return detail::with_indices([&](auto const&... a) { return nll<R>(a..., options); }, x, target, weight);
}
template <reduction R = reduction::mean, class X, class Target>
    requires detail::constants_among<X, Target>
constexpr auto cross_entropy(X const& x, Target const& target, cross_entropy_options const& options = {}) {
    return detail::with_indices([&](auto const&... a) { return cross_entropy<R>(a..., options); }, x, target);
}
template <reduction R = reduction::mean, class X, class Target, class Weight>
    requires detail::constants_among<X, Target, Weight>
constexpr auto cross_entropy(X const& x, Target const& target, Weight const& weight,
                             cross_entropy_options const& options = {}) {
    return detail::with_indices([&](auto const&... a) { return cross_entropy<R>(a..., options); }, x, target, weight);
}
template <reduction R = reduction::mean, class X, class Target>
    requires detail::constants_among<X, Target>
constexpr auto multi_margin(X const& x, Target const& target, multi_margin_options const& options = {}) {
    return detail::with_indices([&](auto const&... a) { return multi_margin<R>(a..., options); }, x, target);
}
template <reduction R = reduction::mean, class X, class Target, class Weight>
    requires detail::constants_among<X, Target, Weight>
constexpr auto multi_margin(X const& x, Target const& target, Weight const& weight,
                            multi_margin_options const& options = {}) {
    return detail::with_indices([&](auto const&... a) { return multi_margin<R>(a..., options); }, x, target, weight);
}
}  // namespace loss

namespace density {
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto normal_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return normal_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto cauchy_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return cauchy_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto double_exponential_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return double_exponential_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto logistic_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return logistic_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto student_t_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return student_t_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto skew_normal_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return skew_normal_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto von_mises_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return von_mises_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto uniform_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return uniform_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto exponential_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return exponential_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto gamma_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return gamma_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto inv_gamma_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return inv_gamma_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto lognormal_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return lognormal_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto weibull_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return weibull_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto half_normal_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return half_normal_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto half_cauchy_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return half_cauchy_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto half_student_t_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return half_student_t_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto beta_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return beta_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto bernoulli_logit_lpmf(A const&... a) {
    return detail::with_indices([](auto const&... x) { return bernoulli_logit_lpmf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto bernoulli_lpmf(A const&... a) {
    return detail::with_indices([](auto const&... x) { return bernoulli_lpmf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto binomial_logit_lpmf(A const&... a) {
    return detail::with_indices([](auto const&... x) { return binomial_logit_lpmf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto binomial_lpmf(A const&... a) {
    return detail::with_indices([](auto const&... x) { return binomial_lpmf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto poisson_log_lpmf(A const&... a) {
    return detail::with_indices([](auto const&... x) { return poisson_log_lpmf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto poisson_lpmf(A const&... a) {
    return detail::with_indices([](auto const&... x) { return poisson_lpmf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto neg_binomial_2_lpmf(A const&... a) {
    return detail::with_indices([](auto const&... x) { return neg_binomial_2_lpmf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto neg_binomial_2_log_lpmf(A const&... a) {
    return detail::with_indices([](auto const&... x) { return neg_binomial_2_log_lpmf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto categorical_logit_lpmf(A const&... a) {
    return detail::with_indices([](auto const&... x) { return categorical_logit_lpmf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto dirichlet_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return dirichlet_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto lkj_corr_cholesky_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return lkj_corr_cholesky_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto multivariate_normal_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return multivariate_normal_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto multivariate_normal_cholesky_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return multivariate_normal_cholesky_lpdf<K>(x...); }, a...);
}
template <terms K = terms::all, class... A>
    requires detail::constants_among<A...>
constexpr auto multivariate_normal_prec_lpdf(A const&... a) {
    return detail::with_constants([](auto const&... x) { return multivariate_normal_prec_lpdf<K>(x...); }, a...);
}
}  // namespace density
}  // namespace tapeless
