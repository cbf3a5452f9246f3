// SPDX-License-Identifier: MIT
#pragma once
// attention: scaled dot-product attention, with a mask of what is kept, a bias, or both.

#include <limits>

#include <tapeless/functional/layer_norm.hpp>
#include <tapeless/functional/softmax.hpp>
#include <tapeless/ops/product.hpp>

namespace tapeless {
namespace detail::inline functional_part {

/// softmax, and all zeros (with gradients of 0) for a row of nothing but -inf.
struct attention_weights_op : row_function<attention_weights_op, "attention_weights"> {
    static constexpr auto value(auto x, attribute const& at) {
        auto const e = exp(x - finite_peak(x, at));
        auto const s = over<sum_op>(at, e);
        return e / where(s == 0.0, 1.0, s);
    }
    static constexpr auto rule(auto g, auto y, auto x, attribute const& at) { return softmax_op::rule(g, y, x, at); }
};

/// 1 / sqrt(the last extent of x), a number.
struct inverse_root_of_extent_op : composed<"1 / sqrt(extent)"> {
    template <class, class>
    using result_shape = shape<>;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        int const count = emit_count<T>(b, dims(b.shape_of(n.in[0])), 1);
        if (!b.is_constant(count)) return emit_unary<rsqrt_op, T>(b, count);
        double const e = b.nodes.items[count].attr.value();
        double root = e;
        for (int i = 0; i < 60 && root > 0; ++i) root = (root + e / root) / 2;  // Newton's, from above
        return emit_constant<T>(b, root > 0 ? 1 / root : 0);
    }
};
template <class Q>
constexpr auto attention_scale(Q const& q) {
    return apply<inverse_root_of_extent_op>(q);
}

/// Scores after a mask (bool) or a bias.
template <class S, class M>
constexpr auto restricted(S const& scores, M const& m) {
    if constexpr (std::same_as<typename M::value_type, bool>)
        return where(m, scores, -std::numeric_limits<double>::infinity());
    else return scores + m;
}
template <class Q, class K>
constexpr auto scores_of(Q const& q, K const& k, auto const& scale) {
    return matmul(q, transpose(k)) * scale;
}
template <class S, class V>
constexpr auto weighted_by(S const& scores, V const& v) {
    return matmul(along<attention_weights_op, -1>(scores), v);
}
template <class Keep, class Bias>
constexpr bool are_mask_and_bias() {
    return std::same_as<typename Keep::value_type, bool> && !std::same_as<typename Bias::value_type, bool>;
}
}  // namespace detail::functional_part

/// softmax(q k^T scale) v of q [..., L, D], k [..., S, D], v [..., S, E]; scale is 1 / sqrt(D) unless given.
template <expression Q, expression K, expression V>
constexpr auto attention(Q const& q, K const& k, V const& v) {
    return attention(q, k, v, detail::attention_scale(q));
}
template <expression Q, expression K, expression V, parameter_like Scale>
constexpr auto attention(Q const& q, K const& k, V const& v, Scale const& scale) {
    return matmul(softmax<-1>(detail::scores_of(q, k, scale)), v);
}
/// With scores of -inf where a mask is false, or with numbers added to the scores: m [..., L, S] is bool or a bias. A
/// row of which nothing is kept gives zeros, and gradients of 0.
template <expression Q, expression K, expression V, parameter_array M>
constexpr auto attention(Q const& q, K const& k, V const& v, M const& m) {
    return attention(q, k, v, m, detail::attention_scale(q));
}
template <expression Q, expression K, expression V, parameter_array M, parameter_like Scale>
constexpr auto attention(Q const& q, K const& k, V const& v, M const& m, Scale const& scale) {
    return detail::weighted_by(detail::restricted(detail::scores_of(q, k, scale), m), v);
}
/// With a mask and a bias.
template <expression Q, expression K, expression V, parameter_array Keep, parameter_array Bias>
constexpr auto attention(Q const& q, K const& k, V const& v, Keep const& keep, Bias const& bias) {
    return attention(q, k, v, keep, bias, detail::attention_scale(q));
}
template <expression Q, expression K, expression V, parameter_array Keep, parameter_array Bias, parameter_like Scale>
constexpr auto attention(Q const& q, K const& k, V const& v, Keep const& keep, Bias const& bias, Scale const& scale) {
    static_assert(detail::are_mask_and_bias<Keep, Bias>(),
                  "attention(q, k, v, keep, bias): keep is a mask, bias holds numbers");
    if constexpr (!detail::are_mask_and_bias<Keep, Bias>()) return attention(q, k, v, scale);
    else return detail::weighted_by(detail::restricted(detail::scores_of(q, k, scale) + bias, keep), v);
}

}  // namespace tapeless
