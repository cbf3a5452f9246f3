// SPDX-License-Identifier: MIT
#pragma once
// tensor: an owning, row-major array, aligned for SIMD, whose extents the compiler may know.

#include <tapeless/array/braces.hpp>
#include <tapeless/array/expression_base.hpp>
#include <tapeless/array/layout.hpp>
#include <tapeless/array/storage.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tapeless {

namespace detail::inline array_part {
/// Why tensor<float, dyn, dyn> x(3) is refused.
template <class Shape>
struct takes_one_length_for_each_run_time_extent;
/// Why tensor<float, 3> x = tensor<float, 4>{} is refused.
template <class Shape>
struct has_another_shape_or_other_elements;
}  // namespace detail::array_part

namespace detail::inline ops_part {
/// w[i] of a tensor with an index that a function computes; defined in ops/constant_operands.hpp.
template <class Tensor, class... I>
constexpr auto element_of_constant(Tensor const& tensor, I const&... i);
}  // namespace detail::ops_part

/// An owning array: row-major, elements aligned to 64 bytes, extents integers, `dyn` or `dim<"name">`.
///
///     tensor<float, 2, 2> a{{1, 2}, {3, 4}};      // extents known to the compiler
///     tensor<float, dyn, 3> b(n);                 // the run-time extents, in order; elements are zero
///     a(0, 1) = b(i, 2);
///
/// Up to 16 KiB of static extents live inside the object, everything else on the heap. A tensor that was moved from has
/// run-time extents of 0; one on the heap with static extents only may then be assigned to, or destroyed.
template <class T, auto... E>
class tensor {
    static_assert(std::is_same_v<T, std::remove_cvref_t<T>>, "a tensor's elements are not const; the tensor may be");
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                  "a tensor's elements are numbers, or as plain as numbers");

public:
    using value_type = T;
    using shape_type = canonical_shape<E...>;
    using iterator = T*;
    using const_iterator = T const*;
    static constexpr int rank = static_cast<int>(sizeof...(E));
    /// Elements lie one after the other: data() is enough to read them all.
    static constexpr bool is_dense = true;

    /// Static extents: zeros. Run-time extents: 0, so no elements.
    constexpr tensor() = default;

    /// Zeros; takes the run-time extents in order.
    template <std::integral... N>
        requires(sizeof...(N) > 0 && sizeof...(N) == detail::run_time_axes<shape_type>)
    constexpr explicit tensor(N... n)
        : storage_(detail::lengths_from<shape_type>("tensor", {static_cast<std::int64_t>(n)...})) {}

    template <class Because = detail::takes_one_length_for_each_run_time_extent<shape_type>, std::integral... N>
        requires(rank > 0 && sizeof...(N) > 0 && sizeof...(N) != detail::run_time_axes<shape_type>)
    constexpr explicit tensor(N...) = delete;  // tensor<float, dyn, 3, dyn> x(rows, columns): a length for each dyn

    /// Elements in nested braces, from which run-time extents take their lengths.
    constexpr tensor(typename detail::braces<T, rank>::type list)
        requires(rank > 0)
        : storage_(detail::lengths_of_braces<shape_type>(list), false) {
        detail::copy_braces(list, data());
    }

    /// Rank 0 is a number.
    constexpr tensor(T value)
        requires(rank == 0)
    {
        *data() = value;
    }

    /// From a tensor whose extents are spelled otherwise: 3 and 3u, or 3 and `dyn` (compared when it happens).
    template <auto... F>
        requires(detail::extents_may_agree<shape_type, canonical_shape<F...>>)
    constexpr tensor(tensor<T, F...> const& other)
        : storage_(detail::lengths_checked<shape_type>("tensor", other.extents()), false) {
        for (std::size_t i = 0; i < size(); ++i) data()[i] = other.data()[i];
    }
    /// The same from a temporary, whose memory is taken over where both are on the heap.
    template <auto... F>
        requires(detail::extents_may_agree<shape_type, canonical_shape<F...>>)
    constexpr tensor(tensor<T, F...>&& other) : storage_(converted(other)) {}
    /// A copy of what a view shows.
    template <class U, auto... F>
        requires(std::same_as<std::remove_const_t<U>, T> &&
                 detail::extents_may_agree<shape_type, canonical_shape<F...>>)
    constexpr explicit tensor(view<U, F...> const& other)
        : storage_(detail::lengths_checked<shape_type>("tensor", other.extents()), false) {
        T* to = data();
        for (T const& element : other) *to++ = element;
    }

    template <class Because = detail::has_another_shape_or_other_elements<shape_type>, class U, auto... F>
        requires(!(std::same_as<U, T> && detail::extents_may_agree<shape_type, canonical_shape<F...>>))
    constexpr tensor(tensor<U, F...> const&) = delete;
    template <class Because = detail::has_another_shape_or_other_elements<shape_type>, class U, auto... F>
        requires(!(std::same_as<std::remove_const_t<U>, T> &&
                   detail::extents_may_agree<shape_type, canonical_shape<F...>>))
    constexpr tensor(view<U, F...> const&) = delete;

    /// Zeros with all lengths given, the static ones too.
    static constexpr tensor with_extents(std::array<std::int64_t, sizeof...(E)> const& lengths) {
        return tensor(storage(detail::lengths_checked<shape_type>("tensor", lengths)));
    }
    /// The same without the zeros, for those who write every element anyway.
    static constexpr tensor uninitialized(std::array<std::int64_t, sizeof...(E)> const& lengths) {
        return tensor(bare{}, detail::lengths_checked<shape_type>("tensor", lengths));
    }

    constexpr T* data() noexcept { return storage_.data(); }
    constexpr T const* data() const noexcept { return storage_.data(); }
    /// Number of elements.
    constexpr std::size_t size() const noexcept { return storage_.size(); }
    /// Length of axis k; throws index_error where there is no such axis.
    constexpr std::size_t extent(std::integral auto k) const { return detail::extent_at("tensor", extents(), k); }
    /// All lengths.
    constexpr std::array<std::int64_t, sizeof...(E)> extents() const noexcept { return storage_.extents().all(); }

    constexpr iterator begin() noexcept { return data(); }
    constexpr iterator end() noexcept { return data() + size(); }
    constexpr const_iterator begin() const noexcept { return data(); }
    constexpr const_iterator end() const noexcept { return data() + size(); }

    /// The element i...; the indices are checked by assert only.
    template <std::integral... I>
        requires(sizeof...(I) == sizeof...(E))
    constexpr T& operator()(I... i) {
        return data()[detail::row_major_offset(storage_.extents(), i...)];
    }
    template <std::integral... I>
        requires(sizeof...(I) == sizeof...(E))
    constexpr T const& operator()(I... i) const {
        return data()[detail::row_major_offset(storage_.extents(), i...)];
    }
    /// The element i of a tensor of one axis; of others they are x(i, j).
    constexpr T& operator[](std::integral auto i) requires(rank > 0) {
        refuse(because<detail::one_index_refused<tensor>>{});
        return data()[detail::row_major_offset(storage_.extents(), i)];
    }
    constexpr T const& operator[](std::integral auto i) const requires(rank > 0) {
        refuse(because<detail::one_index_refused<tensor>>{});
        return data()[detail::row_major_offset(storage_.extents(), i)];
    }
    /// In a function, where the tensor is a constant: the element whose index is computed there.
    template <any_expression I>
    constexpr auto operator[](I const& i) const {
        return detail::element_of_constant(*this, i);
    }
    template <class... I>
        requires(any_expression<I> || ...)
    constexpr auto operator()(I const&... i) const {
        return detail::element_of_constant(*this, i...);
    }
    /// The element i...; throws index_error.
    template <std::integral... I>
        requires(sizeof...(I) == sizeof...(E))
    constexpr T& at(I... i) {
        detail::check_indices("tensor", extents(), i...);
        return (*this)(i...);
    }
    template <std::integral... I>
        requires(sizeof...(I) == sizeof...(E))
    constexpr T const& at(I... i) const {
        detail::check_indices("tensor", extents(), i...);
        return (*this)(i...);
    }

    /// Rank 0 is a number.
    constexpr operator T() const
        requires(rank == 0)
    {
        return *data();
    }

    constexpr void swap(tensor& other) noexcept { std::swap(storage_, other.storage_); }
    friend constexpr void swap(tensor& a, tensor& b) noexcept { a.swap(b); }

private:
    template <class, auto...>
    friend class tensor;
    using storage = detail::storage_for<T, shape_type>;

    constexpr explicit tensor(storage&& made) : storage_(std::move(made)) {}
    struct bare {};
    constexpr tensor(bare, detail::lengths_of<shape_type> const& lengths) : storage_(lengths, false) {}

    template <auto... F>
    static constexpr storage converted(tensor<T, F...>& other) {
        auto const lengths = detail::lengths_checked<shape_type>("tensor", other.extents());
        if constexpr (!detail::is_inline<T, shape_type> && !detail::is_inline<T, canonical_shape<F...>>) {
            return storage(std::move(other.storage_));
        } else {
            storage made(lengths, false);
            for (std::size_t i = 0; i < made.size(); ++i) made.data()[i] = other.data()[i];
            return made;
        }
    }

    storage storage_;
};

/// Equal lengths and equal elements.
template <class T, auto... E, auto... F>
    requires(sizeof...(E) == sizeof...(F))
constexpr bool operator==(tensor<T, E...> const& a, tensor<T, F...> const& b) {
    if (a.extents() != b.extents()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(a.data()[i] == b.data()[i])) return false;
    return true;
}

}  // namespace tapeless
