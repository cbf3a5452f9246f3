// SPDX-License-Identifier: MIT
#pragma once
// view: an array in somebody else's memory, with strides.

#include <tapeless/array/layout.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tapeless {

namespace detail::inline array_part {

/// Whether memory of From may be looked at as T: the same type, perhaps with const added.
template <class From, class T>
concept viewable_as = std::convertible_to<std::remove_reference_t<From> (*)[], T (*)[]>;

template <class R, class T>
concept has_elements = requires(R r) {
    { *r.data() } -> viewable_as<T>;
    { r.size() } -> std::convertible_to<std::size_t>;
} && !requires(R r) { r.innerStride(); };  // of Eigen: its elements may be apart

/// std::vector, std::array, std::span and their like. As with std::span, a temporary that owns its elements can only be
/// read; one that does not own them gives the same access when it is const.
template <class R, class T>
concept array_like = has_elements<R&, T> && (std::is_lvalue_reference_v<R> || std::is_const_v<T> ||
                                             has_elements<std::remove_cvref_t<R> const&, T>);

/// How to read an array-like argument (array/argument.hpp, interop/).
template <class A>
struct leaf_traits;

/// What argument.hpp and the headers of interop/ know besides: arrays of rows, C arrays, matrices of other libraries.
template <class R, class T, class Shape>
concept other_array = (Shape::rank > 0) && !is_tensor<std::remove_cvref_t<R>> && !is_view<std::remove_cvref_t<R>> &&
                      !(Shape::rank == 1 && array_like<R, T>) && requires(std::remove_reference_t<R>& r) {
                          { *leaf_traits<std::remove_cvref_t<R>>::data(r) } -> viewable_as<T>;
                          requires extents_may_agree<Shape, typename leaf_traits<std::remove_cvref_t<R>>::shape_type>;
                          requires std::is_lvalue_reference_v<R> || std::is_const_v<T> ||
                              !std::same_as<typename leaf_traits<std::remove_cvref_t<R>>::owner,
                                            std::remove_cvref_t<R>>;
                      };

/// The arguments after the pointer: the run-time extents, then perhaps the strides.
template <class Strides, std::size_t Lengths, class... A>
inline constexpr bool are_view_arguments = [] {
    if constexpr (sizeof...(A) != Lengths && sizeof...(A) != Lengths + 1) {
        return false;
    } else {
        bool const is_length[] = {std::integral<A>..., true}, is_strides[] = {std::same_as<A, Strides>..., true};
        for (std::size_t k = 0; k < Lengths; ++k)
            if (!is_length[k]) return false;
        return is_strides[Lengths];
    }
}();

template <class A>
constexpr std::int64_t length_or_zero(A const& argument) {
    if constexpr (std::integral<A>) return static_cast<std::int64_t>(argument);
    else return 0;
}

/// Visits the elements in row-major order, whatever the strides.
template <class T, std::size_t R>
class strided_iterator {
public:
    using value_type = std::remove_cv_t<T>;
    using reference = T&;
    using pointer = T*;
    using difference_type = std::ptrdiff_t;
    // The tag comes with <array>, whose iterators need it; <iterator> would bring the streams.
    using iterator_category = std::forward_iterator_tag;

    constexpr strided_iterator() = default;
    constexpr strided_iterator(T* base, std::array<std::int64_t, R> const& lengths,
                               std::array<std::ptrdiff_t, R> const& strides, std::ptrdiff_t position)
        : base_{base}, position_{position}, lengths_{lengths}, strides_{strides} {}

    constexpr T& operator*() const { return base_[offset_]; }
    constexpr T* operator->() const { return base_ + offset_; }
    constexpr strided_iterator& operator++() {
        ++position_;
        for (std::size_t k = R; k-- > 0;) {
            offset_ += strides_[k];
            if (++index_[k] < lengths_[k]) break;
            offset_ -= strides_[k] * lengths_[k];
            index_[k] = 0;
        }
        return *this;
    }
    constexpr strided_iterator operator++(int) {
        auto before = *this;
        ++*this;
        return before;
    }
    constexpr bool operator==(strided_iterator const& other) const { return position_ == other.position_; }

private:
    T* base_ = nullptr;
    std::ptrdiff_t position_ = 0, offset_ = 0;
    std::array<std::int64_t, R> lengths_{}, index_{};
    std::array<std::ptrdiff_t, R> strides_{};
};

}  // namespace detail::array_part

/// A non-owning array: a pointer, lengths and strides (in elements; negative ones and 0 are fine for reading).
///
///     view<double, dyn, 3> u(pointer, n);                                             // dense, row-major
///     view<double, dyn, 3> t(pointer, {n, 3});                                        // the same, all lengths
///     view<double, dyn, 3> v(pointer, n, std::array<std::ptrdiff_t, 2>{6, 2});        // strided
///     view<const float, dyn> w = std_vector;                                          // or span, array, tensor
///
/// Like std::span it is trivially copied, and a const view of mutable elements may write them.
template <class T, auto... E>
class view {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using shape_type = canonical_shape<E...>;
    using iterator = detail::strided_iterator<T, sizeof...(E)>;
    static constexpr int rank = static_cast<int>(sizeof...(E));
    /// Strides are known at run time only: see is_contiguous().
    static constexpr bool is_dense = false;

    /// No elements.
    constexpr view()
        requires(!shape_type::is_static || shape_type::static_size() == 0)
        : view(dense{}, nullptr, detail::lengths<shape_type>{}.all()) {}

    /// A pointer, the run-time extents in order and, unless the elements lie densely in row-major order, the strides.
    template <class... A>
        requires(detail::are_view_arguments<std::array<std::ptrdiff_t, sizeof...(E)>,
                                            detail::run_time_axes<shape_type>, A...>)
    constexpr explicit view(T* data, A... lengths_and_strides)
        : view(dense{}, data,
               detail::lengths_from<shape_type>("view", {detail::length_or_zero(lengths_and_strides)...})) {
        (void)detail::checked_count("view", extents_.all(), 1);
        if constexpr (sizeof...(A) > detail::run_time_axes<shape_type>) ((take_strides(lengths_and_strides)), ...);
    }
    /// A pointer and the lengths of all axes, in braces; throws shape_error where a known extent is another.
    template <std::integral I>
    constexpr explicit view(T* data, std::initializer_list<I> lengths)
        : view(dense{}, data,
               detail::lengths_checked<shape_type>("view", detail::lengths_in_braces<sizeof...(E)>("view", lengths))) {
        (void)detail::checked_count("view", extents_.all(), 1);
    }
    /// Anything else behind the pointer.
    template <class... A>
        requires(sizeof...(A) > 0 && !detail::are_view_arguments<std::array<std::ptrdiff_t, sizeof...(E)>,
                                                                 detail::run_time_axes<shape_type>, A...>)
    view(T* data, A... a_length_for_each_dyn_axis_then_perhaps_an_array_of_strides) = delete;

    /// From a tensor.
    template <auto... F>
        requires(detail::extents_may_agree<shape_type, canonical_shape<F...>>)
    constexpr view(tensor<value_type, F...>& source)
        : view(dense{}, source.data(), detail::lengths_checked<shape_type>("view", source.extents())) {}
    template <auto... F>
        requires(std::is_const_v<T> && detail::extents_may_agree<shape_type, canonical_shape<F...>>)
    constexpr view(tensor<value_type, F...> const& source)
        : view(dense{}, source.data(), detail::lengths_checked<shape_type>("view", source.extents())) {}

    /// From a view whose extents are spelled otherwise, or from one of mutable elements to one of const elements.
    template <class U, auto... F>
        requires(detail::viewable_as<U, T> && detail::extents_may_agree<shape_type, canonical_shape<F...>>)
    constexpr view(view<U, F...> const& source)
        : data_{source.data()},
          extents_(detail::lengths_checked<shape_type>("view", source.extents())),
          strides_{source.strides()} {}

    /// From std::vector, std::array, std::span and the like.
    template <class R>
        requires(rank == 1 && !detail::is_tensor<std::remove_cvref_t<R>> && !detail::is_view<std::remove_cvref_t<R>> &&
                 detail::array_like<R, T>)
    constexpr view(R&& source)
        : view(dense{}, source.data(),
               detail::lengths_checked<shape_type>("view", {static_cast<std::int64_t>(source.size())})) {}

    /// From C arrays, ranges of structs, and with the headers of interop/ from matrices and mdspan.
    template <class R>
        requires(detail::other_array<R, T, shape_type>)
    constexpr view(R&& source)
        : view(dense{}, detail::leaf_traits<std::remove_cvref_t<R>>::data(source),
               detail::lengths_checked<shape_type>("view",
                                                   detail::leaf_traits<std::remove_cvref_t<R>>::extents(source))) {
        if constexpr (!detail::leaf_traits<std::remove_cvref_t<R>>::is_dense)
            strides_ = detail::leaf_traits<std::remove_cvref_t<R>>::strides(source);
    }

    /// With all lengths given, the static ones too; dense.
    static constexpr view with_extents(T* data, std::array<std::int64_t, sizeof...(E)> const& lengths) {
        return view(dense{}, data, detail::lengths_checked<shape_type>("view", lengths));
    }

    constexpr T* data() const noexcept { return data_; }
    /// Number of elements.
    constexpr std::size_t size() const noexcept { return detail::element_count(extents_.all()); }
    /// Length of axis k; throws index_error where there is no such axis.
    constexpr std::size_t extent(std::integral auto k) const { return detail::extent_at("view", extents_.all(), k); }
    /// All lengths.
    constexpr std::array<std::int64_t, sizeof...(E)> extents() const noexcept { return extents_.all(); }
    /// How many elements apart neighbours along axis k lie.
    constexpr std::ptrdiff_t stride(std::integral auto k) const {
        (void)extent(k);
        return strides_[static_cast<std::size_t>(k)];
    }
    constexpr std::array<std::ptrdiff_t, sizeof...(E)> const& strides() const noexcept { return strides_; }

    /// Whether the elements lie one after the other in row-major order. An axis of one element may have any stride.
    constexpr bool is_contiguous() const noexcept {
        auto const lengths = extents_.all();
        if (size() <= 1) return true;
        std::ptrdiff_t step = 1;
        for (std::size_t k = lengths.size(); k-- > 0; step *= lengths[k])
            if (lengths[k] != 1 && strides_[k] != step) return false;
        return true;
    }

    constexpr iterator begin() const { return {data_, extents_.all(), strides_, 0}; }
    constexpr iterator end() const { return {data_, extents_.all(), strides_, static_cast<std::ptrdiff_t>(size())}; }

    /// The element i...; the indices are checked by assert only.
    template <std::integral... I>
        requires(sizeof...(I) == sizeof...(E))
    constexpr T& operator()(I... i) const {
        return data_[detail::strided_offset(extents_, strides_, i...)];
    }
    /// The element i of a view of one axis; of others they are x(i, j).
    constexpr T& operator[](std::integral auto i) const requires(rank > 0) {
        refuse(because<detail::one_index_refused<view>>{});
        return data_[detail::strided_offset(extents_, strides_, i)];
    }
    /// The element i...; throws index_error.
    template <std::integral... I>
        requires(sizeof...(I) == sizeof...(E))
    constexpr T& at(I... i) const {
        detail::check_indices("view", extents_.all(), i...);
        return (*this)(i...);
    }

private:
    using lengths_type = std::array<std::int64_t, sizeof...(E)>;
    using strides_type = std::array<std::ptrdiff_t, sizeof...(E)>;
    struct dense {};  // lengths and strides may be arrays of one and the same type

    constexpr view(dense, T* data, lengths_type const& lengths)
        : data_{data}, extents_(lengths), strides_{detail::row_major_strides(lengths)} {}

    constexpr void take_strides(strides_type const& strides) { strides_ = strides; }
    constexpr void take_strides(std::integral auto) {}

    T* data_;
    [[no_unique_address]] detail::lengths<shape_type> extents_;
    strides_type strides_;
};

}  // namespace tapeless
