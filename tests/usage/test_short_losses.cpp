// SPDX-License-Identifier: MIT
// Losses of elements along axes of 0, 1, 2 and 3 elements: the sum of nothing is 0, its mean is NaN.

#include "usage/short_losses.hpp"

using namespace short_losses;

namespace {

// What each loss is of an array x, of probabilities p, answers a (0 or 1) and signs s (1 or -1), and of one element
// of each.
struct mse {
    template <reduction R>
    static constexpr auto of(auto x, auto p, auto, auto) { return loss::mse<R>(x, p); }
    static double one(double x, double p, double, double) { return (x - p) * (x - p); }
};
struct l1 {
    template <reduction R>
    static constexpr auto of(auto x, auto p, auto, auto) { return loss::l1<R>(x, p); }
    static double one(double x, double p, double, double) { return std::abs(x - p); }
};
struct smooth_l1 {
    template <reduction R>
    static constexpr auto of(auto x, auto p, auto, auto) { return loss::smooth_l1<R>(x, p, 0.3); }
    static double one(double x, double p, double, double) {
        double const d = std::abs(x - p);
        return d < 0.3 ? d * d / 0.6 : d - 0.15;
    }
};
struct huber {
    template <reduction R>
    static constexpr auto of(auto x, auto p, auto, auto) { return loss::huber<R>(x, p, 0.2); }
    static double one(double x, double p, double, double) {
        double const d = std::abs(x - p);
        return d <= 0.2 ? d * d / 2 : 0.2 * (d - 0.1);
    }
};
struct poisson {
    template <reduction R>
    static constexpr auto of(auto x, auto p, auto, auto) { return loss::poisson_nll<R>(x, p); }
    static double one(double x, double p, double, double) { return std::exp(x) - p * x; }
};
struct gaussian {
    template <reduction R>
    static constexpr auto of(auto x, auto p, auto a, auto) { return loss::gaussian_nll<R>(x, a, p); }
    static double one(double x, double p, double a, double) { return (std::log(p) + (x - a) * (x - a) / p) / 2; }
};
struct kl_div {
    template <reduction R>
    static constexpr auto of(auto x, auto p, auto, auto) { return loss::kl_div<R>(x, p); }
    static double one(double x, double p, double, double) { return p * (std::log(p) - x); }
};
struct kl_divergence {
    template <reduction R>
    static constexpr auto of(auto x, auto p, auto, auto) { return loss::kl_divergence<R>(x, p); }
    static double one(double x, double p, double, double) { return p * std::log(p / x); }
};
struct bce {
    template <reduction R>
    static constexpr auto of(auto x, auto p, auto, auto) { return loss::bce<R>(x, p); }
    static double one(double x, double p, double, double) { return -p * std::log(x) - (1 - p) * std::log(1 - x); }
};
struct bce_with_logits {
    template <reduction R>
    static constexpr auto of(auto x, auto p, auto, auto) { return loss::bce_with_logits<R>(x, p); }
    static double one(double x, double p, double, double) { return std::log(1 + std::exp(x)) - p * x; }
};
struct focal {
    template <reduction R>
    static constexpr auto of(auto x, auto, auto a, auto) { return loss::focal<R>(x, a); }
    static double one(double x, double, double a, double) {
        double const q = a > 0.5 ? x : 1 - x;
        return -0.25 * (1 - q) * (1 - q) * std::log(q);
    }
};
struct focal_with_logits {
    template <reduction R>
    static constexpr auto of(auto x, auto, auto a, auto) { return loss::focal_with_logits<R>(x, a); }
    static double one(double x, double, double a, double) { return focal::one(1 / (1 + std::exp(-x)), 0, a, 0); }
};
struct hinge {
    template <reduction R>
    static constexpr auto of(auto x, auto, auto, auto s) { return loss::hinge<R>(x, s); }
    static double one(double x, double, double, double s) { return std::max(0.0, 1 - s * x); }
};
struct hinge_embedding {
    template <reduction R>
    static constexpr auto of(auto x, auto, auto, auto s) { return loss::hinge_embedding<R>(x, s, 0.4); }
    static double one(double x, double, double, double s) { return s > 0 ? x : std::max(0.0, 0.4 - x); }
};
struct margin_ranking {
    template <reduction R>
    static constexpr auto of(auto x, auto p, auto, auto s) { return loss::margin_ranking<R>(x, p, s, 0.1); }
    static double one(double x, double p, double, double s) { return std::max(0.0, 0.1 - s * (x - p)); }
};

}  // namespace

TEST_CASE("short axes: mse, l1, smooth_l1, huber") { check_elements<mse, l1, smooth_l1, huber>(); }

TEST_CASE("short axes: poisson_nll, gaussian_nll, kl_div, kl_divergence") {
    check_elements<poisson, gaussian, kl_div, kl_divergence>();
}

TEST_CASE("short axes: bce, bce_with_logits, focal, focal_with_logits") {
    check_elements<bce, bce_with_logits, focal, focal_with_logits>();
}

TEST_CASE("short axes: hinge, hinge_embedding, margin_ranking") {
    check_elements<hinge, hinge_embedding, margin_ranking>();
}
