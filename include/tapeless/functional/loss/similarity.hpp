// SPDX-License-Identifier: MIT
#pragma once
// Losses of vectors against vectors, row by row: the angle between them, and the distances of triplets.

#include <tapeless/functional/loss/reduction.hpp>
#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/ops/interval.hpp>
#include <tapeless/ops/power.hpp>
#include <tapeless/ops/product.hpp>
#include <tapeless/ops/stretch.hpp>

namespace tapeless {
namespace detail::inline functional_part {

/// a . b / (max(|a|, eps) max(|b|, eps)) along the axis of the attribute, which stays as an extent of 1. An operand
/// that is stretched along other axes has its norms computed once.
struct cosine_similarity_op : composed<"cosine_similarity"> {
    template <class... T>
    using result = typename nth_type<0, T...>::type;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        dims const shape = broadcast(b, dims(b.shape_of(n.in[0])), dims(b.shape_of(n.in[1])));
        attribute const at{.axes = n.attr.axes, .number = 2};
        auto stretched = [&](int id) {  // along the axis, where only the other operand has it
            dims d = b.shape_of(id);
            dims full;
            bool missing = false;
            for (int k = shape.rank - 1; k >= 0; --k) {
                bool const along = at.axes >> k & 1;
                missing = missing || (along && d.from_right(k) != shape.from_right(k));
                full.extent[full.rank++] = along ? shape.from_right(k) : d.from_right(k);
            }
            return node_ref<T>(&b, missing ? emit_expand(b, id, full) : id);
        };
        auto const x = stretched(n.in[0]), y = stretched(n.in[1]);
        node_ref<T> const eps(&b, n.in[2]);
        auto length = [&](node_ref<T> v) { return clamp_min(apply_with<norm_op>(at, v), eps); };
        return (over<sum_op>(at, x * y) / (length(x) * length(y))).id;
    }
};

template <class A, class B, int Axis>
struct similarity_shape {
    using both = typename broadcast_all<typename A::shape_type, typename B::shape_type>::type;
    static constexpr std::int64_t mask = axis_mask<both, Axis>();
    using type = typename shape_from<kept_rule<both, mask>, both>::type;
};
}  // namespace detail::functional_part

/// a . b / (max(|a|, eps) max(|b|, eps)) along an axis of the two side by side, which is dropped: the cosine of the
/// angle between two vectors. The gradient is that of this formula: finite at a vector of zeros.
template <int Axis = 1, expression A, expression B, parameter_like Eps = double>
constexpr auto cosine_similarity(A const& a, B const& b, Eps const& eps = 1e-8) {
    using op = detail::cosine_similarity_op;
    using T = detail::computed<typename A::value_type>;
    refuse(because<typename detail::check_broadcast<op, typename A::shape_type, typename B::shape_type>::reason>{});
    using S = detail::similarity_shape<A, B, Axis>;
    refuse(because<detail::axes_refused<op, typename S::both, Axis>>{});
    refuse(because<detail::elements_refused<op, T, B, Eps>>{});
    auto const e = detail::as_operand<T>(eps);
    return squeeze<Axis>(
        detail::apply_custom_loop<op, typename S::type>({.axes = S::mask}, detail::widened(a), detail::widened(b), e));
}

/// Named in a message where the margin has no meaning; never called.
inline void triplet_margin_needs_margin_greater_than_zero() {}

namespace loss {
using tapeless::cosine_similarity;

/// What triplet_margin takes besides its arrays: d(x, y) is the p-norm of x - y + eps; with swap, the negative is
/// compared with the anchor or the positive, whichever is nearer.
struct triplet_margin_options {
    double margin = 1, p = 2, eps = 1e-6;
    bool swap = false;
};

/// 1 - cosine_similarity of the rows (last axis): one value for each. Vectors that are to point the same way, however
/// long.
template <reduction R = reduction::mean, expression A, expression B, parameter_like Eps = double>
constexpr auto cosine(A const& a, B const& b, Eps const& eps = 1e-8) {
    return detail::reduced<R>(1.0 - cosine_similarity<-1>(a, detail::beside<"cosine">(a, b), eps));
}

/// 1 - cos where t = 1, max(0, cos - margin) where t = -1, with cos the cosine_similarity of the rows (last axis) and
/// a target for each row. Pairs of vectors that belong together or do not.
template <reduction R = reduction::mean, expression A, expression B, class Target, parameter_like D = double>
constexpr auto cosine_embedding(A const& a, B const& b, Target const& target, D const& margin = 0.0) {
    auto const cos = let(cosine_similarity<-1>(a, detail::beside<"cosine_embedding">(a, b)));
    auto const t = detail::named_beside<"cosine_embedding">(cos, target);
    return detail::reduced<R>(where(t == 1.0, 1.0 - cos, where(t == -1.0, clamp_min(cos - margin, 0.0), 0.0)));
}

/// max(0, d(a, p) - d(a, n) + margin) with d(x, y) = |x - y + eps|_p, over the last axis: one value for each row. An
/// anchor is to be nearer to what is like it than to what is not; the gradient of a distance of 0 is 0.
template <reduction R = reduction::mean, expression A, expression P, expression N>
constexpr auto triplet_margin(A const& anchor, P const& positive, N const& negative,
                              triplet_margin_options const& options = {}) {
    if (!(options.margin > 0)) triplet_margin_needs_margin_greater_than_zero();
    auto const a = let(anchor);
    auto const p = let(detail::beside<"triplet_margin">(a, positive));
    auto const n = let(detail::beside<"triplet_margin">(a, negative));
    auto distance = [&](auto const& x, auto const& y) { return norm<-1>(x - y + options.eps, options.p); };
    auto const near = let(distance(a, p));
    auto const far = let(distance(a, n));
    using rows = decltype(let(minimum(far, distance(p, n))));
    rows const from_negative = options.swap ? let(minimum(far, distance(p, n))) : rows(far.graph, far.id);
    return detail::reduced<R>(clamp_min(near - from_negative + options.margin, 0.0));
}

}  // namespace loss
}  // namespace tapeless
