// SPDX-License-Identifier: MIT
#pragma once
// The curvature of a function, as the last steps and the changes of the gradient along them show it: L-BFGS's memory.

#include <cmath>

#include <tapeless/array/tensor.hpp>
#include <tapeless/simd/simd.hpp>

namespace tapeless::detail::inline optim_part {

/// a b, summed. Here and below lengths are multiples of 8, with zeros behind the end. (Build: translation units built
/// for other instruction sets have loops of their own.)
template <class Build = simd::batch<double>>
double dot_product(double const* a, double const* b, std::int64_t n) {
    constexpr int L = simd::lanes<double>;
    simd::detail::vec<double> sum[8 / L]{};
    for (std::int64_t i = 0; i < n; i += 8)
        for (int k = 0; k < 8 / L; ++k)
            sum[k] += simd::detail::raw(simd::load(a + i + k * L)) * simd::detail::raw(simd::load(b + i + k * L));
    for (int k = 1; k < 8 / L; ++k) sum[0] += sum[k];
    return simd::reduce_add(simd::detail::wrap<double>(sum[0]));
}
/// to = c a + d b
template <class Build = simd::batch<double>>
void combine_vectors(double* to, double c, double const* a, double d, double const* b, std::int64_t n) {
    for (std::int64_t i = 0; i < n; i += simd::lanes<double>)
        simd::store(to + i, simd::detail::wrap<double>(c * simd::detail::raw(simd::load(a + i)) +
                                                       d * simd::detail::raw(simd::load(b + i))));
}

/// The last pairs of s, a step, and y, the change of the gradient along it. (A template for the reason
/// that lbfgs_like is one.)
template <class Number>
class curvature_memory {
public:
    curvature_memory() = default;
    curvature_memory(int pairs, std::int64_t n)
        : n_(n), most_(pairs), s_(pairs, n), y_(pairs, n), sy_(pairs), a_(pairs) {}

    bool empty() const { return kept_ == 0; }
    void forget() { kept_ = 0; }

    /// s = x' - x and y = g' - g, unless the curvature along s is not surely positive.
    void add(double const* x, double const* next_x, double const* g, double const* next_g) {
        double *s = &s_(next_, 0), *y = &y_(next_, 0);
        combine_vectors(s, 1, next_x, -1, x, n_);
        combine_vectors(y, 1, next_g, -1, g, n_);
        double const sy = dot_product(s, y, n_), ss = dot_product(s, s, n_), yy = dot_product(y, y, n_);
        if (!(sy > 1e-10 * std::sqrt(ss) * std::sqrt(yy))) return;
        sy_(next_) = sy;
        scale_ = sy / yy;
        next_ = (next_ + 1) % most_;
        if (kept_ < most_) ++kept_;
    }

    /// d = -H g with H the approximate inverse of the Hessian: the two loops of Nocedal and Wright, algorithm 7.4.
    void direction(double const* g, double* d) {
        combine_vectors(d, -1, g, 0, g, n_);
        for (int k = 1; k <= kept_; ++k) {
            int const i = (next_ - k + most_) % most_;
            a_(i) = dot_product(&s_(i, 0), d, n_) / sy_(i);
            combine_vectors(d, 1, d, -a_(i), &y_(i, 0), n_);
        }
        if (kept_ > 0) combine_vectors(d, scale_, d, 0, d, n_);
        for (int k = kept_; k >= 1; --k) {
            int const i = (next_ - k + most_) % most_;
            double const b = dot_product(&y_(i, 0), d, n_) / sy_(i);
            combine_vectors(d, 1, d, a_(i) - b, &s_(i, 0), n_);
        }
    }

private:
    std::int64_t n_ = 0;
    int most_ = 0, kept_ = 0, next_ = 0;
    tensor<Number, dyn, dyn> s_, y_;
    tensor<Number, dyn> sy_, a_;
    double scale_ = 1;  // of the identity that H begins with
};

}  // namespace tapeless::detail::optim_part
