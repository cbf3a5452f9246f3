// SPDX-License-Identifier: MIT
#pragma once
// Extents: an integer, `dyn` (known when the array is made) or `dim<"name">` (the same number wherever the name
// stands).

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tapeless {

/// An extent that is known only at run time.
struct dyn_t {
    constexpr bool operator==(dyn_t const&) const = default;
};
inline constexpr dyn_t dyn{};

/// A string that may be a template argument: dim<"batch">, elementwise<"tanh">.
template <std::size_t N>
struct fixed_string {
    char text[N]{};
    constexpr fixed_string(char const (&s)[N]) {
        for (std::size_t i = 0; i < N; ++i) text[i] = s[i];
    }
    constexpr std::string_view view() const { return {text, N - 1}; }
    constexpr bool operator==(fixed_string const&) const = default;
};

/// A run-time extent with a name: two of the same name are the same number, checked when the arrays are handed in.
template <fixed_string Name>
struct dim_t {
    static constexpr std::string_view name() { return Name.view(); }
    constexpr bool operator==(dim_t const&) const = default;
};
template <fixed_string Name>
inline constexpr dim_t<Name> dim{};

namespace detail::inline array_part {
template <class>
inline constexpr bool is_named_dim = false;
template <fixed_string Name>
inline constexpr bool is_named_dim<dim_t<Name>> = true;

template <auto E>
inline constexpr bool is_static_extent = std::integral<std::remove_cvref_t<decltype(E)>>;
template <auto E>
inline constexpr bool is_extent = is_static_extent<E> || std::same_as<std::remove_cvref_t<decltype(E)>, dyn_t> ||
                                  is_named_dim<std::remove_cvref_t<decltype(E)>>;

/// The extent as a number; -1 when only run time knows it.
template <auto E>
constexpr std::int64_t extent_value() {
    static_assert(is_extent<E>, "an extent is an integer, dyn, or dim<\"name\">");
    if constexpr (is_static_extent<E>) {
        static_assert(E >= 0, "an extent is not negative");
        return static_cast<std::int64_t>(E);
    } else {
        return -1;
    }
}

template <auto E>
constexpr std::string_view extent_name() {
    if constexpr (is_named_dim<std::remove_cvref_t<decltype(E)>>) return decltype(E)::name();
    else return {};
}

/// Integers of any type become `int` where they fit, so that equal shapes are equal types.
template <auto E>
constexpr auto canonical_extent() {
    if constexpr (is_static_extent<E>) {
        if constexpr (static_cast<std::uint64_t>(E) <= 0x7fffffffu) return static_cast<int>(E);
        else return static_cast<std::int64_t>(E);
    } else {
        return E;
    }
}
}  // namespace detail::array_part

/// The longest list of axes an array may have.
inline constexpr int max_rank = 8;

/// A list of extents as a type: what diagnostics show and expressions carry.
template <auto... E>
struct shape {
    static_assert(sizeof...(E) <= max_rank, "arrays have at most 8 axes");
    static constexpr int rank = static_cast<int>(sizeof...(E));
    static constexpr std::array<std::int64_t, sizeof...(E)> extents{detail::extent_value<E>()...};
    static constexpr bool is_static = ((detail::extent_value<E>() >= 0) && ...);
    /// Number of elements of a static shape; run-time extents count as one.
    static constexpr std::int64_t static_size() {
        std::uint64_t n = 1;  // unsigned: beside a length of 0 the others may be so long that this wraps around
        for (auto e : extents) n *= e < 0 ? 1u : static_cast<std::uint64_t>(e);
        return static_cast<std::int64_t>(n);
    }
};

namespace detail::inline array_part {
template <auto... E>
struct canonical {
    template <auto X>
    struct one {
        static constexpr auto value = canonical_extent<X>();
    };
    using type = shape<one<E>::value...>;
};
}  // namespace detail::array_part
template <auto... E>
using canonical_shape = typename detail::canonical<E...>::type;

}  // namespace tapeless
