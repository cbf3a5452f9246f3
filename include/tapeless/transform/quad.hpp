// SPDX-License-Identifier: MIT
#pragma once
// quad: integrals of functions of one number, over pieces that are halved where the error is largest.

#include <tapeless/transform/implicit.hpp>

namespace tapeless {

/// How an integral is computed: until the error is at most atol + rtol |integral|; where that takes more than 32 pieces
/// convergence_error is thrown, and with `quiet` the result is NaN.
struct quadrature {
    double rtol = 1e-10, atol = 1e-14;
    bool quiet = false;
};
/// Refuses an integrand that is no number.
template <class Integrand>
struct integrand_is_no_number {
    static_assert(never<Integrand>, "quad: f(x, args...) is one number of the type of x");
};

namespace detail::inline transform_part {

inline constexpr int quad_pieces = 32;

/// Gauss and Kronrod on 0 ... 1: node k of 15 and its weight, and that of Gauss's seven in between.
struct kronrod_rule {
    static constexpr double half_nodes[8] = {0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
                                             0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
                                             0.586087235467691130294144245872930, 0.405845151377397166906606412076961,
                                             0.207784955007898467600689403773245, 0.0};
    static constexpr double half_weights[8] = {
        0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518,
        0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
        0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
    static constexpr double half_gauss[8] = {
        0, 0.129484966168869693270611432679082, 0, 0.279705391489276667901467771423780,
        0, 0.381830050505118944950369775488975, 0, 0.417959183673469387755102040816327};
    static constexpr double node(int k) { return k < 8 ? 0.5 - 0.5 * half_nodes[k] : 0.5 + 0.5 * half_nodes[14 - k]; }
    static constexpr double weight(int k) { return 0.5 * half_weights[k < 8 ? k : 14 - k]; }
    static constexpr double gauss(int k) { return 0.5 * half_gauss[k < 8 ? k : 14 - k]; }
};

/// A row of 15 numbers: numbers of the traced function, chosen by their position.
template <class T>
constexpr symbol<T, 15> row_of_15(builder& b, double (*number)(int)) {
    node_ref<position_of<T>> const at(&b, emit_position<T>(b, 15, 1, 0));
    node_ref<T> r(&b, emit_expand(b, b.constant(0, dtype_of<T>()), with_axes(dims{}, 15)));
    for (int k = 0; k < 15; ++k)
        r = node_ref<T>(&b, where(at == k, node_ref<T>(&b, b.constant(number(k), dtype_of<T>())), r).id);
    return symbol<T, 15>(&b, r.id);
}

template <class T, class F>
struct kronrod {
    builder& b;
    F const& f;  ///< of a number
    symbol<T> from, to;
    symbol<T, 15> nodes, weights, gauss;

    /// f at all these fractions of the way.
    template <int N>
    constexpr symbol<T, N> at(symbol<T, N> const& fractions) const {
        symbol<T, N> const x = let(from + (to - from) * fractions);
        list<int> items, arrays, ys;
        arrays.push(x.id);
        items.push(emit_item(b, x.id));
        auto const y = let(widened(f(symbol<T>(&b, items[0]))));
        using Y = std::remove_const_t<decltype(y)>;
        if constexpr (!std::same_as<Y, symbol<T>>) {
            refuse(because<integrand_is_no_number<Y>>{});
            return x;
        } else {
            ys.push(y.id);
            int const all = batch(b, ys, items, arrays)[0];
            return symbol<T, N>(&b, emit_expand(b, all < 0 ? y.id : all, dims(b.shape_of(x.id))));
        }
    }
    /// The integral over a piece of the way, and its error.
    constexpr auto over(symbol<T> const& start, symbol<T> const& length) const {
        auto const y = at(let(start + length * nodes));
        auto const way = let((to - from) * length);
        return std::make_tuple(let(way * sum(y * weights)), let(abs(way * sum(y * (weights - gauss)))));
    }

    /// Pieces (start, length, integral, error) side by side, the first so many of which count: the worst is halved
    /// until they are good.
    constexpr auto integral(quadrature const& o) const {
        constexpr int M = quad_pieces;
        using row = symbol<T, M>;
        symbol<std::int32_t> const one(&b, b.constant(1, dtype::i32));
        symbol<T> const zero(&b, b.constant(0, dtype_of<T>())), whole(&b, b.constant(1, dtype_of<T>()));
        node_ref<position_of<T>> const position(&b, emit_position<T>(b, M, 1, 0));
        symbol<position_of<T>, M> const place(&b, position.id);
        auto row_with = [&](symbol<T> const& first) { return row(&b, let(where(place == 0, first, 0.0)).id); };
        auto const [value, error] = over(zero, whole);
        auto const first = std::make_tuple(row_with(zero), row_with(whole), row_with(value), row_with(error), one);
        auto is_good = [&](auto const& s) {
            return let(sum(std::get<3>(s)) <= o.atol + o.rtol * abs(sum(std::get<2>(s))));
        };
        auto const more = [&](auto const& s) {
            return sum(std::get<3>(s)) > o.atol + o.rtol * abs(sum(std::get<2>(s))) && std::get<4>(s) < M;
        };
        auto const step = [&](auto const& s) {
            auto const& [starts, lengths, values, errors, count] = s;
            auto const worst = let(errors == max(errors));
            auto const here = let(cast<T>(place) == min(where(worst, cast<T>(place), static_cast<double>(M))));
            auto const last = let(cast<T>(place) == cast<T>(count));
            auto pick = [&](auto const& x) { return let(sum(where(here, x, 0.0))); };
            symbol<T> const half = let(0.5 * pick(lengths)), left = pick(starts), right = let(left + half);
            auto const [a, ea] = over(left, half);
            auto const [c, ec] = over(right, half);
            auto put = [&](auto const& x, auto const& now, auto const& then) {
                return let(where(here, now, where(last, then, x)));
            };
            return std::make_tuple(put(starts, left, right), put(lengths, half, half), put(values, a, c),
                                   put(errors, ea, ec), count + 1);
        };
        auto const end = while_on_symbols(b, "quad", unbounded_steps, more, step, first);
        auto const good = is_good(end);
        auto mask = good;
        if (!o.quiet) {
            int const flag = let(cast<std::int32_t>(good)).id;
            int const left = let(sum(std::get<3>(end))).id;
            auto const passed = emit_custom_loop<convergence_op<"quad">, std::int32_t, std::int32_t, T>(
                b, attribute{}, {flag, std::get<4>(end).id, left});
            mask = let(mask && symbol<std::int32_t>(&b, passed.id) != 0);
        }
        // the pieces as they are, once more, for what is differentiated; those that do not count have no length
        auto const starts = let(reshape<M, 1>(stop_gradient(std::get<0>(end)))),
                   lengths = let(reshape<M, 1>(stop_gradient(std::get<1>(end))));
        auto const used = let(lengths > 0.0);
        auto const fractions = let(where(used, starts + lengths * nodes, 0.5));
        auto const y = at(symbol<T, M * 15>(&b, let(reshape<M * 15>(fractions)).id));
        auto const parts = let(where(used, reshape<M, 15>(y) * weights * lengths, 0.0));
        return let(where(mask, (to - from) * sum(parts), std::numeric_limits<double>::quiet_NaN()));
    }
};

/// Why f(x, args...) is not integrated.
template <class T, class F, class... A>
constexpr auto why_no_integrand() {
    if constexpr (constexpr auto why = why_not_on<F, symbol<T>, A...>(); is_reason<decltype(why)>) return why;
    else {
        using Y = std::remove_cvref_t<decltype(let(
            widened(std::declval<F const&>()(std::declval<symbol<T> const&>(), std::declval<A const&>()...))))>;
        return because<unless<std::same_as<Y, symbol<T>>, integrand_is_no_number<Y>>>{};
    }
}
struct definite_integral : integral<definite_integral, quadrature> {
    template <class F, class From, class To, class... A>
    static constexpr auto on_symbols(quadrature const& o, F const& f, From const& from, To const& to, A const&... a) {
        builder* b = nullptr;
        find_graph(from, b);
        find_graph(to, b);
        (find_graph(a, b), ...);
        using T = typename number_type<From, To, A...>::type;
        symbol<T> const left = as_symbols<T>(*b, from), right = as_symbols<T>(*b, to);
        constexpr auto why = why_no_integrand<T, F, A...>();
        if constexpr (is_reason<decltype(why)>) {
            return tapeless::instead_of(why, left);
        } else {
            auto const bound = [&](auto const& x) { return f(x, a...); };
            return kronrod<T, decltype(bound)>{*b,
                                               bound,
                                               left,
                                               right,
                                               row_of_15<T>(*b, &kronrod_rule::node),
                                               row_of_15<T>(*b, &kronrod_rule::weight),
                                               row_of_15<T>(*b, &kronrod_rule::gauss)}
                .integral(o);
        }
    }
};

}  // namespace detail::transform_part

/// The integral of f(x, args...), a number, over x from a to b. Derivatives by the arguments and by the bounds are
/// those of the sum that it is, over the pieces that were found. f may capture symbols of the function that quad is
/// called in. Options come last.
inline constexpr detail::definite_integral quad{};

}  // namespace tapeless
