// SPDX-License-Identifier: MIT
#pragma once
// odeint: ordinary differential equations from time to time, by steps that are as long as the error allows.

#include <tapeless/transform/implicit.hpp>
#include <tapeless/transform/scan.hpp>

namespace tapeless {

/// How a step is made.
enum class ode_method {
    dormand_prince,  ///< fifth order with an error of fourth order
    rk4,             ///< fourth order, steps of the same length
    rosenbrock,      ///< for stiff equations: fourth order with an error of third order, by the Jacobian of f
};
/// How an equation is integrated: a step's error is at most atol + rtol |y|. `steps`: of rk4, from one time to the
/// next. `max_steps`: of the others, from one time to the next, with those that have to be made again; where they are
/// not enough convergence_error is thrown.
struct ode {
    double rtol = 1e-6, atol = 1e-9;
    ode_method method = ode_method::dormand_prince;
    int steps = 1, max_steps = 1000;
};

/// Refuses times that are not a sequence of numbers of the type of y.
template <class Times, class State>
struct times_are_not_a_sequence_like_y {
    static_assert(never<Times>,
                  "odeint(f, y0, times, args...): the times are along one axis, and of the type of y; there is at "
                  "least one");
};

namespace detail::inline transform_part {

/// What a step is made of, and the polynomial in between.
template <class Z, class T>
struct ode_state {
    symbol<T> time, step;      ///< of the next step, which is never negative
    Z y, slope;                ///< there
    symbol<T> before, length;  ///< of the last step
    Z from, bend, twist;       ///< where it began, and what interpolates it besides
    /// As what loops carry.
    constexpr auto parts() const { return std::make_tuple(time, step, y, slope, before, length, from, bend, twist); }
    static constexpr ode_state of(auto const& t) {
        return detail::with_parts([](auto const&... x) { return ode_state{x...}; }, t);
    }
    /// At some time of the last step: y + q (d + (1 - q) (bend + q (c + (1 - q) twist))), d = y1 - y0, c = d - h f1 -
    /// bend.
    constexpr Z at(symbol<T> const& t) const {
        auto const q = let((t - before) / length);
        auto const d = let(y - from);
        return let(from + q * (d + (1.0 - q) * (bend + q * ((d - length * slope - bend) + (1.0 - q) * twist))));
    }
};
/// A step that was tried: where it leads, its error, and what interpolates it.
template <class Z>
struct ode_trial {
    Z y, slope, error, bend, twist;
};

template <class Z, class Slope>
struct ode_steps {
    using T = typename Z::value_type;
    using state = ode_state<Z, T>;
    builder& b;
    Slope const& f;  ///< of y and t
    ode const& options;
    bool lanewise;  ///< the Jacobian is diagonal

    /// Dormand and Prince 5(4) and Shampine's interpolation.
    constexpr ode_trial<Z> dormand_prince(state const& s, symbol<T> const& h) const {
        Z const y = s.y, k1 = s.slope;
        Z const k2 = f(let(y + h * (0.2 * k1)), let(s.time + 0.2 * h));
        Z const k3 = f(let(y + h * (3.0 / 40 * k1 + 9.0 / 40 * k2)), let(s.time + 0.3 * h));
        Z const k4 = f(let(y + h * (44.0 / 45 * k1 - 56.0 / 15 * k2 + 32.0 / 9 * k3)), let(s.time + 0.8 * h));
        Z const k5 =
            f(let(y + h * (19372.0 / 6561 * k1 - 25360.0 / 2187 * k2 + 64448.0 / 6561 * k3 - 212.0 / 729 * k4)),
              let(s.time + 8.0 / 9 * h));
        Z const k6 = f(let(y + h * (9017.0 / 3168 * k1 - 355.0 / 33 * k2 + 46732.0 / 5247 * k3 + 49.0 / 176 * k4 -
                                    5103.0 / 18656 * k5)),
                       let(s.time + h));
        Z const next =
            let(y + h * (35.0 / 384 * k1 + 500.0 / 1113 * k3 + 125.0 / 192 * k4 - 2187.0 / 6784 * k5 + 11.0 / 84 * k6));
        Z const k7 = f(next, let(s.time + h));
        Z const error = let(h * (71.0 / 57600 * k1 - 71.0 / 16695 * k3 + 71.0 / 1920 * k4 - 17253.0 / 339200 * k5 +
                                 22.0 / 525 * k6 - 1.0 / 40 * k7));
        Z const twist = let(h * (-12715105075.0 / 11282082432.0 * k1 + 87487479700.0 / 32700410799.0 * k3 -
                                 10690763975.0 / 1880347072.0 * k4 + 701980252875.0 / 199316789632.0 * k5 -
                                 1453857185.0 / 822651844.0 * k6 + 69997945.0 / 29380423.0 * k7));
        return {next, k7, error, let(h * k1 - (next - y)), twist};
    }
    /// Kaps and Rentrop 4(3) with Shampine's numbers: (1/(h/2) - J) g = ... four times; in between a cubic.
    constexpr ode_trial<Z> rosenbrock(state const& s, symbol<T> const& h) const {
        Z const y = as_parameter(b, s.y);
        symbol<T> const t = as_parameter(b, s.time);
        Z const k1 = f(y, t);
        linear_system jacobian(b, solver_by_matrix<Z>(lanewise), k1.id, y.id, &differentiate);
        jacobian.add_to_diagonal(let(-2.0 / h).id);
        list<int> ys, inputs, tangents;
        ys.push(k1.id), inputs.push(t.id), tangents.push(b.constant(1, dtype_of<T>()));
        Z const by_time(&b, emit_whole(b, push_forward(b, ys, inputs, tangents)[0], y.id));
        auto solve = [&](auto const& right) { return Z(&b, jacobian.solve(let(-(right)).id, false, is_quiet)); };
        Z const g1 = solve(k1 + 0.5 * h * by_time);
        Z const k2 = f(let(y + 2.0 * g1), let(t + h));
        Z const g2 = solve(k2 - 1.5 * h * by_time - 8.0 * g1 / h);
        Z const k3 = f(let(y + 48.0 / 25 * g1 + 6.0 / 25 * g2), let(t + 0.6 * h));
        Z const g3 = solve(k3 + 121.0 / 50 * h * by_time + (372.0 / 25 * g1 + 12.0 / 5 * g2) / h);
        Z const g4 = solve(k3 + 29.0 / 250 * h * by_time - (112.0 / 125 * g1 + 54.0 / 125 * g2 + 2.0 / 5 * g3) / h);
        Z const next = let(y + 19.0 / 9 * g1 + 0.5 * g2 + 25.0 / 108 * g3 + 125.0 / 108 * g4);
        Z const error = let(17.0 / 54 * g1 + 7.0 / 36 * g2 + 125.0 / 108 * g4);
        return {next, f(next, let(t + h)), error, let(h * k1 - (next - y)), let(0.0 * y)};
    }
    /// One attempt, not beyond `end`. How long steps are does not depend on anything that is differentiated.
    constexpr state advanced(state const& s, symbol<T> const& direction, symbol<T> const& end) const {
        bool const stiff = options.method == ode_method::rosenbrock;
        symbol<T> const rest = let(direction * (end - s.time)), length = let(stop_gradient(minimum(s.step, rest)));
        symbol<T> const h = let(direction * length);
        auto const t = stiff ? rosenbrock(s, h) : dormand_prince(s, h);
        auto const scale = let(options.atol + options.rtol * maximum(abs(s.y), abs(t.y)));
        symbol<T> const error = let(stop_gradient(sqrt(mean(square(t.error / scale)))));
        auto const good = let(error <= 1.0);
        auto const factor = 0.9 * pow(maximum(error, 1e-10), stiff ? -0.25 : -0.2);
        symbol<T> const step = let(length * where(error < 1e300, clamp(factor, 0.2, 5.0), 0.2));  // NaN is no good
        // the last step ends there to the last digit; its time still moves with that of the first
        auto const then = where(s.step < rest, s.time + h, stop_gradient(end) + (s.time - stop_gradient(s.time)));
        auto chosen = [&](auto const& x, auto const& y) { return let(where(good, x, y)); };
        return {chosen(then, s.time),     step,
                chosen(t.y, s.y),         chosen(t.slope, s.slope),
                chosen(s.time, s.before), chosen(h, s.length),
                chosen(s.y, s.from),      chosen(t.bend, s.bend),
                chosen(t.twist, s.twist)};
    }
    /// y at all times.
    template <class Times>
    constexpr auto with_steps(Z const& first, Times const& times, symbol<T> const& start, symbol<T> const& end) const {
        symbol<T> const direction = let(1.0 - 2.0 * cast<T>(end < start));
        Z const slope = f(first, start), none = let(0.0 * first);
        auto const weight = let(options.atol + options.rtol * abs(first));
        auto const size = let(sqrt(mean(square(first / weight)))), speed = let(sqrt(mean(square(slope / weight))));
        symbol<T> const guess = let(
            stop_gradient(where(speed > 1e-5 && size > 1e-5, 0.01 * size / speed, 1e-6 * (1.0 + abs(end - start)))));
        state const s{start, guess, first, slope, start, let(0.0 * start + 1.0), first, none, none};
        auto const leg = [&](auto const& now, auto const& time) {
            auto const more = [&](auto const& c) { return direction * (time - std::get<0>(c)) > 0.0; };
            auto const step = [&](auto const& c) { return advanced(state::of(c), direction, end).parts(); };
            state const reached = state::of(while_on_symbols(b, "odeint", options.max_steps, more, step, now));
            return std::pair(reached.parts(), reached.at(time));
        };
        using length = common_length<Times>;
        return loop_on_symbols<true, length>(b, steps_of(b, times), checkpoint(leg), s.parts(), times).second;
    }
    /// The same in steps of one length.
    template <class Times>
    constexpr auto with_rk4(Z const& first, Times const& times, symbol<T> const& start) const {
        auto const leg = [&](auto const& now, auto const& time) {
            symbol<T> const h = let((time - std::get<0>(now)) * (1.0 / options.steps));
            auto const step = [&](auto const& c) {
                auto const& [t, y] = c;
                symbol<T> const middle = let(t + 0.5 * h);
                Z const k1 = f(y, t), k2 = f(let(y + 0.5 * h * k1), middle), k3 = f(let(y + 0.5 * h * k2), middle);
                Z const k4 = f(let(y + h * k3), let(t + h));
                return std::make_tuple(let(t + h), let(y + h * (1.0 / 6) * (k1 + 2.0 * (k2 + k3) + k4)));
            };
            auto const c =
                options.steps == 1 ? step(now) : loop_on_symbols<false, fixed_length<1>>(b, options.steps, step, now);
            return std::pair(std::make_tuple(time, std::get<1>(c)), std::get<1>(c));
        };
        using length = common_length<Times>;
        return loop_on_symbols<true, length>(b, steps_of(b, times), leg, std::make_tuple(start, first), times).second;
    }
};

/// A tree of what there is at all times, from all of it as one array.
template <class Tree>
constexpr auto split_along_times(builder& b, Tree const& like, int all, auto length) {
    list<int> nodes;
    list_nodes(like, nodes);
    bool const one = nodes.size() == 1;
    std::int64_t start = 0;
    int next = 0;
    return changed_tree(like, [&](auto const& s) {
        using S = typename sequence_of<std::remove_cvref_t<decltype(s)>, decltype(length)::value>::type;
        dims const d = b.shape_of(nodes[next++]);
        if (one) return S(&b, all);
        std::int64_t const size = size_of_shape(b, d), times = b.shape_of(all).extent[0];
        int const part = emit_slice(b, all, 0, start, size, 1);
        start = b.sum(start, size);
        return S(&b, emit_reshape(b, part, with_leading(b, times, d)));
    });
}

struct ode_integral : integral<ode_integral, ode> {
    template <class F, class Y, class Times, class... A>
    static constexpr auto on_symbols(ode const& o, F const& f, Y const& y, Times const& given, A const&... a) {
        builder* graph = nullptr;
        find_graph(y, graph);
        find_graph(given, graph);
        (find_graph(a, graph), ...);
        builder& b = *graph;
        auto const unknown = as_symbols<typename number_type<Y, Times, A...>::type>(b, y);
        using Tree = std::remove_const_t<decltype(unknown)>;
        using Flat = joined_symbols<flat_symbols_t<Tree>>;
        auto const times = as_symbols<typename number_type<Y, Times, A...>::type>(b, given);
        using Sequence = std::remove_const_t<decltype(times)>;
        constexpr bool none = [] {
            if constexpr (Sequence::rank == 1) return Sequence::shape_type::extents[0] == 0;
            else return false;
        }();
        if constexpr (!Flat::fits) {
            return tapeless::instead_of(because<unknowns_are_not_of_one_floating_type<Tree>>{}, unknown);
        } else if constexpr (Sequence::rank != 1 || none ||
                             !std::same_as<typename Sequence::value_type, typename Flat::type::value_type>) {
            return tapeless::instead_of(because<times_are_not_a_sequence_like_y<Sequence, Tree>>{}, unknown);
        } else if constexpr (constexpr auto why = why_not_on<F, Tree, symbol<typename Sequence::value_type>, A...>();
                             is_reason<decltype(why)>) {
            return tapeless::instead_of(why, unknown);
        } else {
            return along_times<typename Flat::type>(b, o, f, unknown, times, a...);
        }
    }
    template <class Z, class F, class Tree, class Times, class... A>
    static constexpr auto along_times(builder& b, ode const& o, F const& f, Tree const& unknown, Times const& times,
                                      A const&... a) {
        using T = typename Z::value_type;
        list<int> nodes;
        list_nodes(unknown, nodes);
        Z const first(&b, emit_joined(b, nodes));
        auto const slope = [&](Z const& z, symbol<T> const& t) {
            auto const bound = [&](auto const& tree) { return f(tree, t, a...); };
            std::tuple<> const none;
            return function_of_unknown<decltype(bound), Tree, std::tuple<>>{b, bound, unknown, none}.value(z);
        };
        std::int64_t const n = b.resolve(b.shape_of(times.id).extent[0]);
        if (n < 0) b.check(n, relation::at_least, 1);
        auto time = [&](std::int64_t i) {
            return symbol<T>(&b, emit_axes(b, emit_leading(b, times.id, i, 1), axis_map::without(1, 1)));
        };
        symbol<T> const start = time(0);
        Z const probe = as_parameter(b, first);
        bool const lanewise = is_number<Z> || (o.method == ode_method::rosenbrock &&
                                               is_lanewise(b, slope(probe, start).id, probe.id));
        ode_steps<Z, std::remove_const_t<decltype(slope)>> const steps{b, slope, o, lanewise};
        int const all = o.method == ode_method::rk4
                            ? steps.with_rk4(first, times, start).id
                            : steps.with_steps(first, times, start, time(b.difference(n, 1))).id;
        return split_along_times(b, unknown, all, common_length<Times>{});
    }
};

}  // namespace detail::transform_part

/// y at all times, the first of which is that of y0, where dy/dt = f(y, t, args...). y may be a tree, whose arrays get
/// an axis for the times. Derivatives are those of the steps that were made, with their lengths as given: backwards,
/// what is between two times is computed again. Options come last: odeint(f, y0, times, args..., {.rtol = 1e-8}).
inline constexpr detail::ode_integral odeint{};

}  // namespace tapeless
