// SPDX-License-Identifier: MIT
#pragma once
// Functions of matrices: expm, matrix_power, trace, kron.

#include <tapeless/kernels/expm.hpp>
#include <tapeless/ops/join.hpp>
#include <tapeless/ops/linalg/solve.hpp>

namespace tapeless {
namespace detail::inline ops_part {

struct expm_op : square_loop<expm_op, "expm"> {
    template <class T>
    static constexpr room_length room(builder& b, node const& n) {
        room_length const rows{&b, emit_square(b, n.in[0])};
        return rows * rows * matrix_exponential<T>::matrices + rows + room_of_products<T>(rows, rows, rows);
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const* out, attribute const&, void* scratch) {
        std::int64_t const n = out->extent[0];
        if (n == 0) return;
        batch_nest<2>({out, &in[0]}, {2, 2}).each(0, [&](std::ptrdiff_t const* offset) {
            T* const y =
                matrix_exponential<T>::compute(matrix_at<T const>(in[0], offset[1]), n, static_cast<T*>(scratch));
            rows<T>::copy(matrix_at<T>(*out, offset[0]), {y, static_cast<std::ptrdiff_t>(n), 1}, n, n);
        });
    }
    /// The derivative in the direction g is what stands beside the diagonal of e^((aᵀ, g), (0, aᵀ)).
    static constexpr auto pullback(auto arrived, auto y, auto a, attribute const&) {
        using T = typename decltype(a)::value_type;
        builder& b = *a.graph;
        dims const d = b.shape_of(a.id);
        std::int64_t const n = b.resolve(d.from_right(0));
        int const turned = node_ref<T>(transpose(a)).id, zero = b.blank(b.nodes.items[a.id].shape, dtype_of<T>());
        int const above[] = {turned, whole_cotangent(arrived, y).id}, below[] = {zero, turned};
        int const both[] = {emit_concat(b, above, 2, 0), emit_concat(b, below, 2, 0)};
        node_ref<T> const large = emit_custom_loop<expm_op, T>(b, {}, {emit_concat(b, both, 2, 1)});
        return cotangents(node_ref<T>(&b, emit_slice(b, emit_rows(b, large.id, 0, n), 0, n, n, 1)));
    }
};

/// Becomes products as soon as it enters the graph; attr.offset: the exponent.
template <class T>
constexpr int emit_matrix_power(builder& b, int a, std::int64_t exponent) {
    dims const d = b.shape_of(a);
    if (exponent == 0) return emit_expand(b, emit_unit_matrix<T>(b, emit_square(b, a)), d);
    node_ref<T> square(&b, a), power;
    if (exponent < 0) square = emit_inverse<T>(square, emit_factors<T>(b, a), 0);
    for (std::int64_t rest = exponent < 0 ? -exponent : exponent;;) {
        if (rest & 1) power = power.id < 0 ? square : node_ref<T>(matmul(power, square));
        if ((rest >>= 1) == 0) return power.id;
        square = matmul(square, square);
    }
}

template <class A, class B>
struct kron_rule {
    static constexpr std::int64_t product(std::int64_t x, std::int64_t y) {
        return x >= 0 && y >= 0 ? x * y : x == 1 ? y : y == 1 ? x : new_extent;
    }
    static constexpr dims compute(bool& fits) {
        type_unifier u;
        dims const a = dims_of<A>(0), b = dims_of<B>(1);
        dims const d = with_axes(broadcast(u, leading_axes(a, 2), leading_axes(b, 2)),
                                 product(a.from_right(1), b.from_right(1)), product(a.from_right(0), b.from_right(0)));
        fits = u.ok;
        return d;
    }
    static constexpr dims find() {
        bool f = true;
        return compute(f);
    }
    static constexpr bool check() {
        bool f = true;
        (void)compute(f);
        return f;
    }
    static constexpr bool ok = check();
    static constexpr dims value = find();
    using type = typename shape_from<kron_rule, A, B>::type;
};
struct kron_op : composed<"kron"> {
    template <class, class A, class B>
    using result_shape = typename kron_rule<A, B>::type;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        dims const x = b.shape_of(n.in[0]), y = b.shape_of(n.in[1]);
        // rows and columns with an axis of extent 1 behind them, or before
        auto apart = [&](int id, int rank, int first) {
            axis_map m = axis_map::of_rank(rank + 2);
            m.set(first, 0), m.set(first + 2, 1);
            for (int k = 2; k < rank; ++k) m.set(k + 2, k);
            return emit_axes(b, id, m);
        };
        int const all = emit_binary<mul_op, T>(b, apart(n.in[0], x.rank, 1), apart(n.in[1], y.rank, 0));
        return emit_reshape(b, all,
                            with_axes(leading_axes(b.shape_of(all), 4), b.product(x.from_right(1), y.from_right(1)),
                                      b.product(x.from_right(0), y.from_right(0))));
    }
};
}  // namespace detail::ops_part

namespace linalg {

/// e^a of a square matrix, or of each of a batch.
template <expression A>
constexpr auto expm(A const& a) {
    using op = detail::expm_op;
    using T = detail::matrix_element<A>;
    using S = typename detail::shape_or_none<A>::type;
    if constexpr (!detail::is_node_ref<A>) refuse(because<detail::check_square<op, S>>{});
    detail::builder& b = *a.where();
    return detail::as_expression_of<A, S>(&b,
                                          detail::emit_custom_loop<op, T>(b, {}, {detail::walk_matrix<op>(a, b)}).id);
}

/// a a ... a: of exponent 0 the unit matrix, of negative ones powers of the inverse. The exponent is a number of the
/// traced function.
template <expression A>
constexpr auto matrix_power(A const& a, std::int64_t exponent) {
    using op = detail::inverse_matrix_op;
    using T = detail::matrix_element<A>;
    using S = typename detail::shape_or_none<A>::type;
    if constexpr (!detail::is_node_ref<A>) refuse(because<detail::check_square<op, S>>{});
    detail::builder& b = *a.where();
    int const m = detail::walk_matrix<op>(a, b);
    (void)detail::emit_square(b, m);
    return detail::as_expression_of<A, S>(&b, detail::emit_matrix_power<T>(b, m, exponent));
}

/// The sum of the diagonal of the last two axes, which need not be of one length.
template <expression A>
constexpr auto trace(A const& a) {
    return sum<-1>(diagonal(a));
}

/// The Kronecker product of the last two axes: y(i r + k, j s + l) = a(i, j) b(k, l), where b is r by s. Leading axes
/// broadcast.
template <expression A, expression B>
constexpr auto kron(A const& a, B const& b) {
    if constexpr (!detail::is_node_ref<A> && !detail::is_node_ref<B>) {
        refuse(because<detail::check_matrix<detail::kron_op, typename A::shape_type>>{});
        refuse(because<detail::check_matrix<detail::kron_op, typename B::shape_type>>{});
        static_assert(detail::kron_rule<typename A::shape_type, typename B::shape_type>::ok,
                      "kron: leading extents differ where neither is 1");
    }
    return apply<detail::kron_op>(a, b);
}

}  // namespace linalg
}  // namespace tapeless
