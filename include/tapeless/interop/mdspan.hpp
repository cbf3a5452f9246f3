// SPDX-License-Identifier: MIT
#pragma once
// mdspan as arguments and as targets of into(...), where they lie: the standard's, the reference implementation's
// (Kokkos::mdspan, std::experimental::mdspan), and any other with the same members. Nothing is included: what an
// mdspan is can be told from it.
//
// All layouts that have strides will do: layout_right, layout_left, layout_stride, padded ones. Static extents are
// known to the compiler, dynamic ones are run-time extents. An mdspan only points, so that its gradient is a tensor.

#if defined(__GNUC__)  // a global of the program may have the name of something local here
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

#include <tapeless/array/argument.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tapeless::detail {  // of array/argument.hpp

/// An mdspan whose mapping has strides and whose accessor is a pointer.
template <class M>
concept mdspan_like = requires(M const& m) {
    typename M::layout_type;
    typename M::accessor_type;
    requires element<typename M::value_type>;
    requires std::same_as<decltype(m.data_handle()[0]), typename M::element_type&>;
    requires std::is_pointer_v<std::remove_cvref_t<decltype(m.data_handle())>>;
    requires M::is_always_strided();
    M::extents_type::static_extent(0);
    m.extent(0);
    m.stride(0);
};

/// Whether a layout is row-major and dense whatever the extents, asked of 2 x 2 x ... elements. (That of a
/// layout_stride may be.)
template <class M, template <class, std::size_t...> class Extents, class Index, std::size_t... E>
constexpr bool is_layout_right(Extents<Index, E...> const*) {
    using probe = typename M::layout_type::template mapping<Extents<Index, (static_cast<void>(E), std::size_t{2})...>>;
    if constexpr (!M::is_always_exhaustive() || !std::is_default_constructible_v<probe>) {
        return false;
    } else {
        std::size_t const rank = sizeof...(E);
        for (std::size_t k = 0; k < rank; ++k)
            if (static_cast<std::size_t>(probe{}.stride(k)) != std::size_t{1} << (rank - 1 - k)) return false;
        return true;
    }
}

template <mdspan_like M>
struct leaf_traits<M> {
    static constexpr std::size_t rank = M::extents_type::rank();
    template <std::size_t K>
    static constexpr auto length() {
        constexpr std::size_t n = M::extents_type::static_extent(K);
        if constexpr (n == static_cast<std::size_t>(-1)) return dyn;
        else return canonical_extent<n>();
    }
    template <std::size_t... K>
    static auto find(std::index_sequence<K...>) -> shape<length<K>()...>;
    template <auto... E>
    static auto find_owner(shape<E...>) -> tensor<typename M::value_type, E...>;

    using value_type = typename M::value_type;
    using shape_type = decltype(find(std::make_index_sequence<rank>{}));
    using owner = decltype(find_owner(shape_type{}));
    static constexpr bool is_dense = is_layout_right<M>(static_cast<typename M::extents_type const*>(nullptr));

    static auto* data(auto& a) { return a.data_handle(); }
    static std::array<std::int64_t, rank> extents(auto const& a) {
        std::array<std::int64_t, rank> e;
        for (std::size_t k = 0; k < rank; ++k) e[k] = static_cast<std::int64_t>(a.extent(k));
        return e;
    }
    static std::array<std::ptrdiff_t, rank> strides(auto const& a) {
        std::array<std::ptrdiff_t, rank> s;
        for (std::size_t k = 0; k < rank; ++k) s[k] = static_cast<std::ptrdiff_t>(a.stride(k));
        return s;
    }
    static owner make(std::array<std::int64_t, rank> const& e) { return owner::uninitialized(e); }
};

}  // namespace tapeless::detail

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
