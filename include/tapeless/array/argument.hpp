// SPDX-License-Identifier: MIT
#pragma once
// What may be handed to a differentiated function: arrays of every kind, numbers, and trees of them.

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tapeless/array/dtype.hpp>
#include <tapeless/array/tensor.hpp>
#include <tapeless/array/view.hpp>

namespace tapeless::detail {

/// How to read an array-like argument. `owner` is the type its gradient has.
template <class A>
struct leaf_traits;

template <class T, auto... E>
struct leaf_traits<tensor<T, E...>> {
    using value_type = T;
    using shape_type = canonical_shape<E...>;
    using owner = tensor<T, E...>;
    static constexpr bool is_dense = true;
    static auto* data(auto& a) { return a.data(); }
    static auto extents(auto const& a) { return a.extents(); }
    static owner make(std::array<std::int64_t, sizeof...(E)> const& e) { return owner::uninitialized(e); }
};

template <class T, auto... E>
struct leaf_traits<view<T, E...>> {
    using value_type = std::remove_cv_t<T>;
    using shape_type = canonical_shape<E...>;
    using owner = tensor<value_type, E...>;
    static constexpr bool is_dense = false;
    static auto* data(auto& a) { return a.data(); }
    static auto extents(auto const& a) { return a.extents(); }
    static auto strides(auto const& a) { return a.strides(); }
    static owner make(std::array<std::int64_t, sizeof...(E)> const& e) { return owner::uninitialized(e); }
};

template <class T, class Alloc>
    requires(element<T> && !std::same_as<T, bool>)
struct leaf_traits<std::vector<T, Alloc>> {
    using value_type = T;
    using shape_type = shape<dyn>;
    using owner = std::vector<T, Alloc>;
    static constexpr bool is_dense = true;
    static auto* data(auto& a) { return a.data(); }
    static std::array<std::int64_t, 1> extents(auto const& a) { return {static_cast<std::int64_t>(a.size())}; }
    static owner make(std::array<std::int64_t, 1> const& e) { return owner(static_cast<std::size_t>(e[0])); }
};

template <class T, std::size_t N>
    requires element<std::remove_cv_t<T>>
struct leaf_traits<std::span<T, N>> {
    static constexpr auto length() {
        if constexpr (N == std::dynamic_extent) return dyn;
        else return N;
    }
    static constexpr auto length_value = length();
    using value_type = std::remove_cv_t<T>;
    using shape_type = canonical_shape<length_value>;
    using owner = tensor<value_type, canonical_extent<length_value>()>;
    static constexpr bool is_dense = true;
    static auto* data(auto& a) { return a.data(); }
    static std::array<std::int64_t, 1> extents(auto const& a) { return {static_cast<std::int64_t>(a.size())}; }
    static owner make(std::array<std::int64_t, 1> const& e) { return owner::uninitialized(e); }
};

template <class T, std::size_t N>
    requires element<T>
struct leaf_traits<std::array<T, N>> {
    using value_type = T;
    using shape_type = canonical_shape<N>;
    using owner = std::array<T, N>;
    static constexpr bool is_dense = true;
    static auto* data(auto& a) { return a.data(); }
    static std::array<std::int64_t, 1> extents(auto const&) { return {static_cast<std::int64_t>(N)}; }
    static owner make(std::array<std::int64_t, 1> const&) { return {}; }
};

template <element T>
struct leaf_traits<T> {
    using value_type = T;
    using shape_type = shape<>;
    using owner = T;
    static constexpr bool is_dense = true;
    static auto* data(auto& a) { return &a; }
    static std::array<std::int64_t, 0> extents(auto const&) { return {}; }
    static owner make(std::array<std::int64_t, 0> const&) { return T(0); }
};

template <class A>
concept leaf = requires { typename leaf_traits<std::remove_cvref_t<A>>::value_type; };

/// An argument's array as the trace needs to know it.
struct leaf_info {
    dtype type = dtype::f32;
    int rank = 0;
    std::int64_t extent[max_rank]{};
    std::string_view name[max_rank]{};
    bool dense = true;
};

template <class L>
struct leaf_description {
    using traits = leaf_traits<L>;
    template <auto... E>
    static constexpr leaf_info describe(shape<E...>) {
        leaf_info i;
        i.type = dtype_of<typename traits::value_type>();
        i.rank = static_cast<int>(sizeof...(E));
        i.dense = traits::is_dense;
        int k = 0;
        ((i.extent[k] = extent_value<E>(), i.name[k] = extent_name<E>(), ++k), ...);
        return i;
    }
    static constexpr leaf_info value = describe(typename traits::shape_type{});
};

}  // namespace tapeless::detail
