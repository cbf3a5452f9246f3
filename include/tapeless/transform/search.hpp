// SPDX-License-Identifier: MIT
#pragma once
// How an unknown is found, and the equation that it solves then: Newton's method, repetition, descent.

#include <tapeless/ops/quantifiers.hpp>
#include <tapeless/transform/options.hpp>
#include <tapeless/transform/krylov.hpp>

namespace tapeless {

/// How the linear systems of an equation are solved.
enum class linear_method {
    automatic,  ///< gmres where there are 1024 unknowns or more, and their number is known when compiled
    direct,     ///< by the matrix of all derivatives
    gmres,      ///< by products with it, which are tangents and cotangents: for many unknowns
};
/// How an equation is solved. `tolerance`: the last correction, relative to 1 + |x|; 0: what suits the method and the
/// element type. `max_steps`: 0 is 100, and 1000 for fixed_point. Where it does not converge convergence_error is
/// thrown, and with `quiet` the result is NaN; under vmap it is NaN for that item. `anderson`: so many earlier steps
/// fixed_point learns from (Anderson's acceleration).
struct solver {
    double tolerance = 0;
    int max_steps = 0;
    bool quiet = false;
    linear_method linear = linear_method::automatic;
    int anderson = 0;
};

namespace detail::inline transform_part {

/// The result of a search, its status, and how far it is from solving the equation.
template <class Z, class Mask, class T>
struct search_end {
    Z z;
    Mask found;  ///< of all elements, or of each
    symbol<std::int32_t> steps;
    symbol<T> residual;
};

/// The correction that is left is the square of the last, or about as large.
template <class T>
constexpr double default_tolerance(bool squares) {
    constexpr double eps = std::numeric_limits<T>::epsilon(), root = sizeof(T) == 8 ? 0x1p-26 : 0x1.6a09e667f3bcdp-12;
    return squares ? root : 512 * eps;
}

/// How systems of such an unknown are solved: with a matrix, unless it is long or that was asked for.
template <class Z>
constexpr system_solver solver_of([[maybe_unused]] builder const& b, [[maybe_unused]] int z, bool lanewise,
                                  [[maybe_unused]] solver const& o) {
    system_solver s = solver_by_matrix<Z>(lanewise);
    if constexpr (!is_number<Z>) {
        dims const& d = b.shape_of(z);
        std::int64_t n = 1;
        for (int k = 0; k < d.rank; ++k) n = d.extent[k] < 0 || n < 0 ? -1 : n * d.extent[k];
        s.without_matrix = o.linear == linear_method::gmres || (o.linear == linear_method::automatic && n >= 1024);
        s.products = &emit_by_products<typename Z::value_type>;
    }
    return s;
}

/// Of each element by itself, or of all together.
template <bool Lanes, class E>
constexpr auto size_of_element(E const& e) {
    if constexpr (Lanes) return let(abs(e));
    else return let(sqrt(sum(square(e))));
}
template <class M>
constexpr auto any_of(M const& m) {
    if constexpr (M::rank == 0) return m;
    else return any(m);
}
template <class M>
constexpr auto all_of(M const& m) {
    if constexpr (M::rank == 0) return m;
    else return all(m);
}
template <bool Lanes, class Z, class S>
constexpr auto is_small(Z const& z, S const& change, double tolerance) {
    constexpr double most = std::numeric_limits<typename Z::value_type>::max();
    auto const size = size_of_element<Lanes>(z);
    return let(size_of_element<Lanes>(change) <= tolerance * (1.0 + size) && size <= most);
}
template <bool Lanes, class Z, class S>
constexpr auto is_large(Z const& z, S const& change, double tolerance) {  // neither, where it is NaN
    return let(size_of_element<Lanes>(change) > tolerance * (1.0 + size_of_element<Lanes>(z)));
}

/// Newton's method. A step that does not bring |r| down is halved, until that is of no use.
struct newton_method {
    static constexpr fixed_string name = "root";
    template <class Unknown, class R>
    using result_refused = equation_refused<Unknown, R>;
    template <bool Lanes, class Z, class Problem>
    static constexpr auto search(builder& b, Problem const& p, Z const& first, solver const& o) {
        using T = typename Z::value_type;
        double const tolerance = o.tolerance > 0 ? o.tolerance : default_tolerance<T>(true);
        int const most = o.max_steps > 0 ? o.max_steps : 100;
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        auto at = [&](Z const& where_to) {
            Z const z = as_parameter(b, where_to), r = p.residual(z);
            linear_system system(b, solver_of<Z>(b, z.id, Lanes, o), r.id, z.id, &differentiate);
            return std::make_tuple(Z(&b, system.solve(r.id, false, is_quiet)), size_of_element<Lanes>(r));
        };
        auto const more = [&](auto const& s) {
            return any_of(is_large<Lanes>(std::get<0>(s), std::get<1>(s), tolerance)) && std::get<3>(s) < most;
        };
        auto const step = [&](auto const& now) {
            auto const& [z, s, size, k] = now;
            Z const trial = let(z - s);
            auto const [next, less] = at(trial);
            auto const better = let(less < size);
            auto const half = let(0.5 * s);
            Z const change = let(where(better, next, where(is_small<Lanes>(z, half, tolerance), nan, half)));
            if constexpr (!Lanes) {
                return std::make_tuple(let(where(better, trial, z)), change, let(where(better, less, size)), k + 1);
            } else {
                auto const done = is_small<Lanes>(z, s, tolerance);
                return std::make_tuple(let(where(better && !done, trial, z)), let(where(done, s, change)),
                                       let(where(better && !done, less, size)), k + 1);
            }
        };
        symbol<std::int32_t> const zero(&b, b.constant(0, dtype::i32));
        auto const start = at(first);
        auto const end =
            while_of<unbounded_steps>(more, step, std::make_tuple(first, std::get<0>(start), std::get<1>(start), zero));
        auto const& [z, s, size, k] = end;
        auto const found = is_small<Lanes>(z, s, tolerance);
        symbol<T> const left = let(sqrt(sum(square(where(found, 0.0, size)))));
        return search_end<Z, std::remove_const_t<decltype(found)>, T>{let(z - s), found, k, left};
    }
    template <class... T>
    struct problem : function_of_unknown<T...> {
        template <class Z>
        constexpr Z residual(Z const& z) const {
            return this->value(z);
        }
    };
};

/// x = f(x), again and again.
struct repetition {
    static constexpr fixed_string name = "fixed_point";
    template <class Unknown, class R>
    using result_refused = equation_refused<Unknown, R>;
    template <bool Lanes, class Z, class Problem>
    static constexpr auto search(builder& b, Problem const& p, Z const& first, solver const& o) {
        using T = typename Z::value_type;
        double const tolerance = o.tolerance > 0 ? o.tolerance : default_tolerance<T>(false);
        int const most = o.max_steps > 0 ? o.max_steps : 1000;
        if (o.anderson > 0) return accelerated<Lanes>(b, p, first, tolerance, most, o.anderson);
        auto const more = [&](auto const& s) {
            return any_of(is_large<Lanes>(std::get<0>(s), std::get<1>(s), tolerance)) && std::get<2>(s) < most;
        };
        auto const step = [&](auto const& now) {
            Z const z = let(std::get<0>(now) + std::get<1>(now));
            return std::make_tuple(z, p.residual(z), std::get<2>(now) + 1);
        };
        symbol<std::int32_t> const zero(&b, b.constant(0, dtype::i32));
        auto const end = while_of<unbounded_steps>(more, step, std::make_tuple(first, p.residual(first), zero));
        auto const& [z, change, k] = end;
        auto const found = is_small<Lanes>(z, change, tolerance);
        symbol<T> const left = let(sqrt(sum(square(where(found, 0.0, change)))));
        return search_end<Z, std::remove_const_t<decltype(found)>, T>{let(z + change), found, k, left};
    }
    /// The same, but that from the last steps (dx, dg) it is guessed where g = f(x) - x is 0: the combination c of them
    /// with the least |g - sum c dg| is taken back. Its matrix, of unit vectors, has a little more on the diagonal, and
    /// 1 for what is not there yet.
    template <bool Lanes, class Z, class Problem>
    static constexpr auto accelerated(builder& b, Problem const& p, Z const& first, double tolerance, int most,
                                      int depth) {
        using T = typename Z::value_type;
        using vector = symbol<T, dyn>;
        using history = symbol<T, dyn, dyn>;
        dims const d = b.shape_of(first.id);
        auto const flat = [&](Z const& z) { return vector(&b, emit_flat(b, z.id)); };
        auto const more = [&](auto const& s) {
            return any_of(is_large<Lanes>(std::get<0>(s), std::get<1>(s), tolerance)) && std::get<5>(s) < most;
        };
        auto const step = [&](auto const& now) {
            auto const& [z, g, moves, changes, slot, k] = now;
            constexpr double little = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
            auto const size = let(sqrt(sum<1>(square(changes))));
            auto const scale = let(where(size > 0.0, 1.0 / size, 0.0));
            auto const units = let(unsqueeze<1>(scale) * changes);
            auto const squares = let(matmul(units, transpose(units)));
            node_ref<position_of<T>> const row(&b, emit_position<T>(b, depth, 2, 1)),
                column(&b, emit_position<T>(b, depth, 2, 0));
            auto const diagonal = let(1.0 - (1.0 - little) * cast<T>(size > 0.0));
            int const matrix =
                emit_binary<add_op, T>(b, squares.id, emit_masked<T>(b, (row == column).id, diagonal.id));
            vector const c(&b, emit_solved<T>(b, matrix, let(matmul(units, flat(g))).id, is_quiet));
            auto const back = let(matmul(c * scale, moves + changes));
            Z const next = let(z + g - Z(&b, emit_reshape(b, back.id, d))), residual = p.residual(next);
            auto const here = let(symbol<position_of<T>, dyn, 1>(&b, emit_position<T>(b, depth, 2, 1)) ==
                                  cast<position_of<T>>(slot));
            auto put = [&](auto const& old, Z const& change) { return let(where(here, flat(change), old)); };
            return std::make_tuple(next, residual, put(moves, let(next - z)), put(changes, let(residual - g)),
                                   let(where(slot + 1 < depth, slot + 1, 0)), k + 1);
        };
        symbol<std::int32_t> const zero(&b, b.constant(0, dtype::i32));
        history const none(&b, emit_expand(b, b.constant(0, dtype_of<T>()),
                                           with_axes(dims{}, depth, size_of_shape(b, d))));
        auto const end = while_of<unbounded_steps>(
            more, step, std::make_tuple(first, p.residual(first), none, none, zero, zero));
        Z const z = std::get<0>(end), change = std::get<1>(end);
        auto const found = is_small<Lanes>(z, change, tolerance);
        symbol<T> const left = let(sqrt(sum(square(where(found, 0.0, change)))));
        return search_end<Z, std::remove_const_t<decltype(found)>, T>{let(z + change), found, std::get<5>(end), left};
    }
    template <class... T>
    struct problem : function_of_unknown<T...> {
        template <class Z>
        constexpr Z residual(Z const& z) const {
            return let(this->value(z) - z);
        }
    };
};

/// Newton's method on the gradient, with so much more on the diagonal of the Hessian that the objective becomes
/// smaller.
struct descent {
    static constexpr fixed_string name = "argmin";
    template <class Unknown, class R>
    using result_refused = unless<parameter_like<R>, objective_is_no_number<R>>;
    template <class... T>
    struct problem : function_of_unknown<T...> {
        template <class Z>
        constexpr auto objective(Z const& z) const {
            auto const y = this->returned(z);
            using Y = std::remove_const_t<decltype(y)>;
            if constexpr (!parameter_like<Y>) {
                refuse(because<objective_is_no_number<Y>>{});
                return let(sum(square(z)));  // so that no other error follows
            } else return y;
        }
        template <class Z>
        constexpr Z residual(Z const& where_to) const {
            builder& b = this->graph;
            Z const z = as_parameter(b, where_to);
            list<int> wanted;
            wanted.push(z.id);
            int const g =
                differentiate(b, objective(z).id, wanted, b.constant(1, dtype_of<typename Z::value_type>()))[0];
            return Z(&b, emit_whole(b, g, z.id));
        }
    };
    template <bool Lanes, class Z, class Problem>
    static constexpr auto search(builder& b, Problem const& p, Z const& first, solver const& o) {
        using T = typename Z::value_type;
        double const tolerance = o.tolerance > 0 ? o.tolerance : default_tolerance<T>(true);
        int const most = o.max_steps > 0 ? o.max_steps : 100;
        constexpr double noise = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
        auto done = [&](auto const& z, auto const& s, auto const& more) {
            return let(is_small<false>(z, s, tolerance) && more == 0.0);
        };
        /// From z: the correction, the gradient, and the addition to the diagonal, given the last one and whether that
        /// was good.
        auto at = [&](Z const& where_to, auto const& better, auto const& last) {
            Z const z = as_parameter(b, where_to), g = p.residual(z);
            linear_system system(b, solver_by_matrix<Z>(Lanes), g.id, z.id, &differentiate);
            node_ref<T> const h(&b, system.matrix);
            symbol<T> const scale(&b, let(sqrt(sum(square(h)))).id);
            symbol<T> const more = let(where(better, where(last > 1e-6 * scale, 0.1 * last, 0.0),
                                             where(last > 0.0, 10.0 * last, 1e-3 * scale)));
            system.add_to_diagonal(more.id);
            return std::make_tuple(Z(&b, system.solve(g.id, false, is_quiet)), size_of_element<false>(g), more);
        };
        auto const going = [&](auto const& now) {
            return !done(std::get<0>(now), std::get<1>(now), std::get<4>(now)) && std::get<5>(now) < most;
        };
        auto const step = [&](auto const& now) {
            auto const& [z, s, y, size, last, k] = now;
            Z const trial = let(z - s);
            auto const smaller = p.objective(trial);
            auto const better = let(smaller <= y + noise * (1.0 + abs(y)));
            Z const next = let(where(better, trial, z));
            auto const [change, steepness, more] = at(next, better, last);
            return std::make_tuple(next, change, let(where(better, smaller, y)), steepness, more, k + 1);
        };
        symbol<std::int32_t> const zero(&b, b.constant(0, dtype::i32));
        symbol<T> const nothing(&b, b.constant(0, dtype_of<T>()));
        auto const [change, steepness, more] = at(first, nothing == 0.0, nothing);
        auto const end = while_of<unbounded_steps>(
            going, step, std::make_tuple(first, change, p.objective(first), steepness, more, zero));
        auto const& [z, s, y, size, last, k] = end;
        auto const found = done(z, s, last);
        return search_end<Z, std::remove_const_t<decltype(found)>, T>{let(z - s), found, k, size};
    }
};

}  // namespace detail::transform_part
}  // namespace tapeless
