// SPDX-License-Identifier: MIT
#pragma once
// The arrays of a tree as an optimiser sees them: memory, lengths and an element type that is a value, so that one loop
// serves every model; and their elements, whatever their type and strides, in blocks of float or double.

#include <cstring>
#include <span>
#include <string>

#include <tapeless/array/strided.hpp>
#include <tapeless/array/tree.hpp>
#include <tapeless/simd/half.hpp>

namespace tapeless::detail::inline optim_part {

/// An array of a tree.
struct tree_array : strided {
    dtype type = dtype::f32;
    bool contiguous = true;  // in row-major order, without gaps
};

/// A set of element types.
constexpr unsigned type_bit(dtype d) { return 1u << static_cast<int>(d); }

/// What the type of a tree says.
template <class Tree>
struct tree_summary {
    struct counts {
        std::size_t arrays = 0;
        unsigned types = 0;
    };
    static constexpr list<leaf_info> describe() {
        list<leaf_info> l;
        describe_leaves<Tree>(l);
        return l;
    }
    static constexpr counts count() {
        counts c;
        for (leaf_info const& l : describe()) {
            ++c.arrays;
            c.types |= type_bit(l.type);
        }
        return c;
    }
    static constexpr std::size_t arrays = count().arrays;
    static constexpr unsigned types = count().types;
    static_assert((types &
                   ~(type_bit(dtype::f32) | type_bit(dtype::f64) | type_bit(dtype::f16) | type_bit(dtype::bf16))) == 0,
                  "an optimiser's model and gradient are trees of floating-point arrays: others have no gradient");
};

/// Whether a gradient could be that of a model: as many arrays, each of the same rank.
template <class Model, class Gradient>
constexpr bool fits_model() {
    auto const m = tree_summary<Model>::describe(), g = tree_summary<Gradient>::describe();
    if (m.size() != g.size()) return false;
    for (int i = 0; i < m.size(); ++i)
        if (m[i].rank != g[i].rank) return false;
    return true;
}

inline bool lies_densely(strided const& a) {
    std::ptrdiff_t step = 1;
    for (int k = 0; k < a.rank; step *= a.extent[k++])
        if (a.extent[k] != 1 && a.stride[k] != step) return a.size() <= 1;
    return true;
}

/// Whether the arrays of a tree can be written.
template <class Tree>
constexpr bool can_be_written() {
    using P = std::remove_cv_t<Tree>;
    if constexpr (leaf<P>)
        return !std::is_const_v<std::remove_pointer_t<decltype(leaf_traits<P>::data(std::declval<Tree&>()))>>;
    else
        return []<class... M>(std::type_identity<std::tuple<M...>>) {
            return (can_be_written<std::remove_reference_t<M>>() && ...);
        }(std::type_identity<parts<Tree>>{});
}
/// The arrays of a tree, in order.
template <bool Written, class Tree>
std::array<tree_array, tree_summary<std::remove_cv_t<Tree>>::arrays> arrays_of(Tree& tree) {
    std::array<tree_array, tree_summary<std::remove_cv_t<Tree>>::arrays> all;
    std::size_t next = 0;
    each_leaf(tree, [&](auto& l) {
        using traits = leaf_traits<std::remove_cvref_t<decltype(l)>>;
        auto* const data = traits::data(l);
        static_assert(!Written || !std::is_const_v<std::remove_pointer_t<decltype(data)>>,
                      "an optimiser writes the arrays of its model, so they cannot be const");
        tree_array& a = all[next++];
        a.data = const_cast<void*>(static_cast<void const*>(data));
        a.type = dtype_of<typename traits::value_type>();
        auto const e = traits::extents(l);
        a.rank = static_cast<int>(e.size());
        std::ptrdiff_t step = 1;
        for (std::size_t k = 0; k < e.size(); step *= a.extent[k++]) {
            a.extent[k] = e[e.size() - 1 - k];
            a.stride[k] = step;
        }
        if constexpr (!traits::is_dense) {
            auto const s = traits::strides(l);
            for (std::size_t k = 0; k < s.size(); ++k) a.stride[k] = s[s.size() - 1 - k];
            a.contiguous = lies_densely(a);
        }
    });
    return all;
}

[[gnu::noinline, gnu::cold]] inline sentence& operator<<(sentence& s, strided const& a) {
    for (int k = a.rank; k-- > 0;) s << (k == a.rank - 1 ? "(" : ", ") << a.extent[k];
    return s << (a.rank > 0 ? ")" : "()");
}

/// Refuses a gradient whose arrays have other lengths than the model's.
inline void check_lengths(char const* who, std::span<tree_array const> model, std::span<tree_array const> gradient) {
    for (std::size_t i = 0; i < model.size(); ++i)
        for (int k = 0; k < model[i].rank; ++k)
            if (model[i].extent[k] != gradient[i].extent[k])
                throw_shape(sentence{} << who << ": array " << i << " of the model has the lengths " << model[i]
                                       << ", that of the gradient " << gradient[i]);
}

/// f(element type) for the type d, which is one of Types.
template <unsigned Types, class F>
void with_type(dtype d, F const& f) {
    if constexpr (Types & type_bit(dtype::f32))
        if (d == dtype::f32) f(std::type_identity<float>{});
    if constexpr (Types & type_bit(dtype::f64))
        if (d == dtype::f64) f(std::type_identity<double>{});
    if constexpr (Types & type_bit(dtype::f16))
        if (d == dtype::f16) f(std::type_identity<half>{});
    if constexpr (Types & type_bit(dtype::bf16))
        if (d == dtype::bf16) f(std::type_identity<bfloat16>{});
}

/// f(element, i) for the elements first + i, i < n, in row-major order.
template <class E, class F>
void walk_elements(tree_array const& a, std::int64_t first, std::int64_t n, F const& f) {
    std::int64_t index[max_rank]{}, rest = first;
    std::ptrdiff_t at = 0;
    for (int k = 0; k < a.rank && n > 0; rest /= a.extent[k++]) {
        index[k] = rest % a.extent[k];
        at += index[k] * a.stride[k];
    }
    for (std::int64_t i = 0; i < n; ++i) {
        f(a.as<E>()[at], i);
        for (int k = 0; k < a.rank; ++k) {
            at += a.stride[k];
            if (++index[k] < a.extent[k]) break;
            at -= a.stride[k] * a.extent[k];
            index[k] = 0;
        }
    }
}

/// Elements first ... first + n - 1 in the type T. (Build, here and below: translation units built for other
/// instruction sets have loops of their own.)
template <unsigned Types, class T, class Build = simd::batch<T>>
void read_elements(tree_array const& a, std::int64_t first, std::int64_t n, T* to) {
    with_type<Types>(a.type, [&]<class E>(std::type_identity<E>) {
        std::int64_t done = 0;
        if (a.contiguous) {
            E const* const from = a.as<E>() + first;
            if constexpr (std::same_as<E, T>) {
                if (n > 0) std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
                done = n;
            } else if constexpr (storage_only<E> && std::same_as<T, float>) {
                for (; done + simd::lanes<T> <= n; done += simd::lanes<T>)
                    simd::store(to + done, simd::widen(simd::load(from + done)));
            }
        }
        walk_elements<E>(a, first + done, n - done,
                         [&](E const& x, std::int64_t i) { to[done + i] = static_cast<T>(x); });
    });
}

/// The same elements written, rounded to their type.
template <unsigned Types, class T, class Build = simd::batch<T>>
void write_elements(tree_array const& a, std::int64_t first, std::int64_t n, T const* from) {
    with_type<Types>(a.type, [&]<class E>(std::type_identity<E>) {
        std::int64_t done = 0;
        if (a.contiguous) {
            E* const to = a.as<E>() + first;
            if constexpr (std::same_as<E, T>) {
                if (n > 0) std::memcpy(to, from, static_cast<std::size_t>(n) * sizeof(T));
                done = n;
            } else if constexpr (storage_only<E> && std::same_as<T, float>) {
                for (; done + simd::lanes<T> <= n; done += simd::lanes<T>)
                    simd::store(to + done, simd::narrow<E>(simd::load(from + done)));
            }
        }
        walk_elements<E>(a, first + done, n - done, [&](E& x, std::int64_t i) { x = static_cast<E>(from[done + i]); });
    });
}

/// So many elements are converted, or gathered, at once.
inline constexpr std::int64_t block_elements = 256;

/// n rounded up to whole batches.
template <class T>
constexpr std::int64_t whole_batches(std::int64_t n) {
    return (n + simd::lanes<T> - 1) / simd::lanes<T> * simd::lanes<T>;
}

}  // namespace tapeless::detail::optim_part
