// SPDX-License-Identifier: MIT
#pragma once
// Sets of labels against all other classes, row by row. A loop of its own: it takes (labels x classes) steps a row, where all
// pairs of classes would take (classes x classes).

#include <tapeless/functional/loss/reduction.hpp>
#include <tapeless/ops/index_checks.hpp>
#include <tapeless/ops/loop_nest.hpp>
#include <tapeless/ops/own.hpp>
#include <tapeless/ops/reshape.hpp>

namespace tapeless {

/// Refuses label targets that are not of the shape of the input.
template <class Input, class Target>
struct labels_do_not_fit {
    static_assert(sizeof(Input) == 0,
                  "multilabel_margin: labels have the shape of the input, (n, c) or (c): class indices, then -1");
};

namespace detail {

/// One row of class indices: labels up to the first -1. (Build: as in loop_nest.)
template <class I, class Build = simd::batch<float>>
struct label_row {
    I const* index;
    std::ptrdiff_t stride;
    std::int64_t count = 0;

    label_row(I const* p, std::ptrdiff_t s, std::int64_t classes) : index(p), stride(s) {
        while (count < classes && index[count * stride] >= 0) ++count;
    }
    I operator[](std::int64_t k) const { return index[k * stride]; }
    bool has(std::int64_t i) const {
        for (std::int64_t k = 0; k < count; ++k)
            if ((*this)[k] == i) return true;
        return false;
    }
};

/// sum over labels y and classes i that are no labels of max(0, 1 - x[y] + x[i]) / c, the axis kept as an extent of 1; NaN stays.
/// A further result is how often a class takes part in a margin that is not kept: c d/dx, which is constant between jumps.
struct label_margins_op : own_loop<"multilabel_margin"> {
    static constexpr dims shape(builder& b, node const& n) {
        dims const x = b.shape_of(n.in[0]), labels = b.shape_of(n.in[1]);
        dims classes;
        classes.rank = 1;
        classes.extent[0] = b.resolve(x.from_right(0));
        b.check_index(n.in[1], classes, {"multilabel_margin", "label", -1});
        dims rows = broadcast(b, x, labels);  // notes what run time has to check
        rows.extent[rows.rank - 1] = 1;
        return rows;
    }
    template <class T, class I>
    TAPELESS_CONFIG_INLINE static void run(strided const* in, strided const* out, attribute const&, void*) {
        strided const &x = in[0], &labels = in[1], &slopes = out[1];
        loop_nest<4> rows;
        for (int k = 1; k < x.rank; ++k) rows.add(x.extent[k], x.stride[k], labels.stride[k], out[0].stride[k], slopes.stride[k]);
        rows.each(0, [&](std::ptrdiff_t const* at) {
            label_row<I> const row(labels.as<I const>() + at[1], labels.stride[0], x.extent[0]);
            T const* const scores = x.as<T const>() + at[0];
            T* const slope = slopes.data ? slopes.as<T>() + at[3] : nullptr;
            out[0].as<T>()[at[2]] = run_row(scores, x.stride[0], x.extent[0], row, slope, slopes.stride[0]);
        });
    }
    static constexpr auto pullback(auto g, auto y, auto x, auto, attribute const&) {
        using T = typename decltype(x)::value_type;
        auto const slopes = emit_part<1, label_margins_op, T>(y, x.graph->nodes.items[x.id].shape);
        return cotangents(g / count_of(x, 1) * slopes, no_cotangent{});
    }
    /// Nothing flows back through what is constant between jumps.
    static constexpr void refuse() {}

private:
    template <class T, class I, class Build = simd::batch<T>>
    static T run_row(T const* x, std::ptrdiff_t step, std::int64_t classes, label_row<I> const& labels, T* slope,
                     std::ptrdiff_t to) {
        for (std::int64_t i = 0; slope && i < classes; ++i) slope[i * to] = 0;
        double sum = 0;
        for (std::int64_t i = 0; i < classes; ++i) {
            if (labels.has(i)) continue;
            for (std::int64_t k = 0; k < labels.count; ++k) {
                T const margin = T(1) - x[labels[k] * step] + x[i * step];
                if (!(margin <= 0)) sum += static_cast<double>(margin);
                if (slope && margin > 0) ++slope[i * to], --slope[labels[k] * to];
            }
        }
        return static_cast<T>(sum / static_cast<double>(classes));
    }
};

/// The sum above, one for each row.
template <class X, class Target>
constexpr auto margins_of_labels(X const& x, Target const& target) {
    using S = typename X::shape_type;
    using op = label_margins_op;
    (void)sizeof(check_index_types<op, typename X::value_type, typename Target::value_type>);
    if constexpr (S::rank == 0 || !same_extents<S, typename Target::shape_type>())
        (void)sizeof(labels_do_not_fit<S, typename Target::shape_type>);
    return squeeze<-1>(apply_own<op, typename shape_from<kept_rule<S, 1>, S>::type>({}, widened(x), target));
}

}  // namespace detail
}  // namespace tapeless
