// SPDX-License-Identifier: MIT
#pragma once
// As much of mdspan as the tests need, for compilers without it.

#include <array>
#include <cstddef>
#include <type_traits>

namespace stand_in {

template <class Index, std::size_t... E>
class extents {
public:
    using index_type = Index;
    static constexpr std::size_t rank() { return sizeof...(E); }
    static constexpr std::size_t static_extent(std::size_t k) { return std::array{E...}[k]; }

    constexpr extents() = default;
    template <class... N>
        requires(sizeof...(N) > 0)
    constexpr explicit extents(N... n) {
        std::array const given{static_cast<Index>(n)...};
        std::size_t next = 0;
        for (std::size_t k = 0; k < rank(); ++k)
            if (given.size() == rank() || static_extent(k) == static_cast<std::size_t>(-1)) lengths_[k] = given[next++];
    }
    constexpr Index extent(std::size_t k) const { return lengths_[k]; }

private:
    std::array<Index, sizeof...(E)> lengths_{static_cast<Index>(E)...};
};

template <bool RowMajor>
struct dense_layout {
    template <class Extents>
    class mapping {
    public:
        static constexpr bool is_always_strided() { return true; }
        static constexpr bool is_always_exhaustive() { return true; }
        constexpr mapping(Extents const& e = {}) : extents_(e) {}
        constexpr Extents const& extents() const { return extents_; }
        constexpr typename Extents::index_type stride(std::size_t axis) const {
            typename Extents::index_type s = 1;
            for (std::size_t k = 0; k < Extents::rank(); ++k)
                if (RowMajor ? k > axis : k < axis) s *= extents_.extent(k);
            return s;
        }

    private:
        Extents extents_;
    };
};
using layout_right = dense_layout<true>;
using layout_left = dense_layout<false>;

struct layout_stride {
    template <class Extents>
    class mapping {
    public:
        static constexpr bool is_always_strided() { return true; }
        static constexpr bool is_always_exhaustive() { return false; }
        constexpr mapping() = default;
        template <class S>
        constexpr mapping(Extents const& e, S const& strides) : extents_(e) {
            for (std::size_t k = 0; k < Extents::rank(); ++k) strides_[k] = strides[k];
        }
        constexpr Extents const& extents() const { return extents_; }
        constexpr typename Extents::index_type stride(std::size_t axis) const { return strides_[axis]; }

    private:
        Extents extents_;
        std::array<typename Extents::index_type, Extents::rank()> strides_{};
    };
};

template <class T>
struct default_accessor {};

template <class T, class Extents, class Layout = layout_right, class Accessor = default_accessor<T>>
class mdspan {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using extents_type = Extents;
    using layout_type = Layout;
    using accessor_type = Accessor;
    using mapping_type = typename Layout::template mapping<Extents>;
    static constexpr bool is_always_strided() { return mapping_type::is_always_strided(); }
    static constexpr bool is_always_exhaustive() { return mapping_type::is_always_exhaustive(); }

    template <class... N>
        requires(std::is_integral_v<N> && ...)
    constexpr explicit mdspan(T* data, N... n) : data_(data), mapping_(Extents(n...)) {}
    constexpr mdspan(T* data, mapping_type const& m) : data_(data), mapping_(m) {}

    constexpr T* const& data_handle() const { return data_; }
    constexpr auto extent(std::size_t k) const { return mapping_.extents().extent(k); }
    constexpr auto stride(std::size_t k) const { return mapping_.stride(k); }

private:
    T* data_;
    mapping_type mapping_;
};

}  // namespace stand_in
