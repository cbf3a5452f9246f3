// SPDX-License-Identifier: MIT
#pragma once
// Loss scales: the loss is multiplied before it is differentiated, so that small gradients survive being stored in
// half, and the gradients are divided by as much before they are used.

#include <tapeless/compile/results.hpp>
#include <tapeless/ops/boundary.hpp>
#include <tapeless/optim/clip.hpp>
#include <tapeless/optim/state.hpp>

namespace tapeless::detail::inline optim_part {

/// s * f(args...), s being the last argument. Of several results the first is multiplied.
template <class F>
struct scaled_function {
    template <class... A>
    constexpr auto operator()(A const&... a) const {
        static_assert(sizeof...(A) > 1, "scaled(f) has the arguments of f, and the scale behind them");
        auto const all = std::tie(a...);
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            return times(std::get<sizeof...(K)>(all), F{}(std::get<K>(all)...));
        }(std::make_index_sequence<sizeof...(A) - 1>{});
    }

private:
    template <class S, class R>
    static constexpr auto times(S const& s, R const& r) {
        if constexpr (expression<R>) {
            return cast<computed<typename R::value_type>>(s) * r;
        } else {
            return detail::with_parts(
                [&](auto const& first, auto const&... rest) { return std::tuple(times(s, first), rest...); },
                parts_of(r));
        }
    }
};

/// x *= factor, remembering whether all of it is finite: x - x is 0 for a finite number and NaN for others, and so
/// are sums.
struct unscale_elements {
    double factor;
    bool* finite;

    template <class T, class Build = simd::batch<T>>
    void operator()(T* x, std::int64_t n) const {
        using vec = simd::detail::vec<T>;
        constexpr int L = simd::lanes<T>;
        T const c = static_cast<T>(factor);
        vec zero[2]{};
        std::int64_t i = 0;
        for (; i + 2 * L <= n; i += 2 * L)
            for (int k = 0; k < 2; ++k) {
                vec const v = c * simd::detail::raw(simd::load(x + i + k * L));
                zero[k] += v - v;
                simd::store(x + i + k * L, simd::detail::wrap<T>(v));
            }
        T rest = simd::reduce_add(simd::detail::wrap<T>(zero[0] + zero[1]));
        for (; i < n; ++i) {
            x[i] *= c;
            rest += x[i] - x[i];
        }
        *finite = *finite && rest == 0;
    }
};

/// to = factor * from, array by array, in the type of `to`.
template <unsigned Types, class Build = simd::batch<float>>
void unscale_arrays(unscale_elements const& f, std::span<tree_array const> from, std::span<tree_array const> to) {
    auto const one = [&]<class T>(std::type_identity<T>, tree_array const& a, tree_array const& b) {
        alignas(alignment) T block[block_elements];
        for (std::int64_t i = 0, n = b.size(); i < n; i += block_elements) {
            std::int64_t const some = n - i < block_elements ? n - i : block_elements;
            read_elements<Types>(a, i, some, block);
            f(block, some);
            write_elements<Types>(b, i, some, block);
        }
    };
    for (std::size_t k = 0; k < to.size(); ++k)
        if (to[k].type == dtype::f64) {
            if constexpr (Types & type_bit(dtype::f64)) one(std::type_identity<double>{}, from[k], to[k]);
        } else {
            if constexpr (Types & ~type_bit(dtype::f64)) one(std::type_identity<float>{}, from[k], to[k]);
        }
}

}  // namespace tapeless::detail::optim_part

namespace tapeless::optim {

/// s f(args...) as a function of (args..., s): what is differentiated under a loss scale s, which is a number like
/// any other argument, so that another s compiles nothing. Where f returns several results the first is multiplied,
/// the one that is differentiated.
///
///     auto step = ad::value_and_grad<0>(ad::optim::scaled(loss));
///     float const value = step(ad::into(gradient), model, x, y, scale.value());
template <class F>
constexpr auto scaled(F const&) {
    static_assert(
        std::is_empty_v<F> && std::is_default_constructible_v<F>,
        "a differentiated function is called while compiling: it cannot capture; pass the value as an argument");
    return detail::scaled_function<F>{};
}

struct loss_scale_options {
    double initial = 65536;
    bool dynamic = true;           ///< else the scale stays as it is
    double growth = 2;             ///< its factor after `interval` good steps
    double backoff = 0.5;          ///< its factor after a step that was skipped
    std::int64_t interval = 2000;  ///< good steps, one after the other, before it grows
    double minimum = 1;
    double maximum = 0x1p24;
};

struct loss_scale_state {
    double scale = 1;
    std::int64_t good_steps = 0;  ///< since the scale last changed
    std::int64_t skipped = 0;     ///< steps in all
    friend bool operator==(loss_scale_state const&, loss_scale_state const&) = default;
};

/// A loss scale, fixed or dynamic (Micikevicius et al., 2018). With s the scale, g the gradient of s f(x):
///
///     g / s all finite:    the step is taken with g / s; after `interval` such steps    s = min(growth s, maximum)
///     an inf or NaN:       the step is skipped, and                                     s = max(backoff s, minimum)
///
///     ad::optim::loss_scale scale;                        // or scale({.initial = 1024, .dynamic = false})
///     auto gradient_of = ad::value_and_grad<0>(ad::optim::scaled(loss));
///     float value = gradient_of(ad::into(g), model, x, y, scale.value()) / scale.value();
///     scale.step(optimizer, model, g);
///
/// Parameters are kept in float and used as ad::cast<ad::half>(w) or ad::cast<ad::bfloat16>(w): their gradients are
/// floats, and so is all that flows back through a cast. What needs the scale is a gradient stored in half (an
/// argument of half): below 6e-8 it is 0. The powers of two that the defaults give change no digit of what does not
/// underflow.
class loss_scale {
public:
    loss_scale_options options;

    explicit loss_scale(loss_scale_options const& o = {}) : options(o) {
        check();
        state_.scale = o.initial;
    }

    /// The scale, as the last argument of a scaled function.
    float value() const { return static_cast<float>(state_.scale); }

    /// Divides a gradient by the scale, in place; whether all of it is finite after that. One pass over it, which
    /// allocates nothing.
    template <class Gradient>
    bool unscale(Gradient&& gradient) const {
        using tree = std::remove_cvref_t<Gradient>;
        constexpr unsigned types = detail::tree_summary<tree>::types;
        static_assert(
            (types & detail::type_bit(dtype::f16)) == 0,
            "loss_scale: half gradients would underflow again; unscale(gradient, to) writes them to a tree of float");
        bool finite = true;
        detail::each_block<types, true>(detail::arrays_of<true>(gradient), detail::unscale_elements{factor(), &finite});
        return finite;
    }
    /// The same written to another tree, whose arrays have the lengths of the gradient's and are of a wider type:
    /// gradients in half, steps in float. Throws shape_error, before anything is written, where lengths do not agree.
    template <class Gradient, class To>
    bool unscale(Gradient const& gradient, To&& to) const {
        using tree = std::remove_cvref_t<To>;
        static_assert(detail::fits_model<tree, Gradient>(),
                      "loss_scale: both trees have the same arrays, each of the same rank");
        static_assert((detail::tree_summary<tree>::types & detail::type_bit(dtype::f16)) == 0,
                      "loss_scale: gradients are unscaled in float, since in half they would underflow again");
        constexpr unsigned types = detail::tree_summary<tree>::types | detail::tree_summary<Gradient>::types;
        auto const from_arrays = detail::arrays_of<false>(gradient);
        auto const to_arrays = detail::arrays_of<true>(to);
        detail::check_lengths("loss_scale", to_arrays, from_arrays);
        bool finite = true;
        detail::unscale_arrays<types>(detail::unscale_elements{factor(), &finite}, from_arrays, to_arrays);
        return finite;
    }

    /// The scale for the next step, by whether the gradient of this one was finite.
    void update(bool finite) {
        check();
        if (!finite) ++state_.skipped;
        if (!options.dynamic) return;
        if (!finite) {
            change(options.backoff);
        } else if (++state_.good_steps >= options.interval) {
            change(options.growth);
        }
    }

    /// unscale, a step of the optimiser where the gradient is finite, and update; whether the step was taken. The
    /// gradient is left unscaled.
    template <class Optimizer, class Model, class Gradient>
    bool step(Optimizer& optimizer, Model&& model, Gradient&& gradient) {
        bool const finite = unscale(gradient);
        if (finite) optimizer.step(model, gradient);
        update(finite);
        return finite;
    }
    /// The same of a gradient in half, unscaled to a tree of float.
    template <class Optimizer, class Model, class Gradient, class To>
    bool step(Optimizer& optimizer, Model&& model, Gradient const& gradient, To&& to) {
        bool const finite = unscale(gradient, to);
        if (finite) optimizer.step(model, to);
        update(finite);
        return finite;
    }

    loss_scale_state& state() { return state_; }
    loss_scale_state const& state() const { return state_; }

private:
    loss_scale_state state_;

    double factor() const { return 1 / static_cast<double>(value()); }
    void change(double by) {
        double const s = state_.scale * by;
        state_.scale = s < options.minimum ? options.minimum : s > options.maximum ? options.maximum : s;
        state_.good_steps = 0;
    }
    void check() const {
        // the scale and its reciprocal are floats
        auto const good = [](double x) { return x >= 0x1p-126 && x <= 0x1p126; };
        detail::check_option("loss_scale", "initial", options.initial, good(options.initial),
                             "between 2^-126 and 2^126");
        if (!options.dynamic) return;
        double const low = options.minimum, high = options.maximum;
        detail::check_option("loss_scale", "minimum", low, good(low) && low <= options.initial,
                             "2^-126 or more, at most initial");
        detail::check_option("loss_scale", "maximum", high, good(high) && high >= options.initial,
                             "at least initial, at most 2^126");
        detail::check_option("loss_scale", "growth", options.growth, options.growth >= 1 && good(options.growth),
                             "1 or more");
        detail::check_option("loss_scale", "backoff", options.backoff, options.backoff > 0 && options.backoff < 1,
                             "between 0 and 1");
        detail::check_option("loss_scale", "interval", static_cast<double>(options.interval), options.interval >= 1,
                             "1 or more");
    }
};

}  // namespace tapeless::optim
