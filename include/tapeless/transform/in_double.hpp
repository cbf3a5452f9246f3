// SPDX-License-Identifier: MIT
#pragma once
// A function of float arrays as one of double arrays: its arguments in double, and whether it can take them.

#include <tapeless/transform/result_arrays.hpp>

namespace tapeless::detail::inline transform_part {

template <class T>
using wider = std::conditional_t<std::same_as<computed<T>, float>, double, T>;
template <class T, auto... E>
using wide_tensor = tensor<wider<T>, E...>;
template <class T, auto... E>
using wide_symbol = symbol<wider<T>, E...>;

}  // namespace tapeless::detail::transform_part

namespace tapeless::detail {  // of ir/mirror.hpp

// a model in double is seen as one: its tensors' types are written in the struct
template <template <template <class, auto...> class> class Model>
struct mirror<Model<wide_tensor>> {
    using type = Model<wide_symbol>;
};
template <template <template <class, auto...> class, auto...> class Model, auto... V>
    requires(sizeof...(V) > 0)
struct mirror<Model<wide_tensor, V...>> {
    using type = Model<wide_symbol, V...>;
};
template <template <template <class, auto...> class, class...> class Model, class... T>
    requires(sizeof...(T) > 0)
struct mirror<Model<wide_tensor, T...>> {
    using type = Model<wide_symbol, T...>;
};

}  // namespace tapeless::detail

namespace tapeless::detail::inline transform_part {

/// A dense array of T as the array or number A.
template <class T, class A>
struct dense_array {
    template <auto... E>
    static auto find(shape<E...>) -> std::conditional_t<sizeof...(E) == 0, T, tensor<T, E...>>;
    using type = decltype(find(typename leaf_traits<A>::shape_type{}));
};
template <class T, class U, class Alloc>
    requires element<U>
struct dense_array<T, std::vector<U, Alloc>> {
    using type = std::conditional_t<std::same_as<T, U>, std::vector<U, Alloc>, std::vector<T>>;
};
template <class T, class U, std::size_t N>
struct dense_array<T, std::array<U, N>> {
    using type = std::array<T, N>;
};

/// The elements of an array in row-major order, through its strides.
template <class L, class Fn>
void for_each_element(L& l, Fn&& fn) {
    using traits = leaf_traits<std::remove_cvref_t<L>>;
    auto* data = traits::data(l);
    auto const e = traits::extents(l);
    std::size_t n = 1;
    for (auto x : e) n *= static_cast<std::size_t>(x);
    for (std::size_t i = 0; i < n; ++i) {
        std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i);
        if constexpr (!traits::is_dense) {
            auto const s = traits::strides(l);
            std::size_t rest = i;
            at = 0;
            for (std::size_t k = e.size(); k-- > 0;) {
                at += static_cast<std::ptrdiff_t>(rest % static_cast<std::size_t>(e[k])) * s[k];
                rest /= static_cast<std::size_t>(e[k]);
            }
        }
        fn(data[at], i);
    }
}

/// Whether an array in the tree A would be another in double.
template <class A>
constexpr bool widens() {
    if constexpr (leaf<A>) {
        using T = typename leaf_traits<A>::value_type;
        return !std::same_as<wider<T>, T>;
    } else if constexpr (is_array<A>) {
        return widens<typename A::value_type>();
    } else if constexpr (is_tuple<A>) {
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return (widens<std::remove_cvref_t<std::tuple_element_t<I, A>>>() || ...);
        }(std::make_index_sequence<std::tuple_size_v<A>>{});
    } else {
        return widens<decltype(members_of(std::declval<A&>()))>();
    }
}

/// A copy with memory of its own, dense; Wide: in double what is float, half or bfloat16. Trees keep their kind;
/// structs that are no models become tuples, which is what a function sees of them.
template <bool Wide, class A>
auto own_copy(A const& a) {
    if constexpr (leaf<A>) {
        using T = typename leaf_traits<A>::value_type;
        using To = typename dense_array<std::conditional_t<Wide, wider<T>, T>, typename leaf_traits<A>::owner>::type;
        auto c = leaf_traits<To>::make(leaf_traits<A>::extents(a));
        auto* to = leaf_traits<To>::data(c);
        for_each_element(
            a, [&](auto const& x, std::size_t i) { to[i] = static_cast<typename leaf_traits<To>::value_type>(x); });
        return c;
    } else if constexpr (is_array<A>) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::array{own_copy<Wide>(a[I])...};
        }(std::make_index_sequence<std::tuple_size_v<A>>{});
    } else if constexpr (is_tuple<A>) {
        auto const rebuilt = [](auto const&... x) {
            return std::tuple<decltype(own_copy<Wide>(x))...>(own_copy<Wide>(x)...);
        };
        if constexpr (requires { a.first; a.second; })
            return std::pair(own_copy<Wide>(a.first), own_copy<Wide>(a.second));
        else return detail::with_parts(rebuilt, a);
    } else {
        // one that is in double already stays what it is, and is compiled once
        using Model = std::conditional_t<Wide && widens<A>(), typename model_over<wide_tensor, A>::type,
                                         typename model_over<tensor, A>::type>;
        auto const from = members_of(a);
        auto const copies = detail::with_parts(
            [](auto const&... x) { return std::tuple<decltype(own_copy<Wide>(x))...>(own_copy<Wide>(x)...); }, from);
        if constexpr (std::is_void_v<Model>) {
            return copies;
        } else {
            Model made{};
            auto const to = members_of(made);
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                ((std::get<I>(to) = std::get<I>(copies)), ...);
            }(std::make_index_sequence<std::tuple_size_v<std::remove_const_t<decltype(from)>>>{});
            return made;
        }
    }
}

/// Whether something in these nodes was made a float (half, bfloat16) by an explicit conversion.
constexpr bool converts_to_float(list<node> const& nodes) {
    for (node const& n : nodes) {
        if (!n.has_op() || n.op->is != builtin::cast) continue;
        node const& x = nodes[n.in[0]];
        if (is_short_float(n.type) || (n.type == dtype::f32 && x.kind != node_kind::argument)) return true;
        if (n.type == dtype::f32 && !is_short_float(x.type)) return true;
    }
    return false;
}
/// Whether F computes something in float on arrays A...
template <class F, class... A>
constexpr bool computes_in_float() {
    builder b;
    add_arguments(b, argument_list<A...>::describe());
    auto const results = call_on_symbols<F, A...>(b);
    each_leaf(results, [&](auto const& e) { (void)e.walk(b); });
    auto some = [](list<node> const& nodes) {
        for (node const& n : nodes)
            if (computed_dtype(n.type) == dtype::f32) return true;
        return false;
    };
    bool r = some(b.nodes);
    for (body const& x : b.bodies) r = r || some(x.nodes);
    return r;
}
/// Whether F, a function of float arrays among A..., is surely one of double arrays as well: its call is a template,
/// and it converts nothing to float.
template <class F, class... A>
constexpr bool takes_double() {
    if constexpr (requires { &F::operator(); }) {
        return false;
    } else {
        builder b;
        add_arguments(b, argument_list<A...>::describe());
        auto const results = call_on_symbols<F, A...>(b);
        each_leaf(results, [&](auto const& e) { (void)e.walk(b); });
        if (converts_to_float(b.nodes)) return false;
        for (body const& x : b.bodies)
            if (converts_to_float(x.nodes)) return false;
        return true;
    }
}

}  // namespace tapeless::detail::transform_part
