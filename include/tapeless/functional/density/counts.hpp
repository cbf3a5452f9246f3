// SPDX-License-Identifier: MIT
#pragma once
// Logarithms of probabilities of counts and classes. Outcomes are integers of any type, or whole numbers as
// floating-point ones; arguments broadcast, the result is the sum. Nothing flows to outcomes that are integers.

#include <tapeless/functional/density/terms.hpp>
#include <tapeless/functional/loss/classes.hpp>
#include <tapeless/ops/gamma.hpp>
#include <tapeless/ops/indexed.hpp>
#include <tapeless/ops/normal.hpp>

namespace tapeless {

namespace detail::inline functional_part {
/// each + term, a term of counts, which propto leaves out
template <density::terms K, class E, class Term>
constexpr auto with_counts(E const& each, Term const& term) {
    if constexpr (K == density::terms::all) return each + term;
    else return each;
}
/// ln(n over k)
template <class N, class M>
constexpr auto log_choose(N const& n, M const& k) {
    return -log(n + 1.0) - log_beta(n - k + 1.0, k + 1.0);
}
}  // namespace detail::functional_part

namespace density {

/// y x - ln(1 + e^x): ln sigmoid(x) where y = 1, ln(1 - sigmoid(x)) where y = 0
template <terms K = terms::all, detail::any_term Y, detail::any_term X>
constexpr auto bernoulli_logit_lpmf(Y const& y, X const& x) {
    using T = detail::arguments_of<"bernoulli_logit_lpmf", X, Y>;
    auto const v = detail::named_as<T>(x);
    return sum(detail::named_as<T>(y) * v - log1pexp(v));
}
/// ln theta where y = 1, ln(1 - theta) where y = 0
template <terms K = terms::all, detail::any_term Y, detail::any_term Theta>
constexpr auto bernoulli_lpmf(Y const& y, Theta const& theta) {
    using T = detail::arguments_of<"bernoulli_lpmf", Theta, Y>;
    auto const t = detail::named_as<T>(theta);
    return sum(where(detail::named_as<T>(y) != 0.0, log(t), log1p(-t)));
}
/// n x - total ln(1 + e^x) + ln(total over n)
template <terms K = terms::all, detail::any_term N, detail::any_term Total, detail::any_term X>
constexpr auto binomial_logit_lpmf(N const& n, Total const& total, X const& x) {
    using T = detail::arguments_of<"binomial_logit_lpmf", X, N, Total>;
    auto const k = detail::named_as<T>(n);
    auto const m = detail::named_as<T>(total);
    auto const v = detail::named_as<T>(x);
    return sum(detail::with_counts<K>(k * v - m * log1pexp(v), detail::log_choose(m, k)));
}
/// n ln theta + (total - n) ln(1 - theta) + ln(total over n)
template <terms K = terms::all, detail::any_term N, detail::any_term Total, detail::any_term Theta>
constexpr auto binomial_lpmf(N const& n, Total const& total, Theta const& theta) {
    using T = detail::arguments_of<"binomial_lpmf", Theta, N, Total>;
    auto const k = detail::named_as<T>(n);
    auto const m = detail::named_as<T>(total);
    auto const t = detail::named_as<T>(theta);
    return sum(detail::with_counts<K>(xlogy(k, t) + where(m == k, 0.0, (m - k) * log1p(-t)), detail::log_choose(m, k)));
}
/// n a - e^a - ln n!; a is the logarithm of the rate
template <terms K = terms::all, detail::any_term N, detail::any_term A>
constexpr auto poisson_log_lpmf(N const& n, A const& a) {
    using T = detail::arguments_of<"poisson_log_lpmf", A, N>;
    auto const k = detail::named_as<T>(n);
    auto const v = detail::named_as<T>(a);
    return sum(detail::with_counts<K>(k * v - exp(v), -lgamma(k + 1.0)));
}
/// n ln lambda - lambda - ln n!
template <terms K = terms::all, detail::any_term N, detail::any_term Lambda>
constexpr auto poisson_lpmf(N const& n, Lambda const& lambda) {
    using T = detail::arguments_of<"poisson_lpmf", Lambda, N>;
    auto const k = detail::named_as<T>(n);
    auto const v = detail::named_as<T>(lambda);
    return sum(detail::with_counts<K>(xlogy(k, v) - v, -lgamma(k + 1.0)));
}
/// ln(n + phi - 1 over n) + n ln(mu/(mu + phi)) - phi ln(1 + mu/phi): mean mu, variance mu + mu^2/phi
template <terms K = terms::all, detail::any_term N, detail::any_term Mu, detail::any_term Phi>
constexpr auto neg_binomial_2_lpmf(N const& n, Mu const& mu, Phi const& phi) {
    using T = detail::arguments_of<"neg_binomial_2_lpmf", Mu, Phi, N>;
    auto const k = detail::named_as<T>(n);
    auto const m = detail::named_as<T>(mu);
    auto const p = detail::named_as<T>(phi);
    auto const each = xlogy(k, m / (m + p)) - p * log1p(m / p);
    return sum(detail::with_term<K, Phi>(each, -log(k + p) - log_beta(p, k + 1.0)));
}
/// The same with eta = ln mu
template <terms K = terms::all, detail::any_term N, detail::any_term Eta, detail::any_term Phi>
constexpr auto neg_binomial_2_log_lpmf(N const& n, Eta const& eta, Phi const& phi) {
    using T = detail::arguments_of<"neg_binomial_2_log_lpmf", Eta, Phi, N>;
    auto const k = detail::named_as<T>(n);
    auto const e = detail::named_as<T>(eta);
    auto const p = detail::named_as<T>(phi);
    auto const each = -k * log1pexp(log(p) - e) - p * log1pexp(e - log(p));
    return sum(detail::with_term<K, Phi>(each, -log(k + p) - log_beta(p, k + 1.0)));
}
/// ln softmax(x)[y] for classes along the last axis of x, counted from 0. y has the shape of x without that axis, or
/// is a vector of classes beside one vector x. A class out of range throws index_error.
template <terms K = terms::all, expression Y, expression X>
constexpr auto categorical_logit_lpmf(Y const& y, X const& x) {
    if constexpr (X::rank == 1 && Y::rank == 1) return sum(index_select<0>(log_softmax(x), y));
    else if constexpr (X::rank <= 2) {
        constexpr loss::cross_entropy_options all{.ignore_index = std::numeric_limits<typename Y::value_type>::min()};
        return -loss::cross_entropy<loss::reduction::sum>(x, y, all);
    } else return categorical_logit_lpmf<K>(flatten(y), flatten<0, -2>(x));
}

}  // namespace density
}  // namespace tapeless
