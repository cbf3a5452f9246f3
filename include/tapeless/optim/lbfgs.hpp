// SPDX-License-Identifier: MIT
#pragma once
// L-BFGS: minimising a function of a model by the curvature that its last gradients show.

#include <limits>

#include <tapeless/optim/curvature.hpp>
#include <tapeless/optim/line_search.hpp>
#include <tapeless/optim/state.hpp>
#include <tapeless/transform/function.hpp>
#include <tapeless/transform/grad.hpp>

namespace tapeless::optim {

struct lbfgs_options {
    double learning_rate = 1;  ///< the step length tried first, in units of the direction
    int history = 10;          ///< pairs of steps and changes of the gradient that are kept; fixed when it is made
    int max_iterations = 100;
    int max_evaluations = 1000;
    double gradient_tolerance = 1e-7;  ///< converged when no element of the gradient is larger,
    double change_tolerance = 1e-12;   ///< or when an iteration changes the value by no more than this part of it
    double decrease = 1e-4, curvature = 0.9;  ///< of the line search: the strong Wolfe conditions
};

/// Why a minimisation ended.
enum class lbfgs_reason { gradient, change, iterations, evaluations, line_search, not_finite };

constexpr char const* to_string(lbfgs_reason r) {
    switch (r) {
        case lbfgs_reason::gradient: return "the gradient is within its tolerance";
        case lbfgs_reason::change: return "the value no longer changes";
        case lbfgs_reason::iterations: return "the iterations are used up";
        case lbfgs_reason::evaluations: return "the evaluations are used up";
        case lbfgs_reason::line_search: return "no lower value was found along the gradient";
        default: return "the value or its gradient is not finite";
    }
}

/// What minimize() did.
struct lbfgs_report {
    double value = 0;         ///< where the model is now
    double max_gradient = 0;  ///< the largest element of the gradient there, in magnitude
    int iterations = 0;
    int evaluations = 0;
    lbfgs_reason reason = lbfgs_reason::iterations;

    bool converged() const { return reason == lbfgs_reason::gradient || reason == lbfgs_reason::change; }
};

}  // namespace tapeless::optim

namespace tapeless::detail::inline optim_part {

template <class F>
inline constexpr bool is_transformed = false;
template <class F, wanted W, int... I>
inline constexpr bool is_transformed<transformed<F, W, I...>> = true;
template <class F>
inline constexpr bool is_value_and_grad = false;
template <class F>
inline constexpr bool is_value_and_grad<transformed<F, wanted::both, 0>> = true;

/// f at x: g becomes the gradient, and x what the model could hold of it. Without g the model becomes x, and that is
/// all.
struct objective {
    void* context;
    double (*at)(void* context, double* x, double* g);
    double epsilon;  // of the type of the value
};

/// What lbfgs does, with vectors of Number: a template so that programs without it compile none of its functions.
template <class Number>
class lbfgs_like {
public:
    optim::lbfgs_options options;

    template <class Model>
    explicit lbfgs_like(Model const& model, optim::lbfgs_options const& o) : options(o) {
        check();
        for (auto const& a : detail::arrays_of<false>(model)) count_ += a.size();
        n_ = (count_ + 7) / 8 * 8;
        x_ = g_ = d_ = next_x_ = next_g_ = tensor<Number, dyn>(n_);
        memory_ = detail::curvature_memory<Number>(o.history, n_);
    }

    /// Changes the model until its value is smallest, or the options end it. f is value_and_grad<0>(...), called with
    /// the model and args..., or that as a function<value(into_t<Model&>, Model const&, ...)>, or any f(model,
    /// gradient, args...) that writes the gradient and returns the value. The curvature seen by earlier calls is
    /// used; forget() forgets it. Allocates one gradient, and nothing more.
    template <class Model, class F, class... A>
    optim::lbfgs_report minimize(Model&& model, F&& f, A const&... args) {
        return descend(model, options.max_iterations, f, args...);
    }
    /// One iteration of it.
    template <class Model, class F, class... A>
    optim::lbfgs_report step(Model&& model, F&& f, A const&... args) {
        return descend(model, 1, f, args...);
    }
    void forget() { memory_.forget(); }

private:
    std::int64_t count_ = 0, n_ = 0;  // elements of the model, and rounded up
    tensor<Number, dyn> x_, g_, d_, next_x_, next_g_;
    detail::curvature_memory<Number> memory_;

    void check() const {
        detail::check_option("lbfgs", "learning_rate", options.learning_rate,
                             options.learning_rate > 0 && std::isfinite(options.learning_rate),
                             "more than 0, and finite");
        detail::check_option("lbfgs", "history", options.history, options.history > 0, "1 or more");
        detail::check_option("lbfgs", "decrease", options.decrease,
                             options.decrease > 0 && options.decrease < options.curvature,
                             "more than 0 and less than curvature");
        detail::check_fraction("lbfgs", "curvature", options.curvature);
        detail::check_at_least_zero("lbfgs", "gradient_tolerance", options.gradient_tolerance);
        detail::check_at_least_zero("lbfgs", "change_tolerance", options.change_tolerance);
    }

    template <class Model, class F, class... A>
    optim::lbfgs_report descend(Model& model, int iterations, F& f, A const&... args) {
        auto gradient = detail::make_like(model);
        using arrays = detail::step_arrays<Model, decltype(gradient)>;
        check();
        arrays const a("lbfgs", model, gradient);
        std::int64_t count = 0;
        for (auto const& x : a.model) count += x.size();
        if (count != count_)
            detail::throw_shape(detail::sentence{} << "lbfgs: the model has " << count
                                                   << " elements, the optimiser was made for " << count_);
        auto value = [&] {
            if constexpr (detail::is_transformed<std::remove_const_t<F>>) {
                static_assert(
                    detail::is_value_and_grad<std::remove_const_t<F>>,
                    "minimize: f is value_and_grad<0>(function), or writes the gradient itself: f(model, gradient)");
                auto const all = f(into(gradient), model, args...);
                return detail::first_of_all(all);
            } else if constexpr (detail::takes_targets<std::remove_const_t<F>>) {
                return f(into(gradient), model, args...);
            } else {
                return f(std::as_const(model), gradient, args...);
            }
        };
        auto at = [&](double* x, double* g) {
            copy<arrays::types>(a.model, x, true);
            if (!g) return 0.0;
            double const v = static_cast<double>(value());
            if constexpr (arrays::types != detail::type_bit(dtype::f64)) copy<arrays::types>(a.model, x, false);
            copy<arrays::types>(a.gradient, g, false);
            return v;
        };
        copy<arrays::types>(a.model, x_.data(), false);
        using V = decltype(value());
        return run({&at, [](void* p, double* x, double* g) { return (*static_cast<decltype(at)*>(p))(x, g); },
                    static_cast<double>(std::numeric_limits<V>::epsilon())},
                   iterations);
    }
    template <unsigned Types>
    static void copy(std::span<detail::tree_array const> arrays, double* x, bool write) {
        for (detail::tree_array const& a : arrays) {
            if (write) detail::write_elements<Types>(a, 0, a.size(), x);
            else detail::read_elements<Types>(a, 0, a.size(), x);
            x += a.size();
        }
    }

    optim::lbfgs_report run(detail::objective const& f, int iterations) {
        optim::lbfgs_report r;
        auto evaluate = [&](tensor<Number, dyn>& x, tensor<Number, dyn>& g) {
            ++r.evaluations;
            return f.at(f.context, x.data(), g.data());
        };
        auto end = [&](optim::lbfgs_reason why) { return r.reason = why, r; };
        r.value = evaluate(x_, g_);
        for (bool settled = false;; ++r.iterations) {
            double sum = 0;
            r.max_gradient = 0;
            for (double const g : g_) {
                sum += std::abs(g);
                if (!(std::abs(g) <= r.max_gradient)) r.max_gradient = std::abs(g);
            }
            if (!std::isfinite(r.value) || !std::isfinite(sum)) return end(optim::lbfgs_reason::not_finite);
            if (r.max_gradient <= options.gradient_tolerance) return end(optim::lbfgs_reason::gradient);
            if (settled) return end(optim::lbfgs_reason::change);
            if (r.iterations >= iterations) return end(optim::lbfgs_reason::iterations);
            if (r.evaluations >= options.max_evaluations) return end(optim::lbfgs_reason::evaluations);

            detail::line_point found = search(f, r, sum, evaluate);
            if (found.t == 0 && !memory_.empty()) {
                memory_.forget();  // along the gradient then
                found = search(f, r, sum, evaluate);
            }
            if (found.t == 0) {
                f.at(f.context, x_.data(), nullptr);  // the model as it was
                return end(r.evaluations < options.max_evaluations ? optim::lbfgs_reason::line_search
                                                                   : optim::lbfgs_reason::evaluations);
            }
            memory_.add(x_.data(), next_x_.data(), g_.data(), next_g_.data());
            x_.swap(next_x_);
            g_.swap(next_g_);
            double const larger = std::abs(r.value) > std::abs(found.value) ? std::abs(r.value) : std::abs(found.value);
            settled = std::abs(r.value - found.value) <= options.change_tolerance * larger;
            r.value = found.value;
        }
    }

    /// A lower point along the direction that the curvature gives; next_x_ and next_g_ are there.
    template <class Evaluate>
    detail::line_point search(detail::objective const& f, optim::lbfgs_report const& r, double sum,
                              Evaluate& evaluate) {
        memory_.direction(g_.data(), d_.data());
        double slope = detail::dot_product(g_.data(), d_.data(), n_);
        if (!(slope < 0)) {
            memory_.forget();
            memory_.direction(g_.data(), d_.data());
            slope = detail::dot_product(g_.data(), d_.data(), n_);
        }
        double const first = options.learning_rate * (!memory_.empty() || sum < 1 ? 1 : 1 / sum);
        int const left = options.max_evaluations - r.evaluations, most = left < 25 ? left : 25;
        detail::wolfe_conditions const wolfe{options.decrease, options.curvature, 16 * f.epsilon * std::abs(r.value)};
        return detail::search_line({0, r.value, slope}, first, wolfe, most, [&](double t) {
            detail::combine_vectors(next_x_.data(), 1, x_.data(), t, d_.data(), n_);
            double const value = evaluate(next_x_, next_g_);
            return detail::line_point{t, value, detail::dot_product(next_g_.data(), d_.data(), n_)};
        });
    }
};

}  // namespace tapeless::detail::optim_part

namespace tapeless::optim {

/// L-BFGS (Nocedal, 1980) with a line search for the strong Wolfe conditions: for smooth functions without noise, of
/// which it needs far fewer evaluations than gradient descent.
///
///     ad::optim::lbfgs optimizer(model);
///     auto const report = optimizer.minimize(model, ad::value_and_grad<0>(loss), x, y);
///
/// Vectors are kept in double whatever the model holds: 2 history + 5 of them, allocated when it is made.
class lbfgs : public detail::lbfgs_like<double> {
public:
    template <class Model>
    explicit lbfgs(Model const& model, lbfgs_options const& o = {}) : lbfgs_like(model, o) {}
};

}  // namespace tapeless::optim
