// SPDX-License-Identifier: MIT
#pragma once
// Linear systems of which only products with the matrix are known: tangents and cotangents of an equation.

#include <tapeless/transform/unknown.hpp>

namespace tapeless::detail::inline transform_part {

/// The y with dr/dx y = right, or transposed, by GMRES in its adaptive simpler form (Jiranek, Rozloznik): directions p
/// whose products q are orthonormal; the next one is the residual, or where that came down by little the last q. After
/// `directions` of them it begins again. It is an implicit function itself, so that derivatives are systems like it.
/// NaN where it does not converge.
template <class T>
constexpr int emit_by_products(builder& b, int r, int unknown, int right, std::int64_t flags) {
    constexpr int directions = 24, most = 1200;
    using vector = symbol<T, dyn>;
    using vectors = symbol<T, directions, dyn>;
    bool const transposed = flags & is_transposed;
    double const tolerance = flags & is_quiet ? 1e-6 : sizeof(T) == 8 ? 1e-12 : 1e-5;  // quiet: a step of a search
    int const first = b.nodes.size();
    dims const d = b.shape_of(unknown);
    auto const product = [&](vector const& v) {
        list<int> ys, xs, vs;
        ys.push(r), xs.push(unknown), vs.push(emit_reshape(b, v.id, d));
        int const y = transposed ? differentiate(b, ys, vs, xs)[0] : push_forward(b, ys, xs, vs)[0];
        return vector(&b, emit_flat(b, emit_whole(b, y, unknown)));
    };
    auto const size_of = [](vector const& v) { return let(sqrt(sum(square(v)))); };
    auto const turned = [](auto const& size, vector const& v) { return let(where(size > 0.0, v / size, 0.0)); };

    list<int> inputs, operands;
    operands.push(emit_flat(b, right));
    vector const y(&b, operands[0]);
    inputs.push(emit_placeholder(b, dims(b.shape_of(y.id)), dtype_of<T>()));
    int const equation = let(product(vector(&b, inputs[0])) - y).id;
    symbol<T> const whole = size_of(y);
    auto const more = [&](auto const& s) { return std::get<5>(s) > tolerance * whole && std::get<7>(s) < most; };
    auto const step = [&](auto const& s) {
        auto const& [x, left, p, ps, qs, size, slot, k] = s;
        auto const begins = let(slot == 0);
        vectors const before_p = let(where(begins, 0.0, ps)), before_q = let(where(begins, 0.0, qs));
        vector const made = product(p);
        auto const once = let(matmul(before_q, made));
        vector const less = let(made - matmul(once, before_q));
        auto const twice = let(matmul(before_q, less));
        vector const rest = let(less - matmul(twice, before_q));
        symbol<T> const length = size_of(rest);
        vector const q = turned(length, rest), direction = turned(length, let(p - matmul(once + twice, before_p)));
        symbol<T> const far = let(sum(q * left));
        vector const next = let(left - far * q);
        symbol<T> const smaller = size_of(next);
        auto const after = let(where(slot + 1 < directions, slot + 1, 0));
        symbol<position_of<T>, directions, 1> const place(&b, emit_position<T>(b, directions, 2, 1));
        auto const here = let(place == cast<position_of<T>>(slot));
        return std::make_tuple(let(x + far * direction), next,
                               let(where(smaller < 0.9 * size || after == 0, turned(smaller, next), q)),
                               let(where(here, direction, before_p)), let(where(here, q, before_q)), smaller, after,
                               let(where(length > 0.0, k + 1, most)));
    };
    symbol<std::int32_t> const zero(&b, b.constant(0, dtype::i32));
    symbol<T> const nothing(&b, b.constant(0, dtype_of<T>()));
    vectors const none(&b, emit_expand(b, nothing.id, with_axes(dims{}, directions, b.shape_of(y.id).extent[0])));
    auto const end = while_of<unbounded_steps>(
        more, step, std::make_tuple(let(0.0 * y), y, turned(whole, y), none, none, whole, zero, zero));
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    int const found = let(where(std::get<5>(end) <= 1e3 * tolerance * whole, std::get<0>(end), nan)).id;
    call_info c;
    c.name = "gmres";
    c.products = &emit_by_products<T>;
    c.without_matrix = true;
    return emit_reshape(b, emit_implicit(b, c, inputs, operands, found, equation, first), d);
}

}  // namespace tapeless::detail::transform_part
