// SPDX-License-Identifier: MIT
#pragma once
// Hessian-vector products, without forming the Hessian.

#include <tapeless/transform/grad.hpp>

namespace tapeless {
namespace detail {

/// <grad f, v>: its gradient is the Hessian times v. The last argument is v.
template <class F, int I>
struct directional {
    template <class... A>
    constexpr auto operator()(A const&... a) const {
        auto const all = std::tie(a...);
        return split(all, std::make_index_sequence<sizeof...(A) - 1>{});
    }

private:
    template <class All, std::size_t... K>
    static constexpr auto split(All const& all, std::index_sequence<K...>) {
        auto const g = grad<I>(F{})(std::get<K>(all)...);
        auto const& v = std::get<sizeof...(K)>(all);
        return inner(g, v);
    }
    /// The sum of products over all arrays of two trees alike.
    template <class G, class V>
    static constexpr auto inner(G const& g, V const& v) {
        if constexpr (expression<G>) {
            return let(sum(g * v));
        } else if constexpr (is_array<G>) {
            auto s = inner(g[0], v[0]);
            for (std::size_t i = 1; i < g.size(); ++i) s = let(s + inner(g[i], v[i]));
            return s;
        } else {
            auto parts = [](auto const& t) {
                if constexpr (is_tuple<std::remove_cvref_t<decltype(t)>>) return t;
                else return members_of(t);
            };
            auto const a = parts(g);
            auto const b = parts(v);
            return [&]<std::size_t... K>(std::index_sequence<K...>) {
                return let((inner(std::get<K>(a), std::get<K>(b)) + ...));
            }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(a)>>>{});
        }
    }
};
}  // namespace detail

/// hvp<I>(f)(args..., v): the Hessian of f by argument I, times v (a tree like that argument).
template <int I = 0, class F>
constexpr auto hvp(F const&) {
    return grad<I>(detail::directional<F, I>{});
}

}  // namespace tapeless
