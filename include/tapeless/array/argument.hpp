// SPDX-License-Identifier: MIT
#pragma once
// What may be handed to a differentiated function: arrays of every kind, numbers, and trees of them.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <tapeless/array/dtype.hpp>
#include <tapeless/array/members.hpp>
#include <tapeless/array/tensor.hpp>
#include <tapeless/array/view.hpp>

namespace tapeless::detail::inline array_part {

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

/// An array of the language: float[3], double[2][4].
template <class T, std::size_t N>
    requires element<std::remove_all_extents_t<T>>
struct leaf_traits<T[N]> {
    template <std::size_t... K>
    static auto find(std::index_sequence<K...>) -> canonical_shape<std::extent_v<T[N], K>...>;
    template <auto... E>
    static auto find_owner(shape<E...>) -> tensor<std::remove_all_extents_t<T>, E...>;
    using value_type = std::remove_all_extents_t<T>;
    using shape_type = decltype(find(std::make_index_sequence<std::rank_v<T[N]>>{}));
    using owner = decltype(find_owner(shape_type{}));  // an array is not returned
    static constexpr bool is_dense = true;
    static auto* data(auto& a) {
        if constexpr (std::is_array_v<std::remove_reference_t<decltype(a[0])>>) return leaf_traits<T>::data(a[0]);
        else return &a[0];
    }
    static auto extents(auto const&) { return shape_type::extents; }
    static owner make(lengths_of<shape_type> const& e) { return owner::uninitialized(e); }
};

/// How many elements, all of one type, a struct is; 0 where it is something else.
struct row_info {
    dtype type = dtype::f32;
    std::size_t count = 0;
};
/// Of classes that cannot be taken apart; <tapeless/interop/eigen.hpp> has one.
template <class S>
inline constexpr row_info row_of_class{};
template <class S>
constexpr row_info row_of();
template <class... M>
constexpr row_info row_of_members(std::type_identity<std::tuple<M&...>>) {
    row_info const parts[] = {row_of<std::remove_cv_t<M>>()...};
    row_info all{parts[0].type, 0};
    for (row_info const& p : parts) {
        if (p.count == 0 || p.type != all.type) return {};
        all.count += p.count;
    }
    return all;
}
/// Of `struct vec3 { float x, y, z; }`, std::array<float, 3>, float[3], and structs and arrays of such.
template <class S>
constexpr row_info row_of() {
    if constexpr (element<S>) {
        return {dtype_of<S>(), 1};
    } else if constexpr (std::is_bounded_array_v<S>) {
        row_info const one = row_of<std::remove_extent_t<S>>();
        return {one.type, one.count * std::extent_v<S>};
    } else if constexpr (row_of_class<S>.count > 0) {
        return row_of_class<S>;
    } else if constexpr (!std::is_class_v<S> || !std::is_aggregate_v<S> || !std::is_trivially_copyable_v<S>) {
        return {};
    } else if constexpr (is_array<S>) {
        row_info const one = row_of<typename S::value_type>();
        return {one.type, one.count * std::tuple_size_v<S>};
    } else if constexpr (!has_few_members<S>()) {
        return {};
    } else {
        return row_of_members(std::type_identity<decltype(members_of(std::declval<S&>()))>{});
    }
}
/// Such a struct or array, without padding.
template <class S>
concept row = !element<S> && row_of<S>().count > 0 &&
              sizeof(S) == row_of<S>().count * sizeof(type_of<row_of<S>().type>);

/// A contiguous range of rows: std::vector<vec3>, std::span<std::array<float, 3> const>. (A std::array of structs is
/// a tree.)
template <class R>
concept range_of_rows = !is_array<R> && requires(R& r) {
    requires row<std::remove_cvref_t<decltype(*r.data())>>;
    { r.size() } -> std::convertible_to<std::size_t>;
};
template <class R>
inline constexpr auto range_length = dyn;
template <class T, std::size_t N>
    requires(N != std::dynamic_extent)
inline constexpr auto range_length<std::span<T, N>> = canonical_extent<N>();

template <range_of_rows R>
struct leaf_traits<R> {
    using row_type = std::remove_pointer_t<decltype(std::declval<R&>().data())>;
    static constexpr row_info info = row_of<std::remove_cv_t<row_type>>();
    static constexpr bool owns = std::constructible_from<R, std::size_t>;
    using value_type = type_of<info.type>;
    using shape_type = canonical_shape<range_length<R>, info.count>;
    using owner = std::conditional_t<owns, R, tensor<value_type, range_length<R>, canonical_extent<info.count>()>>;
    static constexpr bool is_dense = true;
    static auto* data(auto& a) {
        using pointed = std::remove_pointer_t<decltype(a.data())>;
        return reinterpret_cast<std::conditional_t<std::is_const_v<pointed>, value_type const, value_type>*>(a.data());
    }
    static std::array<std::int64_t, 2> extents(auto const& a) {
        return {static_cast<std::int64_t>(a.size()), static_cast<std::int64_t>(info.count)};
    }
    static owner make(std::array<std::int64_t, 2> const& e) {
        if constexpr (owns) return owner(static_cast<std::size_t>(e[0]));
        else return owner::uninitialized(e);
    }
};

template <class A>
concept leaf = requires { typename leaf_traits<std::remove_cvref_t<A>>::value_type; };

/// Whether an array is part of what holds it, rather than pointed to.
template <class A>
inline constexpr bool holds_its_elements = std::same_as<typename leaf_traits<A>::owner, A> || std::is_array_v<A>;

/// An argument's array as the trace needs to know it.
struct leaf_info {
    dtype type = dtype::f32;
    int rank = 0;
    std::int64_t extent[max_rank]{};
    std::string_view name[max_rank]{};
    bool dense = true, columns = false;  ///< columns: contiguous, but column by column
    bool owner_dense = true, owner_columns = false;  ///< whether an array made for its gradient is
};

/// Whether arrays of this type lie column by column, in one piece.
template <class L>
constexpr bool lies_by_columns() {
    if constexpr (requires { leaf_traits<L>::is_column_major; }) return leaf_traits<L>::is_column_major;
    else return false;
}

template <class L>
struct leaf_description {
    using traits = leaf_traits<L>;
    template <auto... E>
    static constexpr leaf_info describe(shape<E...>) {
        leaf_info i;
        i.type = dtype_of<typename traits::value_type>();
        i.rank = static_cast<int>(sizeof...(E));
        i.dense = traits::is_dense;
        i.owner_dense = leaf_traits<typename traits::owner>::is_dense;
        i.columns = lies_by_columns<L>();
        i.owner_columns = lies_by_columns<typename traits::owner>();
        int k = 0;
        ((i.extent[k] = extent_value<E>(), i.name[k] = extent_name<E>(), ++k), ...);
        return i;
    }
    static constexpr leaf_info value = describe(typename traits::shape_type{});
};

}  // namespace tapeless::detail::array_part
