// SPDX-License-Identifier: MIT
#pragma once
// group_norm: groups of channels of x [N, C, ...], each with mean 0 and variance 1 in every sample.

#include <tapeless/functional/batch_norm.hpp>

namespace tapeless {

/// Refuses channels that do not divide into the groups.
template <class X, int Groups>
struct channels_do_not_divide_into_groups {
    static_assert(never<X>, "group_norm<groups>(x): the number of channels, x's extent 1, is no multiple of groups");
};

namespace detail::inline functional_part {

/// The axis of channels (from the left) as two, groups x channels of a group, and all axes behind it as one.
template <int Groups, int Channels>
struct groups_rule {
    static constexpr dims split(dims const& d, auto&& part, auto&& times) {
        dims r;
        for (int i = 0; i < Channels; ++i) r.extent[r.rank++] = d.extent[i];
        r.extent[r.rank++] = Groups;
        r.extent[r.rank++] = part(d.extent[Channels]);
        for (int i = Channels + 1; i < d.rank; ++i) {
            if (i == Channels + 1) r.extent[r.rank++] = d.extent[i];
            else r.extent[r.rank - 1] = times(r.extent[r.rank - 1], d.extent[i]);
        }
        return r;
    }
    static constexpr dims dims_from(dims const& d) {
        return split(
            d, [](std::int64_t c) { return c >= 0 ? c / Groups : new_extent; },
            [](std::int64_t a, std::int64_t b) {
                return a >= 0 && b >= 0 ? a * b : a == 1 ? b : b == 1 ? a : new_extent;
            });
    }
    static constexpr int emit(builder& b, int x) {
        dims const d = b.shape_of(x);
        auto part = [&](std::int64_t c) {
            c = b.resolve(c);
            if (c >= 0) return c / Groups;
            b.check(c, relation::multiple, Groups);
            return b.derived({.rule = length_rule::quotient, .a = c, .b = Groups});
        };
        return emit_reshape(b, x, split(d, part, [&](std::int64_t e, std::int64_t f) { return b.product(e, f); }));
    }
};
template <int Groups, int Channels, class X>
constexpr auto split_into_groups(X const& x) {
    return apply<moved<"split into groups", groups_rule<Groups, Channels>>>(x);
}

/// y in the shape of x, which has as many elements.
struct shaped_like_op : composed<"reshape"> {
    template <class, class, class X>
    using result_shape = X;
    template <class>
    static constexpr int simplify(builder& b, node const& n) {
        return emit_reshape(b, n.in[0], dims(b.shape_of(n.in[1])));
    }
};

/// Per channel, beside x in groups.
template <int Groups, class X, class P>
constexpr auto beside_groups(P const& p) {
    refuse(why_not_per_channel<X, P>());
    auto const split = split_into_groups<Groups, 0>(p);
    if constexpr (X::rank < 3) return split;
    else return unsqueeze<2>(split);
}
template <int Groups, class X, class Eps>
constexpr auto normalized_groups(X const& x, Eps const& eps) {
    using S = typename X::shape_type;
    static_assert(Groups > 0, "group_norm<groups>: at least one group");
    constexpr int groups = Groups > 0 ? Groups : 1;  // one, where that was refused
    if constexpr (S::rank < 2) refuse(because<not_one_number_a_channel<S, S>>{});
    else if constexpr (S::extents[1] >= 0 && S::extents[1] % groups != 0)
        refuse(because<channels_do_not_divide_into_groups<S, groups>>{});
    auto const split = let(split_into_groups<groups, 1>(x));
    if constexpr (S::rank < 3) return standardized<-1>(split, eps);
    else return standardized<-2, -1>(split, eps);
}
}  // namespace detail::functional_part

/// (x - mean) / sqrt(var + eps) a sample and group of C / groups channels with all axes behind them; var has the
/// divisor n.
template <int Groups, expression X, parameter_like Eps = double>
constexpr auto group_norm(X const& x, Eps const& eps = 1e-5) {
    auto const in = let(x);
    return apply<detail::shaped_like_op>(detail::normalized_groups<Groups>(in, eps), in);
}
/// group_norm(x) * gain + bias, the two one number a channel, [C].
template <int Groups, expression X, parameter_array Gain, parameter_array Bias, parameter_like Eps = double>
constexpr auto group_norm(X const& x, Gain const& gain, Bias const& bias, Eps const& eps = 1e-5) {
    auto const in = let(x);
    auto const out = detail::normalized_groups<Groups>(in, eps) * detail::beside_groups<Groups, X>(gain) +
                     detail::beside_groups<Groups, X>(bias);
    return apply<detail::shaped_like_op>(out, in);
}

}  // namespace tapeless
