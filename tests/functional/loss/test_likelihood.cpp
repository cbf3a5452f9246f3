// SPDX-License-Identifier: MIT
// poisson_nll, gaussian_nll, kl_div, kl_divergence against the reference.

#include "functional/loss/loss_cases.hpp"

using namespace reference;

namespace {
/// By the option `full`.
template <bool LogInput>
constexpr auto poisson = []<reduction R>(auto full, auto x, auto t) {
    return ad::loss::poisson_nll<R>(x, t, {.log_input = LogInput, .full = full == 1});
};
/// By the option `full`, and with another eps.
constexpr auto gaussian = []<reduction R>(auto v, auto x, auto t, auto var) {
    return ad::loss::gaussian_nll<R>(x, t, var, {.full = v == 1, .eps = v == 2 ? 0.01 : 1e-6});
};
template <bool LogTarget>
constexpr auto kl =
    []<reduction R>(auto, auto x, auto t) { return ad::loss::kl_div<R>(x, t, {.log_target = LogTarget}); };
constexpr auto kl_of_probabilities = []<reduction R>(auto, auto q, auto p) { return ad::loss::kl_divergence<R>(q, p); };

template <class T>
void run_poisson() {
    auto const by_full = [](test_case& c) {
        REQUIRE(c.number("eps") == 1e-8);
        flatten(c, {"input", "target"});
        return std::vector<int>{c.flag("full")};
    };
    auto const is_log = [](test_case const& c) { return c.flag("log_input"); };
    auto const is_rate = [](test_case const& c) { return !c.flag("log_input"); };
    CHECK(run_losses_if<T, 2, 3, vector, vector>(poisson<true>, "loss_regression", "poisson_nll", is_log, by_full) +
              run_losses_if<T, 2, 3, vector, vector>(poisson<false>, "loss_regression", "poisson_nll", is_rate,
                                                     by_full) ==
          count_in_file(file_of<T>("loss_regression"), "poisson_nll"));
}
template <class T>
void run_gaussian() {
    auto const rank_of_var = [](test_case const& c) { return c.in("var").rank(); };
    auto const by_options = [](test_case& c) {
        if (c.in("var").shape == c.in("input").shape) make_matrices(c, {"input", "target", "var"});
        return std::vector<int>{c.number("eps") == 1e-6 ? c.flag("full") : 2};
    };
    auto const same = [](test_case const& c) { return c.in("var").shape == c.in("input").shape; };
    auto const last_axis_1 = [&](test_case const& c) { return !same(c) && rank_of_var(c) == c.in("input").rank(); };
    auto const lacks_last = [&](test_case const& c) { return rank_of_var(c) + 1 == c.in("input").rank(); };
    auto const n =
        run_losses_if<T, 3, 3, matrix, matrix, matrix>(gaussian, "loss_regression", "gaussian_nll", same, by_options) +
        run_losses_if<T, 2, 3, matrix, matrix, column>(gaussian, "loss_regression", "gaussian_nll", last_axis_1,
                                                       by_options) +
        run_losses_if<T, 2, 3, matrix, matrix, vector>(gaussian, "loss_regression", "gaussian_nll", lacks_last,
                                                       by_options);
    CHECK(n == count_in_file(file_of<T>("loss_regression"), "gaussian_nll"));
}
template <class T>
void run_divergences() {
    auto const matrices = [](test_case& c) {
        make_matrices(c, {"input", "target"});
        return std::vector<int>{0};
    };
    auto const is_log = [](test_case const& c) { return c.flag("log_target"); };
    auto const is_probability = [](test_case const& c) { return !c.flag("log_target"); };
    CHECK(
        run_losses_if<T, 1, 4, matrix, matrix>(kl<true>, "loss_regression", "kl_div", is_log, matrices) +
            run_losses_if<T, 1, 4, matrix, matrix>(kl<false>, "loss_regression", "kl_div", is_probability, matrices) ==
        count_in_file(file_of<T>("loss_regression"), "kl_div"));
    run_losses<T, 1, 4, matrix, matrix>(kl_of_probabilities, "loss_regression", "kl_divergence_prob", [](test_case& c) {
        make_matrices(c, {"q", "p"});
        return std::vector<int>{0};
    });
}
}  // namespace

TEST_CASE("poisson_nll: reference vectors") {
    run_poisson<double>();
    run_poisson<float>();
}
TEST_CASE("gaussian_nll: reference vectors") {
    run_gaussian<double>();
    run_gaussian<float>();
}
TEST_CASE("kl_div, kl_divergence: reference vectors") {
    run_divergences<double>();
    run_divergences<float>();
}
