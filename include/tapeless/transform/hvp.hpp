// SPDX-License-Identifier: MIT
#pragma once
// Hessian-vector products, without forming the Hessian: the derivative of the gradient in a direction.

#include <tapeless/transform/jvp.hpp>

namespace tapeless {

/// Refuses a product with nothing.
template <class F, int Argument, int Arguments>
struct hvp_needs_a_direction {
    static_assert(never<F>,
                  "hvp<I>(f)(args..., v): all arguments of f, then the direction v, which is such as argument I");
};

namespace detail::inline transform_part {

template <class F, int I>
struct curved {
    static constexpr std::array<int, 1> result_like{I};

    /// The last argument is the direction.
    template <class... A>
    constexpr auto operator()(A const&... a) const {
        if constexpr (sizeof...(A) < 2 || static_cast<int>(sizeof...(A)) < I + 2) {
            refuse(because<hvp_needs_a_direction<F, I, static_cast<int>(sizeof...(A))>>{});
            return std::tuple<A...>(a...);
        } else {
            using gradient = typename transformed<F, wanted::gradients, I>::function;
            auto r = std::get<I>(std::tuple<A...>(a...));
            auto const pair = pushed<gradient, I>{}(a...);
            list<int> tangents;
            each_leaf(std::get<1>(pair), [&](auto const& s) { tangents.push(s.id); });
            int leaf = 0;
            each_leaf(r, [&](auto& s) { s.id = tangents[leaf++]; });
            return std::tuple<decltype(r)>(r);
        }
    }
    template <class R>
    static constexpr R form(std::tuple<R>&& r) {
        return std::get<0>(std::move(r));
    }
};
}  // namespace detail::transform_part

/// hvp<I>(f)(args..., v): the Hessian of f by argument I, times v (a tree like that argument).
template <int I = 0, class F>
constexpr auto hvp(F const&) {
    using G = detail::plain_function<F>;
    if constexpr (detail::is_stateless<G>()) return fused(detail::curved<G, I>{});
}

}  // namespace tapeless
