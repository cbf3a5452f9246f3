// SPDX-License-Identifier: MIT
#pragma once
// Forward mode: the value of a function and its derivative in a direction, in one pass.

#include <tapeless/graph/forward.hpp>
#include <tapeless/transform/grad.hpp>
#include <tapeless/transform/value_and.hpp>

namespace tapeless {

namespace detail::inline transform_part {

/// The tangents c, from number `next` on, of the results v: symbols like them. What does not move has the tangent 0,
/// and so have integers and masks.
template <class V>
constexpr auto as_tangents(builder& b, list<int> const& c, int& next, V const& v) {
    if constexpr (expression<V>) {
        using T = typename V::value_type;
        int id = c[next++];
        if constexpr (is_flag<T>) return let(v && !v);
        else {
            if (id < 0) id = emit_expand(b, b.constant(0, dtype_of<computed<T>>()), dims(b.shape_of(v.walk(b))));
            typename symbol_with<computed<T>, typename V::shape_type>::type const t(&b, id);
            return cast<T>(t);
        }
    } else {
        return detail::with_parts([&](auto const&... x) {
            return std::tuple<decltype(as_tangents(b, c, next, x))...>{as_tangents(b, c, next, x)...};  // in order
        }, v);
    }
}

/// Where a function is differentiated: its arguments, of which those I... are parameters of the graph from now on.
template <class Arguments, int... I>
struct point_of_derivative {
    Arguments arguments;
    builder* b = nullptr;
    list<int> parameters;

    template <class... A>
    constexpr explicit point_of_derivative(A const&... a) : arguments(a...) {
        detail::with_parts([&](auto&... x) { (find_graph(x, b), ...), ((x = settled(*b, x)), ...); }, arguments);
        (make_parameters(*b, std::get<static_cast<std::size_t>(I)>(arguments), parameters), ...);
    }
    template <class F>
    constexpr auto value_of() const {
        return settled(*b, let_all(detail::with_parts([](auto const&... x) { return F{}(x...); }, arguments)));
    }
};
/// The first arguments of all, whose numbers are K...
template <int... I, class... A, std::size_t... K>
constexpr auto point_among(std::tuple<A...> const& all, std::index_sequence<K...>) {
    using arguments = std::tuple<std::remove_cvref_t<std::tuple_element_t<K, std::tuple<A...>>>...>;
    return point_of_derivative<arguments, I...>(std::get<K>(all)...);
}

/// f and its tangents at symbols: the arguments are those of f, then the tangents of its arguments I...
template <class F, int... I>
struct pushed {
    static constexpr std::array<int, 2> result_like{-1, -1};

    template <class... A>
    constexpr auto operator()(A const&... a) const {
        constexpr int n = static_cast<int>(sizeof...(A)) - static_cast<int>(sizeof...(I));
        static_assert(n > 0, "jvp<I...>(f)(args..., tangents...): one tangent for each of the arguments I...");
        if constexpr (n > 0 && ((I < n) && ...)) {  // here, where few frames stand before the user's line
            using at = decltype(point_among<I...>(std::tie(a...), std::make_index_sequence<std::size_t{n}>{}));
            (refuse(why_no_tangent<false, std::tuple_element_t<std::size_t{I}, decltype(at::arguments)>,
                                   typename nth_type<n + static_cast<int>(place_of(I)), A...>::type>()),
             ...);
        }
        if constexpr (n > 0) return split(std::tie(a...), std::make_index_sequence<static_cast<std::size_t>(n)>{});
    }
    template <class V, class T>
    static constexpr value_and_tangent<V, T> form(std::tuple<V, T>&& r) {
        return {std::get<0>(std::move(r)), std::get<1>(std::move(r))};
    }

private:
    /// Of argument i among those that vary.
    static constexpr std::size_t place_of(int i) {
        std::size_t k = 0;
        for (int const j : {I...}) {
            if (j == i) break;
            ++k;
        }
        return k;
    }
    template <class... A, std::size_t... K>
    static constexpr auto split(std::tuple<A...> const& all, std::index_sequence<K...>) {
        if constexpr (accepts(why_no_arguments<F, static_cast<int>(sizeof...(K)), I...>())) {
            auto const at = point_among<I...>(all, std::index_sequence<K...>{});
            builder* const b = at.b;
            list<int> tangents;
            (for_each_pair(std::get<static_cast<std::size_t>(I)>(at.arguments),
                           std::get<sizeof...(K) + place_of(I)>(all), tangent_list{*b, tangents}), ...);
            auto const value = at.template value_of<F>();
            list<int> results;
            each_leaf(value, [&](auto const& e) { results.push(e.walk(*b)); });
            list<int> const c = push_forward(*b, results, at.parameters, tangents);
            int leaf = 0;
            auto const tangent = as_tangents(*b, c, leaf, value);
            return std::tuple(value, tangent);
        }
    }
};

template <template <class, int...> class Form, class F, int... I>
constexpr auto fused_form(std::integer_sequence<int, I...>) {
    static_assert(((I >= 0) && ...), "the indices of arguments start at 0");
    if constexpr (!is_stateless<F>()) return 0;
    else if constexpr (sizeof...(I) == 0) return fused(Form<F, 0>{});
    else return fused(Form<F, I...>{});
}
}  // namespace detail::transform_part

/// jvp<I...>(f)(args..., tangents...): the value of f and its derivative in the direction of the tangents, one for
/// each of the arguments I... (by default the first) and like it: { value, tangent }. Several results have a tuple of
/// tangents. With into(tangent) first, the tangents are written there and the value is returned; with into(value,
/// tangent) both are written.
template <int... I, class F>
constexpr auto jvp(F const&) {
    return detail::fused_form<detail::pushed, detail::plain_function<F>>(std::integer_sequence<int, I...>{});
}

}  // namespace tapeless
