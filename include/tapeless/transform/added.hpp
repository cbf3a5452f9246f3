// SPDX-License-Identifier: MIT
#pragma once
// add_into: a function and its gradients, added to what is there.

#include <tapeless/ops/arithmetic.hpp>
#include <tapeless/transform/nested.hpp>

namespace tapeless::detail::inline transform_part {

/// What F and its gradients are added to targets by: the arguments of F, then the targets.
template <class F, wanted W, int Arguments, int Targets, int... I>
struct added {
    static constexpr int first = W == wanted::both;
    static constexpr std::array<int, static_cast<std::size_t>(first + Targets)> result_like = [] {
        std::array<int, static_cast<std::size_t>(first + Targets)> like{};
        for (int k = 0; k < first + Targets; ++k)
            like[static_cast<std::size_t>(k)] = k < first ? -1 : Arguments + k - first;
        return like;
    }();
    template <class... A>
    constexpr auto operator()(A const&... a) const {
        return split(std::tie(a...), std::make_index_sequence<static_cast<std::size_t>(Arguments)>{},
                     std::make_index_sequence<static_cast<std::size_t>(Targets)>{});
    }
    template <class R>
    static constexpr R form(R&& r) {
        return std::move(r);
    }

private:
    template <class All, std::size_t... K, std::size_t... T>
    static constexpr auto split(All const& all, std::index_sequence<K...>, std::index_sequence<T...>) {
        if constexpr (W == wanted::value) {
            auto const value = let_all(F{}(std::get<K>(all)...));
            if constexpr (Targets == 1) return std::tuple(plus(std::get<sizeof...(K)>(all), value));
            else return std::tuple(plus(std::get<sizeof...(K) + T>(all), std::get<T>(value))...);
        } else {
            auto const r = nested_gradients<F, I...>(std::get<K>(all)...);
            if constexpr (W == wanted::gradients)
                return std::tuple(plus(std::get<sizeof...(K) + T>(all), std::get<T>(r.second))...);
            else return std::tuple(r.first, plus(std::get<sizeof...(K) + T>(all), std::get<T>(r.second))...);
        }
    }
    /// A tree like the target, with what is added.
    template <class Target, class X>
    static constexpr Target plus(Target target, X const& x) {
        list<int> more;
        each_leaf(x, [&](auto const& s) { more.push(s.id); });
        int next = 0;
        each_leaf(target, [&](auto& t) {
            using S = typename std::remove_cvref_t<decltype(t)>::value_type;
            builder& b = *t.graph;
            dims const is = b.shape_of(t.id), has = b.shape_of(more[next]);
            for (int k = 0; k < is.rank; ++k)
                if (is.extent[k] >= 0 && has.extent[k] >= 0 && is.extent[k] != has.extent[k])
                    refuse_lengths();
                else (void)b.same(is.extent[k], has.extent[k], "add_into");
            t.id = emit_binary<add_op, S>(b, t.id, more[next++]);
        });
        return target;
    }
    /// Not a constant expression, so the compiler names it.
    static void refuse_lengths() {}
};

}  // namespace tapeless::detail::transform_part
