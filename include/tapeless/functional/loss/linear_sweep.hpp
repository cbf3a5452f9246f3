// SPDX-License-Identifier: MIT
#pragma once
// The sweep of fused_linear_cross_entropy: some rows of the input at a time against all classes. Scores stand
// transposed, a class a row, so that the input is the small operand of both products with the weight, which is read
// where it is.

#include <tapeless/array/strided.hpp>
#include <tapeless/ir/length.hpp>
#include <tapeless/kernels/gemm.hpp>
#include <tapeless/simd/simd.hpp>

namespace tapeless::detail::inline functional_part {

/// How the sweep is cut, and the room it needs.
template <class T>
struct sweep_blocks {
    /// of the input at a time
    static constexpr std::int64_t rows = machine::sweep_rows / static_cast<std::int64_t>(sizeof(T));
    static constexpr std::int64_t scored = machine::sweep_scored;     ///< classes at a time, forwards
    static constexpr std::int64_t classes = machine::sweep_classes;   ///< and backwards
    /// rows of the weight's gradient, where they do not lie in one piece
    static constexpr std::int64_t strided = machine::sweep_strided;
    static constexpr int L = simd::lanes<T>;
    static constexpr int U = product_blocks<T>::batches;
    static constexpr int J = product_blocks<T>::rows;                  ///< of a tile of packed rows
    static constexpr int J_in_place = product_blocks<T>::rows_in_place();
    static constexpr std::int64_t depth = product_blocks<T>::depth;
    static constexpr std::int64_t strip = J > J_in_place ? J : J_in_place;
    /// Elements that do not depend on the sizes of the arrays: packed strips, one number for each row eight times,
    /// and alignment.
    static constexpr std::int64_t constant =
        (scored + strip) * depth + strip * classes + 16 * strided + 32 * rows + 64 * 16;

    /// Elements of scratch, from lengths that `of` calculates with.
    template <class Lengths>
    static constexpr std::int64_t room(Lengths& of, std::int64_t n, std::int64_t d, std::int64_t classes_in_all) {
        std::int64_t const at_once =
            of.derived({.rule = length_rule::minimum, .a = of.sum(n, L - 1), .b = rows});  // whole batches of rows
        std::int64_t const scores = of.product(classes_in_all, at_once);
        std::int64_t const operands = of.product(d, of.sum(of.product(3, at_once), classes + strided));
        return of.sum(of.sum(scores, operands), constant);
    }
};

/// Everything about one call.
template <class T, class I, class Build = simd::batch<T>>
class linear_sweep {
    using blocks = sweep_blocks<T>;
    static constexpr int L = blocks::L, U = blocks::U, J = blocks::J, J_in_place = blocks::J_in_place;

public:
    linear_sweep(strided const* in, strided const* out, T smoothing, std::int64_t ignored, void* scratch)
        : x_(in[0]),
          w_(in[1]),
          bias_(in[2]),
          target_(in[3]),
          losses_(out[0]),
          smoothing_(smoothing),
          ignored_(ignored),
          n_(x_.extent[1]),
          d_(x_.extent[0]),
          v_(w_.extent[1]),
          width_((n_ < blocks::rows ? n_ + L - 1 : blocks::rows) / L * L),
          free_(static_cast<T*>(scratch)) {
        scores_ = take(v_ * width_);
        packed_columns_ = take(d_ * width_);
        packed_rows_ = take(width_ * (d_ + 16));
        packed_left_ = take((blocks::scored + blocks::strip) * blocks::depth);
        for (T** p : {&peak_, &total_, &scale_, &base_, &at_target_, &gradient_, &spread_}) *p = take(blocks::rows);
    }

    /// The losses alone.
    void run() {
        for (std::int64_t first = 0; first < n_; first += blocks::rows) score(first);
    }
    /// The losses and, with g the cotangents of them, what flows back to the input, the weight and the bias, as far
    /// as there is memory for it.
    void run(strided const& g, strided const& dx, strided const& dw, strided const& db) {
        transposed_ = take(d_ * width_);
        packed_weight_ = take((d_ + blocks::strip) * blocks::classes);
        rows_of_weight_ = take(blocks::strided * (d_ + 16));
        if (n_ == 0) clear(dw), clear(db);
        for (std::int64_t first = 0; first < n_; first += blocks::rows) {
            score(first);
            flow_back(first, g, dx, dw, db);
        }
    }

private:
    strided const &x_, &w_, &bias_, &target_, &losses_;
    T smoothing_;
    std::int64_t ignored_, n_, d_, v_;
    std::int64_t width_, filled_ = 0;  // of the scores of a class: at most, and of those at hand, in whole batches
    T* free_;
    T *scores_, *packed_columns_, *packed_rows_, *packed_left_, *transposed_ = nullptr, *packed_weight_ = nullptr,
                                                                *rows_of_weight_ = nullptr;
    T *peak_, *total_, *scale_, *base_, *at_target_, *gradient_, *spread_;  // a number for each row

    T* take(std::int64_t elements) {
        T* const p = free_;
        free_ += (elements + 15) / 16 * 16;
        return p;
    }
    std::int64_t rows_from(std::int64_t first) const { return n_ - first < blocks::rows ? n_ - first : blocks::rows; }
    std::int64_t class_of(std::int64_t row) const {
        return static_cast<std::int64_t>(target_.as<I const>()[row * target_.stride[0]]);
    }

    static void clear(strided const& a) {
        if (a.data == nullptr) return;
        for (std::int64_t i = 0; i < a.extent[1]; ++i)
            for (std::int64_t j = 0; j < a.extent[0]; ++j) a.as<T>()[i * a.stride[1] + j * a.stride[0]] = T(0);
    }

    /// scores = weight x^T + bias for these rows, their largest, the sum of their exponentials, which take their
    /// place, and the losses.
    void score(std::int64_t first) {
        std::int64_t const rows = rows_from(first);
        filled_ = (rows + L - 1) / L * L;
        product_operands<T> p;
        p.columns = filled_;  // scores of 0 beside the last rows
        p.depth = d_;
        p.packed_left = packed_left_;
        p.packed_right = packed_columns_;
        T const* const x = x_.as<T const>() + first * x_.stride[1];
        for (std::int64_t k = 0; k < d_; k += blocks::depth) {
            std::int64_t const deep = d_ - k < blocks::depth ? d_ - k : blocks::depth;
            pack_panels(packed_columns_ + k * filled_, x + k * x_.stride[0], x_.stride[0], x_.stride[1], deep, rows, U);
        }
        for (std::int64_t i = 0; i < filled_; ++i) {
            peak_[i] = -std::numeric_limits<T>::infinity();
            total_[i] = spread_[i] = T(0);
        }
        for (std::int64_t v = 0; v < v_; v += blocks::scored) {
            std::int64_t const classes = v_ - v < blocks::scored ? v_ - v : blocks::scored;
            p.left = w_.as<T const>() + v * w_.stride[1];
            p.left_row = w_.stride[1];
            p.left_k = w_.stride[0];
            product_target<T> const to{scores_ + v * width_, width_, false, false};
            if (p.left_k == 1) {
                p.packs_left = false;
                multiply_any_rows<left_form::rows, J_in_place, U>(p, 0, classes, to);
            } else {
                p.packs_left = true;
                multiply_any_rows<left_form::columns, J, U>(p, 0, classes, to);
            }
            find_peaks(v, v + classes);
        }
        for (std::int64_t i = 0; i < rows; ++i) {
            std::int64_t const t = class_of(first + i);
            at_target_[i] = t == ignored_ ? T(0) : scores_[t * width_ + i] - peak_[i];
        }
        for (std::int64_t v = 0; v < v_; v += blocks::scored)
            add_exponentials(v, v_ - v < blocks::scored ? v_ : v + blocks::scored);
        for (std::int64_t i = 0; i < rows; ++i) {
            T const log_total = simd::log(total_[i]);
            T loss = log_total - at_target_[i];
            if (smoothing_ != T(0))
                loss = (1 - smoothing_) * loss + smoothing_ * (log_total - spread_[i] / static_cast<T>(v_));
            losses_.as<T>()[(first + i) * losses_.stride[0]] = class_of(first + i) == ignored_ ? T(0) : loss;
        }
    }
    void find_peaks(std::int64_t from, std::int64_t to) {
        T const* const bias = bias_.as<T const>();
        for (std::int64_t i = 0; i < filled_; i += L) {
            simd::batch<T> peak = simd::load(peak_ + i);
            for (std::int64_t v = from; v < to; ++v) {
                T* const p = scores_ + v * width_ + i;
                simd::batch<T> const s = simd::add(simd::load(p), simd::batch<T>(bias[v * bias_.stride[0]]));
                simd::store(p, s);
                peak = simd::maximum(peak, s);
            }
            simd::store(peak_ + i, peak);
        }
    }
    /// Sums of one block first, then of blocks: the error does not grow with the number of classes.
    void add_exponentials(std::int64_t from, std::int64_t to) {
        for (std::int64_t i = 0; i < filled_; i += L) {
            simd::batch<T> const peak = simd::load(peak_ + i);
            simd::batch<T> sum(T(0)), spread(T(0));
            for (std::int64_t v = from; v < to; ++v) {
                T* const p = scores_ + v * width_ + i;
                simd::batch<T> const z = simd::sub(simd::load(p), peak), e = simd::exp(z);
                simd::store(p, e);
                sum = simd::add(sum, e);
                if (smoothing_ != T(0)) spread = simd::add(spread, z);
            }
            simd::store(total_ + i, simd::add(simd::load(total_ + i), sum));
            simd::store(spread_ + i, simd::add(simd::load(spread_ + i), spread));
        }
    }

    /// What flows back to the scores is g (softmax - target); from there it goes on to the operands, some classes at
    /// a time.
    void flow_back(std::int64_t first, strided const& g, strided const& dx, strided const& dw, strided const& db) {
        std::int64_t const rows = rows_from(first);
        for (std::int64_t i = 0; i < filled_; ++i) {
            bool const counts = i < rows && class_of(first + i) != ignored_;
            gradient_[i] = counts ? g.as<T const>()[(first + i) * g.stride[0]] : T(0);
            scale_[i] = counts ? gradient_[i] / total_[i] : T(0);
            base_[i] = gradient_[i] * (smoothing_ / static_cast<T>(v_));
            gradient_[i] *= 1 - smoothing_;
        }
        if (dw.data)
            pack_panels(packed_rows_, x_.as<T const>() + first * x_.stride[1], x_.stride[1], x_.stride[0], rows, d_, U);
        for (std::int64_t v = 0; v < v_; v += blocks::classes) {
            std::int64_t const to = v_ - v < blocks::classes ? v_ : v + blocks::classes;
            make_gradients(first, rows, v, to, db);
            if (dx.data) add_to_input(v, to);
            if (dw.data) add_to_weight(first, rows, v, to, dw);
        }
        if (!dx.data) return;
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t k = 0; k < d_; ++k)
                dx.as<T>()[(first + i) * dx.stride[1] + k * dx.stride[0]] = v_ > 0 ? transposed_[k * width_ + i] : T(0);
    }
    void make_gradients(std::int64_t first, std::int64_t rows, std::int64_t from, std::int64_t to, strided const& db) {
        for (std::int64_t i = 0; i < filled_; i += L) {
            simd::batch<T> const scale = simd::load(scale_ + i), base = simd::load(base_ + i);
            for (std::int64_t v = from; v < to; ++v) {
                T* const p = scores_ + v * width_ + i;
                simd::store(p, simd::sub(simd::mul(simd::load(p), scale), base));
            }
        }
        for (std::int64_t i = 0; i < rows; ++i) {
            std::int64_t const t = class_of(first + i);
            if (t >= from && t < to && t != ignored_) scores_[t * width_ + i] -= gradient_[i];
        }
        if (!db.data) return;
        for (std::int64_t v = from; v < to; ++v) {
            simd::batch<T> sum(T(0));
            for (std::int64_t i = 0; i < filled_; i += L) sum = simd::add(sum, simd::load(scores_ + v * width_ + i));
            T& b = db.as<T>()[v * db.stride[0]];
            b = (first > 0 ? b : T(0)) + simd::reduce_add(sum);
        }
    }
    /// transposed += weight^T scores, over these classes
    void add_to_input(std::int64_t from, std::int64_t to) {
        product_operands<T> p;
        p.left = w_.as<T const>() + from * w_.stride[1];
        p.left_row = w_.stride[0];
        p.left_k = w_.stride[1];
        p.right = scores_ + from * width_;
        p.right_k = width_;
        p.right_column = 1;
        p.columns = filled_;
        p.depth = to - from;
        p.packed_left = packed_weight_;
        p.packs_left = true;
        multiply_any_rows<left_form::columns, J, U>(p, 0, d_, product_target<T>{transposed_, width_, false, from > 0});
    }
    /// dw += scores x, for these classes
    void add_to_weight(std::int64_t first, std::int64_t rows, std::int64_t from, std::int64_t to, strided const& dw) {
        product_operands<T> p;
        p.left = scores_ + from * width_;
        p.left_row = width_;
        p.left_k = 1;
        p.columns = d_;
        p.depth = rows;
        p.packed_left = packed_left_;
        p.packed_right = packed_rows_;
        p.packs_left = false;
        T* const target = dw.as<T>() + from * dw.stride[1];
        if (dw.stride[0] == 1) {
            multiply_any_rows<left_form::rows, J_in_place, U>(
                p, 0, to - from, product_target<T>{target, dw.stride[1], false, first > 0});
            return;
        }
        for (std::int64_t v = 0; v < to - from; v += blocks::strided) {
            std::int64_t const count = to - from - v < blocks::strided ? to - from - v : blocks::strided;
            multiply_any_rows<left_form::rows, J_in_place, U>(p, v, count,
                                                              product_target<T>{rows_of_weight_, d_, false, false});
            for (std::int64_t i = 0; i < count; ++i)
                for (std::int64_t k = 0; k < d_; ++k) {
                    T& t = target[(v + i) * dw.stride[1] + k * dw.stride[0]];
                    t = (first > 0 ? t : T(0)) + rows_of_weight_[i * d_ + k];
                }
        }
    }
};

}  // namespace tapeless::detail::functional_part
