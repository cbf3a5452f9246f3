// SPDX-License-Identifier: MIT
#pragma once
// Reverse mode for results of any shape: the value of a function, and what a cotangent of it becomes at its arguments.

#include <tapeless/transform/jvp.hpp>

namespace tapeless {
namespace detail::inline transform_part {

/// f and its gradients at symbols: the arguments are those of f, then the cotangent of its result.
template <class F, int... I>
struct pulled {
    static constexpr std::array<int, 1 + sizeof...(I)> result_like{-1, I...};

    template <class... A>
    constexpr auto operator()(A const&... a) const {
        static_assert(sizeof...(A) > 1, "vjp<I...>(f)(args..., cotangent)");
        constexpr int n = static_cast<int>(sizeof...(A)) - 1;
        if constexpr (n > 0 && ((I < n) && ...)) {  // here, where few frames stand before the user's line
            using at = decltype(point_among<I...>(std::tie(a...), std::make_index_sequence<std::size_t{n}>{}));
            using value = std::remove_cvref_t<decltype(std::declval<at const&>().template value_of<F>())>;
            refuse(why_no_tangent<true, value, typename nth_type<n, A...>::type>());
        }
        if constexpr (sizeof...(A) > 1) return split(std::tie(a...), std::make_index_sequence<sizeof...(A) - 1>{});
    }
    template <class V, class... G>
    static constexpr auto form(std::tuple<V, G...>&& r) {
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            auto g = one_or_all(std::tuple<G...>(std::get<1 + K>(std::move(r))...));
            return value_and_gradient<V, decltype(g)>{std::get<0>(std::move(r)), std::move(g)};
        }(std::index_sequence_for<G...>{});
    }

private:
    template <class... A, std::size_t... K>
    static constexpr auto split(std::tuple<A...> const& all, std::index_sequence<K...>) {
        if constexpr (accepts(why_no_arguments<F, static_cast<int>(sizeof...(K)), I...>())) {
            auto const at = point_among<I...>(all, std::index_sequence<K...>{});
            builder* const b = at.b;
            list<int> results, seeds;
            auto const value = at.template value_of<F>();
            each_leaf(value, [&](auto const& y) {
                if constexpr (std::floating_point<computed<typename std::remove_cvref_t<decltype(y)>::value_type>>)
                    results.push(y.walk(*b));
            });
            for_each_pair(value, std::get<sizeof...(K)>(all), cotangent_list{{*b, seeds}});
            results.resize(seeds.size());  // of another tree, which was refused, there are fewer
            list<int> const c = differentiate(*b, results, seeds, at.parameters);
            int leaf = 0;
            using all_of = decltype(at.arguments);
            return std::tuple<std::remove_cvref_t<decltype(value)>,
                              std::tuple_element_t<static_cast<std::size_t>(I), all_of>...>{
                value, as_gradients(*b, c, leaf, std::get<static_cast<std::size_t>(I)>(at.arguments))...};  // in order
        }
    }
};
}  // namespace detail::transform_part

/// vjp<I...>(f)(args..., cotangent): the value of f, of any shape, and the gradients of <cotangent, f> by its
/// arguments I... (by default the first): { value, grad }, one gradient as it is, several in a tuple. Of several
/// results the cotangent is a tuple (that of an integer is not looked at). With into(grads...) first, the gradients
/// are written there and the value is returned; with into(value, grads...) all are written.
template <int... I, class F>
constexpr auto vjp(F const&) {
    return detail::fused_form<detail::pulled, detail::plain_function<F>>(std::integer_sequence<int, I...>{});
}

}  // namespace tapeless
