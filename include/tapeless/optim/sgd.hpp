// SPDX-License-Identifier: MIT
#pragma once
// Stochastic gradient descent, with momentum.

#include <tapeless/optim/state.hpp>

namespace tapeless::optim {

struct sgd_options {
    double learning_rate = 1e-3;
    double momentum = 0;
    double dampening = 0;
    double weight_decay = 0;
    bool nesterov = false;
};

struct sgd_state {
    std::int64_t steps = 0;
    state_arrays velocity;  ///< b below; none without momentum
    friend bool operator==(sgd_state const&, sgd_state const&) = default;
};

/// Gradient descent, PyTorch's SGD. With gradient g, learning rate r, weight decay w, momentum m, dampening d:
///
///     g' = g + w x          b = g' (the first time), m b + (1 - d) g' (later)
///     x -= r b              or, by Nesterov, x -= r (g' + m b);  without momentum x -= r g'
///
///     ad::optim::sgd optimizer(model, {.learning_rate = 0.1, .momentum = 0.9});
///     optimizer.step(model, gradient);
///
/// Whether there is momentum is decided when it is made; else the options may change between steps.
class sgd {
public:
    sgd_options options;

    template <class Model>
    explicit sgd(Model const& model, sgd_options const& o = {}) : options(o) {
        check();
        if (o.momentum != 0) state_.velocity = state_arrays(detail::arrays_of<false>(model));
    }

    /// What was refused is no gradient, which has been reported.
    template <class Model>
    void step(Model&&, detail::refused) {}
    /// Changes the model by its gradient. Allocates nothing; throws shape_error, before anything is written, where
    /// lengths do not agree.
    template <class Model, class Gradient>
    void step(Model&& model, Gradient const& gradient) {
        using arrays = detail::step_arrays<std::remove_reference_t<Model>, Gradient>;
        check();
        arrays const a("sgd", model, gradient);
        if (options.momentum != 0) state_.velocity.check("sgd", a.model);
        pass const p{options, state_.steps == 0};
        ++state_.steps;
        detail::update<arrays::types, 1>(crew_, p, a.model, a.gradient, {&state_.velocity});
    }

    /// Steps run on n threads, or as many as the hardware has (0), or on those that somebody lends: see grad.
    void threads(int n) { crew_.threads(n); }
    void threads(executor& e) { crew_.threads(e); }

    sgd_state& state() { return state_; }
    sgd_state const& state() const { return state_; }

private:
    sgd_state state_;
    detail::crew crew_;

    void check() const {
        detail::check_at_least_zero("sgd", "learning_rate", options.learning_rate);
        detail::check_at_least_zero("sgd", "momentum", options.momentum);
        detail::check_at_least_zero("sgd", "weight_decay", options.weight_decay);
        detail::check_option("sgd", "dampening", options.dampening, options.dampening - options.dampening == 0,
                             "finite");
        if (options.nesterov)
            detail::check_option("sgd", "momentum", options.momentum, options.momentum > 0 && options.dampening == 0,
                                 "more than 0, and dampening 0, where nesterov is asked for");
    }

    struct pass {
        sgd_options o;
        bool is_first;

        template <class T, class Build = simd::batch<T>>
        void operator()(T* x, T const* g, std::array<T*, 1> const& state, std::int64_t n) const {
            auto const run = [&](auto decayed, auto momentum) { loop<decayed, momentum>(x, g, state[0], n); };
            detail::with_flags(run, o.weight_decay != 0, o.momentum != 0);
        }
        template <bool Decayed, bool Momentum, class T, class Build = simd::batch<T>>
        void loop(T* x, T const* gradient, T* velocity, std::int64_t n) const {
            using vec = simd::detail::vec<T>;
            T const rate = static_cast<T>(o.learning_rate), decay = static_cast<T>(o.weight_decay);
            T const keep = static_cast<T>(is_first ? 0 : o.momentum),
                    take = static_cast<T>(is_first ? 1 : 1 - o.dampening);
            T const ahead = static_cast<T>(o.nesterov ? o.learning_rate : 0);
            T const along = static_cast<T>(o.nesterov ? o.learning_rate * o.momentum : o.learning_rate);
            for (std::int64_t i = 0; i < n; i += simd::lanes<T>) {
                vec const p = simd::detail::raw(simd::load(x + i));
                vec g = simd::detail::raw(simd::load(gradient + i));
                if constexpr (Decayed) g += decay * p;
                if constexpr (Momentum) {
                    vec const b = keep * simd::detail::raw(simd::load(velocity + i)) + take * g;
                    simd::store(velocity + i, simd::detail::wrap<T>(b));
                    simd::store(x + i, simd::detail::wrap<T>(p - along * b - ahead * g));
                } else {
                    simd::store(x + i, simd::detail::wrap<T>(p - rate * g));
                }
            }
        }
    };
};

}  // namespace tapeless::optim
