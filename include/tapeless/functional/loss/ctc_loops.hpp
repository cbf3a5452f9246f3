// SPDX-License-Identifier: MIT
#pragma once
// The loops of the ctc loss: forward and backward over the states of one sample after the other.

#include <cmath>
#include <limits>

#include <tapeless/ops/indexed_loops.hpp>
#include <tapeless/simd/scaled.hpp>

namespace tapeless::detail::inline functional_part {

/// Numbers of any size side by side: 0 ... n - 1, where n is a multiple of the lanes, and one more on either side.
struct scaled_row {
    double* m;
    double* e;
    [[gnu::always_inline]] simd::scaled load(std::int64_t j) const { return {simd::load(m + j), simd::load(e + j)}; }
    [[gnu::always_inline]] void store(std::int64_t j, simd::scaled const& v) const {
        simd::store(m + j, v.m);
        simd::store(e + j, v.e);
    }
    /// Element j in all lanes.
    [[gnu::always_inline]] simd::scaled spread(std::int64_t j) const {
        return {simd::batch<double>(m[j]), simd::batch<double>(e[j])};
    }
    [[gnu::always_inline]] void set(std::int64_t j, double exponent) const {
        m[j] = 1;
        e[j] = exponent;
    }
};

/// The scratch has so many times 6 (s + ctc_margin) doubles: for a forward pass, and beside one for each step to go
/// back too.
inline constexpr std::int64_t ctc_margin = 10, ctc_rows_forward = 4, ctc_rows_beside_steps = 3;

/// The lattice of one sample. Before, between and after its labels y(0) ... y(l - 1) are blanks b(0) ... b(l): a path
/// goes from label to blank to label, stays where it is, or hops from a label to the next one where the two differ.
template <class Build = simd::batch<double>>
class ctc_lattice {
public:
    /// All steps are kept where `steps` is given, else the last two.
    ctc_lattice(void* scratch, std::int64_t labels, std::int64_t steps)
        : labels_(labels),
          length_((labels + lanes) / lanes * lanes),
          width_(length_ + 2),
          kept_(steps >= 0 ? steps + 1 : 2) {
        label_ = static_cast<std::int64_t*>(scratch);
        hop_ = static_cast<double*>(scratch) + width_ + 1;
        share_ = hop_ + width_;
        rows_ = static_cast<double*>(scratch) + 3 * width_;
    }

    template <class I>
    void read_labels(I const* from, std::ptrdiff_t stride) {
        for (std::int64_t j = 0; j < labels_; ++j) label_[j] = static_cast<std::int64_t>(from[j * stride]);
        for (std::int64_t j = -1; j <= length_; ++j)
            hop_[j] = j > 0 && j < labels_ && label_[j] != label_[j - 1] ? 0 : simd::scaled_zero;
    }

    /// All paths that give the labels in so many steps of log-probabilities x; false where some of those are NaN or
    /// +inf.
    template <class T>
    bool forward(T const* x, std::ptrdiff_t step, std::ptrdiff_t stride, std::int64_t blank, std::int64_t steps) {
        begin(blanks(0), 0);
        begin(letters(0), -1);
        bool ok = true;
        for (std::int64_t t = 0; t < steps; ++t) {
            ok = read_step(x + t * step, stride, blank, emission(t)) && ok;
            advance(t);
        }
        if (labels_ == 0) total_ = blanks(steps).spread(0);
        else total_ = simd::sum_scaled(blanks(steps).spread(labels_), letters(steps).spread(labels_ - 1));
        return ok;
    }
    /// -log of the probability; inf where no path gives the labels.
    double loss() const {
        double m = simd::reduce_max(total_.m), e = simd::reduce_max(total_.e);
        if (e < simd::scaled_zero / 2) return std::numeric_limits<double>::infinity();
        for (; m > 1.4142135623730951; m /= 2) e += 1;  // a probability next to 1 keeps its digits
        using k = simd::detail::exp_constants<double>;
        return -(e * k::ln2_hi + (e * k::ln2_lo + std::log(m)));
    }

    /// Takes -g times the share of the paths that are at a class at a step from the gradient of that, for all steps.
    template <class T>
    void backward(T* gradient, std::ptrdiff_t step, std::ptrdiff_t stride, std::int64_t blank, std::int64_t steps,
                  double g) {
        begin(back_blanks(), labels_);
        begin(back_letters(), -1);
        for (std::int64_t t = steps - 1; t >= 0; --t) {
            T* const to = gradient + t * step;
            to[blank * stride] -= static_cast<T>(g * retreat(t));
            for (std::int64_t j = 0; j < labels_; ++j) {
                T& at = to[label_[j] * stride];
                at -= static_cast<T>(g * share_[j]);
            }
        }
    }

private:
    static constexpr int lanes = simd::lanes<double>;
    static_assert(lanes + 2 <= ctc_margin);
    std::int64_t labels_, length_, width_, kept_;
    std::int64_t* label_;
    double *hop_, *share_, *rows_;
    simd::scaled total_{};

    scaled_row row(std::int64_t i) const {
        double* const begin = rows_ + 2 * i * width_ + 1;
        return {begin, begin + width_};
    }
    scaled_row back_blanks() const { return row(0); }
    scaled_row back_letters() const { return row(1); }
    /// Paths at blanks and labels after t steps, up to there.
    scaled_row blanks(std::int64_t t) const { return row(2 + t % kept_ * 3); }
    scaled_row letters(std::int64_t t) const { return row(3 + t % kept_ * 3); }
    /// Of step t: the probability of the blank at -1, that of the labels behind it.
    scaled_row emission(std::int64_t t) const { return row(4 + t % kept_ * 3); }

    /// 0 everywhere, 1 at j unless that is -1.
    void begin(scaled_row r, std::int64_t j) const {
        for (std::int64_t i = -1; i <= length_; ++i) r.set(i, simd::scaled_zero);
        if (j >= 0) r.set(j, 0);
    }
    template <class T>
    bool read_step(T const* x, std::ptrdiff_t stride, std::int64_t blank, scaled_row p) const {
        p.e[-1] = static_cast<double>(x[blank * stride]);
        for (std::int64_t j = 0; j < labels_; ++j) p.e[j] = static_cast<double>(x[label_[j] * stride]);
        for (std::int64_t j = labels_; j <= length_; ++j) p.set(j, simd::scaled_zero);
        simd::batch<double> const most(std::numeric_limits<double>::max());
        auto fits = simd::equal(most, most);
        for (std::int64_t j = -1; j < length_ - 1; j += lanes) {
            simd::batch<double> const v = simd::load(p.e + j);
            fits = simd::both(fits, simd::less_equal(v, most));
            p.store(j, simd::exp_scaled(v));
        }
        return !simd::any(simd::none_of(fits));
    }
    /// b'(j) = (b(j) + y(j - 1)) p(blank), y'(j) = (y(j) + b(j) + y(j - 1), if it may hop) p(label j)
    void advance(std::int64_t t) const {
        scaled_row const b = blanks(t), y = letters(t), p = emission(t), to_b = blanks(t + 1), to_y = letters(t + 1);
        simd::scaled const of_blank = p.spread(-1);
        for (std::int64_t j = 0; j < length_; j += lanes) {
            simd::scaled const here = b.load(j);
            simd::scaled before = y.load(j - 1);
            to_b.store(j, simd::multiply_scaled(simd::sum_scaled(here, before), of_blank));
            before.e = simd::add(before.e, simd::load(hop_ + j));
            to_y.store(j, simd::multiply_scaled(simd::sum_scaled(y.load(j), here, before), p.load(j)));
        }
        to_y.set(-1, simd::scaled_zero);
    }
    /// The same from behind: from what follows step t to what follows the step before. Writes which share of all
    /// paths is at each label at step t, and returns that of the blank.
    double retreat(std::int64_t t) const {
        scaled_row const b = back_blanks(), y = back_letters(), p = emission(t);
        scaled_row const from_b = blanks(t + 1), from_y = letters(t + 1);
        simd::scaled const of_blank = p.spread(-1), inverse = simd::reciprocal_scaled(total_);
        simd::batch<double> of_blanks(0.0);
        for (std::int64_t j = 0; j < length_; j += lanes) {
            simd::scaled const letter = y.load(j);
            simd::scaled next = y.load(j + 1);
            next.e = simd::add(next.e, simd::load(hop_ + j + 1));
            simd::scaled const after_blank = simd::sum_scaled(b.load(j), letter);
            simd::scaled const after_letter = simd::sum_scaled(letter, b.load(j + 1), next);
            of_blanks = simd::add(of_blanks, simd::plain_product(from_b.load(j), after_blank, inverse));
            simd::store(share_ + j, simd::plain_product(from_y.load(j), after_letter, inverse));
            b.store(j, simd::multiply_scaled(after_blank, of_blank));
            y.store(j, simd::multiply_scaled(after_letter, p.load(j)));
        }
        return simd::reduce_add(of_blanks);
    }
};

/// The losses of all samples, and where it is wanted the gradient of the log-probabilities. The operands are those,
/// the targets, the lengths of inputs and of targets, and the cotangents of the losses.
template <bool Backward, class T, class I, class J, class K, class Build = simd::batch<double>>
void run_ctc(strided const* in, strided const* out, std::int64_t blank, bool zero_infinity, void* scratch) {
    strided const &x = in[0], &gradient = out[1];
    std::int64_t const classes = x.extent[0], samples = x.extent[1], all_steps = x.extent[2];
    bool const wanted = Backward && gradient.data;
    for (std::int64_t n = 0; n < samples; ++n) {
        auto const steps = static_cast<std::int64_t>(in[2].as<J const>()[n * in[2].stride[0]]);
        auto const labels = static_cast<std::int64_t>(in[3].as<K const>()[n * in[3].stride[0]]);
        ctc_lattice<Build> lattice(scratch, labels, wanted ? steps : -1);
        lattice.read_labels(in[1].as<I const>() + n * in[1].stride[1], in[1].stride[0]);
        bool const ok = lattice.forward(x.as<T const>() + n * x.stride[1], x.stride[2], x.stride[0], blank, steps);
        double const loss = ok ? lattice.loss() : std::numeric_limits<double>::quiet_NaN();
        bool const possible = loss < std::numeric_limits<double>::infinity(),
                   ignored = zero_infinity && ok && !possible;
        out[0].as<T>()[n * out[0].stride[0]] = static_cast<T>(ignored ? 0 : loss);
        if constexpr (Backward) {
            if (!wanted) continue;
            auto const g = static_cast<double>(in[4].as<T const>()[n * in[4].stride[0]]);
            bool const undefined = !possible && !ignored && g != 0;
            T* const to = gradient.as<T>() + n * gradient.stride[1];
            T const none = 0, nan = std::numeric_limits<T>::quiet_NaN();
            for (std::int64_t t = 0; t < all_steps; ++t)
                copy_row(to + t * gradient.stride[2], gradient.stride[0], undefined && t < steps ? &nan : &none, 0,
                         classes);
            if (possible && g != 0) lattice.backward(to, gradient.stride[2], gradient.stride[0], blank, steps, g);
        }
    }
}

}  // namespace tapeless::detail::functional_part
