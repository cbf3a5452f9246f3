// SPDX-License-Identifier: MIT
#pragma once
// The norm of a gradient, and gradients made no longer than that.

#include <cmath>

#include <tapeless/optim/arrays.hpp>
#include <tapeless/simd/elementary.hpp>

namespace tapeless::detail::inline optim_part {

/// f(elements, n) for every piece of an array in the type T; what f changes is written back where Written.
template <unsigned Types, bool Written, class T, class F, class Build = simd::batch<T>>
void each_block(tree_array const& a, F const& f) {
    std::int64_t const n = a.size();
    if (a.contiguous && a.type == dtype_of<T>()) return f(a.as<T>(), n);
    alignas(alignment) T block[block_elements];
    for (std::int64_t i = 0; i < n; i += block_elements) {
        std::int64_t const some = n - i < block_elements ? n - i : block_elements;
        read_elements<Types>(a, i, some, block);
        f(block, some);
        if constexpr (Written) write_elements<Types>(a, i, some, block);
    }
}
template <unsigned Types, bool Written, class F, class Build = simd::batch<float>>
void each_block(std::span<tree_array const> arrays, F const& f) {
    for (tree_array const& a : arrays)
        if (a.type == dtype::f64) {
            if constexpr (Types & type_bit(dtype::f64)) each_block<Types, Written, double>(a, f);
        } else {
            if constexpr (Types & ~type_bit(dtype::f64)) each_block<Types, Written, float>(a, f);
        }
}

/// Squares added up in double, so that long sums of floats stay accurate.
struct add_squares {
    double* total;
    template <class T, class Build = simd::batch<T>>
    void operator()(T const* x, std::int64_t n) const {
        using wide = simd::detail::vec<double>;
        constexpr int L = simd::lanes<T>;
        wide sum[4]{};
        std::int64_t i = 0;
        for (; i + 2 * L <= n; i += 2 * L)
            for (int k = 0; k < 2; ++k) {
                auto const v = simd::detail::raw(simd::load(x + i + k * L));
                if constexpr (std::same_as<T, double>) {
                    sum[k] += v * v;
                } else {
                    auto const [low, high] = simd::detail::to_doubles(v);
                    sum[k] += low * low;
                    sum[2 + k] += high * high;
                }
            }
        double rest = simd::reduce_add(simd::detail::wrap<double>((sum[0] + sum[1]) + (sum[2] + sum[3])));
        for (; i < n; ++i) rest += static_cast<double>(x[i]) * static_cast<double>(x[i]);
        *total += rest;
    }
};
struct scale_elements {
    double factor;
    template <class T, class Build = simd::batch<T>>
    void operator()(T* x, std::int64_t n) const {
        T const c = static_cast<T>(factor);
        std::int64_t i = 0;
        for (; i + simd::lanes<T> <= n; i += simd::lanes<T>)
            simd::store(x + i, simd::detail::wrap<T>(c * simd::detail::raw(simd::load(x + i))));
        for (; i < n; ++i) x[i] *= c;
    }
};

}  // namespace tapeless::detail::optim_part

namespace tapeless::optim {

/// sqrt(sum of the squares of all elements of all arrays of a tree), computed in double.
template <class Tree>
double global_norm(Tree const& tree) {
    double sum = 0;
    detail::each_block<detail::tree_summary<Tree>::types, false>(detail::arrays_of<false>(tree),
                                                                 detail::add_squares{&sum});
    return std::sqrt(sum);
}

/// Multiplies a gradient by max_norm / (norm + 1e-6) where that is less than 1, PyTorch's clip_grad_norm_. Returns
/// the norm it had.
template <class Gradient>
double clip_grad_norm(Gradient&& gradient, double max_norm) {
    using tree = std::remove_cvref_t<Gradient>;
    double const norm = global_norm(gradient), factor = max_norm / (norm + 1e-6);
    if (!(factor >= 1))
        detail::each_block<detail::tree_summary<tree>::types, true>(detail::arrays_of<true>(gradient),
                                                                    detail::scale_elements{factor});
    return norm;
}

}  // namespace tapeless::optim
