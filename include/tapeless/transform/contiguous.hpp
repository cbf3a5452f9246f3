// SPDX-License-Identifier: MIT
#pragma once
// Views that turn out to be contiguous when they are handed in: the call then is that of arrays. Matrices that turn out
// to lie column by column have a program of their own.

#include <tapeless/ir/mirror.hpp>

namespace tapeless::detail::inline transform_part {

/// Whether some array of A may have any strides.
template <class A>
constexpr bool may_be_strided() {
    list<leaf_info> l;
    describe_leaves<A>(l);
    for (leaf_info const& i : l)
        if (!i.dense) return true;
    return false;
}

/// A with tensors in the place of views.
template <class A>
struct with_tensors;
template <class M>
struct members_with_tensors;
template <class... P>
struct members_with_tensors<std::tuple<P...>> {
    using type = std::tuple<typename with_tensors<std::remove_cvref_t<P>>::type...>;
};
template <class A>
struct with_tensors {
    static auto find() {
        if constexpr (!may_be_strided<A>()) return std::type_identity<A>{};
        else if constexpr (leaf<A>) return std::type_identity<typename leaf_traits<A>::owner>{};
        else if constexpr (std::is_void_v<typename model_over<tensor, A>::type>)
            return members_with_tensors<parts<A>>{};
        else return std::type_identity<typename model_over<tensor, A>::type>{};
    }
    using type = typename decltype(find())::type;
};
template <class T, std::size_t N>
    requires(!element<T>)
struct with_tensors<std::array<T, N>> {
    using type = std::array<typename with_tensors<T>::type, N>;
};
template <class A, class B>
struct with_tensors<std::pair<A, B>> {
    using type = std::pair<typename with_tensors<std::remove_cvref_t<A>>::type,
                           typename with_tensors<std::remove_cvref_t<B>>::type>;
};

/// Whether calls with these arguments and targets look at strides first, and F sees the same of tensors.
template <class... A>
constexpr bool looks_at_strides() {
    if constexpr ((may_be_strided<A>() || ...))
        return (std::same_as<mirror_t<A>, mirror_t<typename with_tensors<A>::type>> && ...);
    else return false;
}

/// Whether an array lies in one piece: row by row, or column by column.
template <class Lengths, class Strides>
bool is_in_one_piece(Lengths const& lengths, Strides const& strides, bool columns) {
    std::ptrdiff_t step = 1;
    bool empty = false, dense = true;
    for (std::size_t i = lengths.size(); i-- > 0;) {
        std::size_t const k = columns ? lengths.size() - 1 - i : i;
        dense = dense && (lengths[k] == 1 || strides[k] == step);
        empty = empty || lengths[k] == 0;
        step *= static_cast<std::ptrdiff_t>(lengths[k]);
    }
    return dense || empty;
}
/// Whether all arrays of a tree lie in one piece, as those that own their elements do.
template <class A>
bool is_contiguous(A const& a) {
    bool all = true;
    each_leaf(a, [&](auto const& l) {
        using traits = leaf_traits<std::remove_cvref_t<decltype(l)>>;
        if constexpr (!traits::is_dense)
            all = all && is_in_one_piece(traits::extents(l), traits::strides(l),
                                         lies_by_columns<typename traits::owner>());
    });
    return all;
}

/// How the arrays of a call lie: as their types say, or for certain in one piece, as what owns its elements does,
/// or matrices column by column and all others so.
enum class layout { any, whole, columns };

/// A view that lies column by column.
template <class A>
struct by_columns {};
}  // namespace tapeless::detail::transform_part

namespace tapeless::detail {  // of array/argument.hpp
template <class A>
struct leaf_traits<by_columns<A>> : leaf_traits<A> {
    static constexpr bool is_column_major = true;
};
}  // namespace tapeless::detail

namespace tapeless::detail::inline transform_part {

/// Whether A is a view of a matrix that may lie column by column.
template <class A>
constexpr bool may_lie_by_columns() {
    if constexpr (!leaf<A>) return false;
    else if constexpr (leaf_traits<A>::is_dense || leaf_traits<A>::shape_type::rank != 2) return false;
    else return !lies_by_columns<typename leaf_traits<A>::owner>();
}
template <class A>
struct with_columns
    : std::conditional_t<may_lie_by_columns<A>(), std::type_identity<by_columns<A>>, with_tensors<A>> {};
/// Whether matrices lie column by column, and all else in one piece.
template <class A>
bool lies_so(A const& a) {
    using traits = leaf_traits<A>;
    if constexpr (may_lie_by_columns<A>()) return is_in_one_piece(traits::extents(a), traits::strides(a), true);
    else return is_contiguous(a);
}

}  // namespace tapeless::detail::transform_part
