// SPDX-License-Identifier: MIT
#pragma once
// Sets of labels against all other classes, row by row. A loop of its own: it takes (labels x classes) steps a row,
// where all pairs of classes would take (classes x classes).

#include <tapeless/functional/loss/reduction.hpp>
#include <tapeless/kernels/loop_nest.hpp>
#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/ops/index_checks.hpp>
#include <tapeless/ops/stretch.hpp>

namespace tapeless {

/// Refuses label targets that are not of the shape of the input.
template <class Input, class Target>
struct labels_do_not_fit {
    static_assert(never<Input>,
                  "multilabel_margin: labels have the shape of the input, (n, c) or (c): class indices, then -1");
};

namespace detail::inline functional_part {

/// The scores of one row side by side, which classes are no labels, and the slopes: arrays of scratch, filled up to
/// whole registers with what counts for nothing. (Build: as in loop_nest.)
template <class T, class Build = simd::batch<T>>
struct label_row {
    static constexpr int lanes = simd::lanes<T>;
    static constexpr std::int64_t arrays = 3, padding = 64 / sizeof(T);  // no register is wider
    T *x, *open, *slope;
    std::int64_t classes, width;
    double sum = 0;

    label_row(void* scratch, std::int64_t c) : classes(c), width((c + lanes - 1) / lanes * lanes) {
        x = static_cast<T*>(scratch);
        open = x + c + padding;
        slope = open + c + padding;
    }
    void read(T const* scores, std::ptrdiff_t step) {
        for (std::int64_t i = 0; i < width; ++i) {
            x[i] = i < classes ? scores[i * step] : T(0);
            open[i] = i < classes ? T(1) : T(0);
            slope[i] = 0;
        }
        sum = 0;
    }
    /// Adds the margins of label y that are not kept, and counts them. NaN stays.
    void add(std::int64_t y) {
        simd::batch<T> const zero(T(0)), one(T(1)), above(T(1) - x[y]);
        simd::batch<T> total(T(0)), count(T(0));
        for (std::int64_t i = 0; i < width; i += lanes) {
            simd::batch<T> const margin = simd::add(above, simd::load(x + i));
            auto const counts = simd::less(zero, simd::load(open + i));
            auto const kept = simd::none_of(simd::less_equal(margin, zero));
            simd::batch<T> const hit = simd::select(simd::both(counts, simd::less(zero, margin)), one, zero);
            total = simd::add(total, simd::select(simd::both(counts, kept), margin, zero));
            count = simd::add(count, hit);
            simd::store(slope + i, simd::add(simd::load(slope + i), hit));
        }
        T totals[static_cast<std::size_t>(lanes)], counts[static_cast<std::size_t>(lanes)];
        simd::store(totals, total);
        simd::store(counts, count);
        for (int j = 0; j < lanes; ++j) sum += static_cast<double>(totals[j]), slope[y] -= counts[j];
    }
};

/// sum over labels y and classes i that are no labels of max(0, 1 - x[y] + x[i]) / c, the axis kept as an extent of
/// 1. A further result is how often a class takes part in a margin that is not kept: c d/dx, which is constant
/// between jumps.
struct label_margins_op : custom_loop<"multilabel_margin"> {
    static constexpr bool takes_leading_axes = true;
    template <class T, class>
    static constexpr int scratch_element = static_cast<int>(sizeof(T));

    static constexpr dims shape(builder& b, node const& n) {
        dims const x = b.shape_of(n.in[0]), labels = b.shape_of(n.in[1]);
        dims classes;
        classes.rank = 1;
        classes.extent[0] = b.resolve(x.from_right(0));
        b.check_index(n.in[1], classes, {"multilabel_margin", "label", -1});
        dims made = broadcast(b, x, labels);  // notes what run time has to check
        made.extent[made.rank - 1] = 1;
        return made;
    }
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        if (n.attr.shape >= 0) return emit_in_memory(b, n);
        node m = n;
        dims room;
        room.extent[room.rank++] = label_row<T>::arrays;
        room.extent[room.rank++] = b.sum(b.shape_of(n.in[0]).from_right(0), label_row<T>::padding);
        m.attr.shape = b.intern(room);
        return b.emit(*n.op, m);
    }
    template <class T, class I>
    TAPELESS_CONFIG_INLINE static void run(strided const* in, strided const* out, attribute const&, void* scratch) {
        strided const &x = in[0], &labels = in[1], &slopes = out[1];
        loop_nest<4> nest;
        for (int k = 1; k < x.rank; ++k)
            nest.add(x.extent[k], x.stride[k], labels.stride[k], out[0].stride[k], slopes.stride[k]);
        label_row<T> row(scratch, x.extent[0]);
        nest.each(0, [&](std::ptrdiff_t const* at) {
            auto label = [&](std::int64_t k) { return labels.as<I const>()[at[1] + k * labels.stride[0]]; };
            std::int64_t count = 0;
            row.read(x.as<T const>() + at[0], x.stride[0]);
            for (; count < row.classes && label(count) >= 0; ++count) row.open[label(count)] = 0;
            for (std::int64_t k = 0; k < count; ++k) row.add(label(k));
            out[0].as<T>()[at[2]] = static_cast<T>(row.sum / static_cast<double>(row.classes));
            if (!slopes.data) return;
            for (std::int64_t i = 0; i < row.classes; ++i) slopes.as<T>()[at[3] + i * slopes.stride[0]] = row.slope[i];
        });
    }
    static constexpr auto pullback(auto g, auto y, auto x, auto, attribute const&) {
        using T = typename decltype(x)::value_type;
        auto const slopes = emit_part<1, label_margins_op, T>(y, x.graph->nodes.items[x.id].shape);
        return cotangents(g / count_of(x, 1) * slopes, no_cotangent{});
    }
};

/// The sum above, one for each row.
template <class X, class Target>
constexpr auto margins_of_labels(X const& x, Target const& target) {
    using S = typename X::shape_type;
    using op = label_margins_op;
    refuse(because<check_index_types<op, typename X::value_type, typename Target::value_type>>{});
    if constexpr (S::rank == 0 || !same_extents<S, typename Target::shape_type>())
        refuse(because<labels_do_not_fit<S, typename Target::shape_type>>{});
    return squeeze<-1>(apply_custom_loop<op, typename shape_from<kept_rule<S, 1>, S>::type>({}, widened(x), target));
}

}  // namespace detail::functional_part
}  // namespace tapeless
