// SPDX-License-Identifier: MIT
#pragma once
// Adam, and Adam with decoupled weight decay.

#include <cmath>

#include <tapeless/optim/state.hpp>

namespace tapeless::optim {

struct adam_options {
    double learning_rate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weight_decay = 0;
    bool amsgrad = false;
};

struct adamw_options {
    double learning_rate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double eps = 1e-8;
    double weight_decay = 1e-2;
    bool amsgrad = false;
};

struct adam_state {
    std::int64_t steps = 0;
    state_arrays mean, variance;  ///< m and v below
    state_arrays largest;         ///< the largest v so far; none without amsgrad
    friend bool operator==(adam_state const&, adam_state const&) = default;
};

}  // namespace tapeless::optim

namespace tapeless::detail::inline optim_part {

/// One step, all of its numbers known.
struct adam_pass {
    double shrink;      // of x, for decoupled weight decay
    double decay;       // of x, added to the gradient
    double take1, take2, keep2;
    double eps, rate;   // both times sqrt(1 - beta2^t)
    bool amsgrad;

    template <class T, class Build = simd::batch<T>>
    void operator()(T* x, T const* g, std::array<T*, 3> const& state, std::int64_t n) const {
        auto const run = [&](auto decayed, auto largest) {
            loop<decayed, largest>(x, g, state[0], state[1], state[2], n);
        };
        with_flags(run, decay != 0, amsgrad);
    }
    template <bool Decayed, bool Largest, class T, class Build = simd::batch<T>>
    void loop(T* x, T const* gradient, T* mean, T* variance, T* largest, std::int64_t n) const {
        using vec = simd::detail::vec<T>;
        T const shrunk = static_cast<T>(shrink), w = static_cast<T>(decay), a = static_cast<T>(take1);
        T const b = static_cast<T>(take2), kept = static_cast<T>(keep2), e = static_cast<T>(eps),
                r = static_cast<T>(rate);
        for (std::int64_t i = 0; i < n; i += simd::lanes<T>) {
            vec const p = simd::detail::raw(simd::load(x + i));
            vec g = simd::detail::raw(simd::load(gradient + i));
            if constexpr (Decayed) g += w * p;
            vec m = simd::detail::raw(simd::load(mean + i)), v = simd::detail::raw(simd::load(variance + i));
            m += a * (g - m);
            v = kept * v + b * (g * g);
            simd::store(mean + i, simd::detail::wrap<T>(m));
            simd::store(variance + i, simd::detail::wrap<T>(v));
            if constexpr (Largest) {
                v = simd::detail::larger<T>(simd::detail::raw(simd::load(largest + i)), v);
                simd::store(largest + i, simd::detail::wrap<T>(v));
            }
            vec const change = m / (simd::detail::root<T>(v) + e);
            simd::store(x + i, simd::detail::wrap<T>(shrunk * p - r * change));
        }
    }
};

/// adam and adamw: what Options they have, and where the weight decay goes.
template <class Options, bool Decoupled>
class adam_like {
public:
    Options options;

    template <class Model>
    explicit adam_like(Model const& model, Options const& o = {}) : options(o) {
        check();
        auto const arrays = arrays_of<false>(model);
        state_.mean = state_.variance = optim::state_arrays(arrays);
        if (o.amsgrad) state_.largest = state_.mean;
    }

    /// What was refused is no gradient, which has been reported.
    template <class Model>
    void step(Model&&, refused) {}
    /// Changes the model by its gradient. Allocates nothing; throws shape_error, before anything is written, where
    /// lengths do not agree.
    template <class Model, class Gradient>
    void step(Model&& model, Gradient const& gradient) {
        using arrays = step_arrays<std::remove_reference_t<Model>, Gradient>;
        check();
        arrays const a(name, model, gradient);
        state_.mean.check(name, a.model);
        state_.variance.check(name, a.model);
        if (options.amsgrad) state_.largest.check(name, a.model);
        adam_pass const p = next();
        update<arrays::types, 3>(crew_, p, a.model, a.gradient, {&state_.mean, &state_.variance, &state_.largest});
    }

    /// Steps run on n threads, or as many as the hardware has (0), or on those that somebody lends: see grad.
    void threads(int n) { crew_.threads(n); }
    void threads(executor& e) { crew_.threads(e); }

    optim::adam_state& state() { return state_; }
    optim::adam_state const& state() const { return state_; }

private:
    static constexpr char const* name = Decoupled ? "adamw" : "adam";
    optim::adam_state state_;
    crew crew_;

    void check() const {
        check_at_least_zero(name, "learning_rate", options.learning_rate);
        check_fraction(name, "beta1", options.beta1);
        check_fraction(name, "beta2", options.beta2);
        check_at_least_zero(name, "eps", options.eps);
        check_at_least_zero(name, "weight_decay", options.weight_decay);
    }
    // r/(1 - beta1^t) m / (sqrt(v)/c + eps) with c = sqrt(1 - beta2^t) is c r/(1 - beta1^t) m / (sqrt(v) + c eps)
    adam_pass next() {
        double const t = static_cast<double>(++state_.steps);
        double const c = std::sqrt(1 - std::pow(options.beta2, t)), r = options.learning_rate;
        return {Decoupled ? 1 - r * options.weight_decay : 1, Decoupled ? 0 : options.weight_decay,
                1 - options.beta1, 1 - options.beta2, options.beta2,
                c * options.eps, c * r / (1 - std::pow(options.beta1, t)), options.amsgrad};
    }
};

}  // namespace tapeless::detail::optim_part

namespace tapeless::optim {

/// Adam (Kingma and Ba, 2015), PyTorch's. At step t = 1, 2, ..., with gradient g, learning rate r, weight decay w:
///
///     g' = g + w x          m = beta1 m + (1 - beta1) g'          v = beta2 v + (1 - beta2) g'^2
///     x -= r / (1 - beta1^t)  m / (sqrt(v / (1 - beta2^t)) + eps)
///
/// amsgrad (Reddi et al., 2018) takes the largest v so far instead of v.
///
///     ad::optim::adam optimizer(model, {.learning_rate = 0.02});
///     optimizer.step(model, gradient);
///
/// Whether there is amsgrad is decided when it is made; else the options may change between steps.
class adam : public detail::adam_like<adam_options, false> {
public:
    adam() = delete;  // it is made for a model: adam optimizer(model, {.learning_rate = 0.02})
    using adam_like::adam_like;
};

/// AdamW (Loshchilov and Hutter, 2019), PyTorch's: the weight decay does not pass through m and v, but shrinks the
/// model, x *= 1 - r w, before each step.
class adamw : public detail::adam_like<adamw_options, true> {
public:
    adamw() = delete;  // it is made for a model: adamw optimizer(model, {.learning_rate = 0.02})
    using adam_like::adam_like;
};

}  // namespace tapeless::optim
