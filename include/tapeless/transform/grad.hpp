// SPDX-License-Identifier: MIT
#pragma once
// evaluate, grad and value_and_grad: a function in, a function out.

#include <tapeless/transform/call.hpp>
#include <tapeless/transform/into.hpp>
#include <tapeless/transform/nested.hpp>
#include <tapeless/transform/plan.hpp>

namespace tapeless {

/// What value_and_grad returns: auto [value, grad] = ...
template <class V, class G>
struct value_and_gradient {
    V value;
    G grad;
};

namespace detail {

/// An array to write a gradient to: of the argument's own type, or owning where the argument only points.
template <class A>
auto make_like(A const& a) {
    if constexpr (leaf<A>) return leaf_traits<A>::make(leaf_traits<A>::extents(a));
    else return a;  // a tree: its lengths come with it
}

/// A traced result as an array: T itself where the rank is 0.
template <class E>
struct array_of {
    template <auto... X>
    static auto find(shape<X...>) {
        using T = typename E::value_type;
        if constexpr (sizeof...(X) == 0) return std::type_identity<T>{};
        else return std::type_identity<tensor<T, X...>>{};
    }
    using type = typename decltype(find(typename E::shape_type{}))::type;
};

template <class... T>
struct first_of {
    using type = void;
};
template <class Head, class... Tail>
struct first_of<Head, Tail...> {
    using type = Head;
};

/// One gradient as it is, several as a tuple.
template <class... G>
constexpr auto one_or_all(std::tuple<G...>&& t) {
    if constexpr (sizeof...(G) == 1) return std::get<0>(std::move(t));
    else return std::move(t);
}

/// A function whose value, gradients or both are computed by fused loops. It owns the workspace of its calls: a copy has
/// its own, and one copy serves one thread.
template <class F, wanted W, int... I>
class transformed {
    static_assert(((I >= 0) && ...), "grad<I...>: the indices of arguments start at 0");

public:
    template <class Targets, class... A>
    using program_for = program<source_of<F, W, std::integer_sequence<int, I...>, Targets, A...>>;

    /// Arrays in, arrays out; on symbols, inside a traced function, the result is part of its graph. With into(...) first,
    /// gradients are written there and only the value is returned; where only the value is asked for, it is written there.
    template <class... A>
    constexpr auto operator()(A const&... a) {
        if constexpr (is_stateless<F>()) {
            if constexpr (is_into<typename first_of<A...>::type>) {
                return call_into(a...);
            } else if constexpr ((holds_expressions<A>() || ...)) {
                return on_expressions(named(a)...);
            } else if constexpr (fits<A...>()) {
                return call(a...);
            }
        }
    }

    /// The plan for arguments of these types: kernels, passes over a shape, bytes of workspace.
    template <class... A>
    static constexpr auto plan() {
        static_assert(is_stateless<F>() && fits<A...>());
        return plan_summary<program_for<argument_list<>, A...>>{};
    }

private:
    workspace memory_;

    /// Refuses what cannot be differentiated, in the words of the error's name.
    template <class... A>
    static constexpr bool fits() {
        constexpr int n = static_cast<int>(sizeof...(A));
        [[maybe_unused]] auto one = []<int K>() {
            if constexpr (K >= n) return sizeof(no_such_argument<F, K, n>) == 0;
            else if constexpr (!argument_list<A...>::is_differentiable(K)) return sizeof(gradient_of_an_integer_argument<F, K>) == 0;
            else return true;
        };
        if constexpr ((one.template operator()<I>() && ...)) {
            using E = traced_result<F, A...>;
            static_assert(expression<E>, "the function returns an expression of its arguments");
            if constexpr (W != wanted::value) {
                using S = typename E::shape_type;
                if constexpr (!S::is_static || S::static_size() != 1) return sizeof(grad_of_something_that_is_no_scalar<F, S>) == 0;
            }
            return true;
        }
        return false;
    }

    template <class... A>
    auto call(A const&... a) {
        using P = program_for<argument_list<>, A...>;
        handover<P> h;
        (h.take(a), ...);
        check_extents<P, argument_list<A...>>(h);
        auto value = make_value<P, A...>(h);
        if constexpr (W != wanted::gradients) h.output[h.targets++] = data_of(value);
        if constexpr (W == wanted::value) {
            run(h);
            return value;
        } else {
            auto const all = std::tie(a...);
            auto gradients = std::make_tuple(make_like(std::get<static_cast<std::size_t>(I)>(all))...);
            std::apply([&](auto&... g) { (take_target(h, g), ...); }, gradients);
            run(h);
            if constexpr (W == wanted::gradients) return one_or_all(std::move(gradients));
            else {
                using G = decltype(one_or_all(std::move(gradients)));
                return value_and_gradient<decltype(value), G>{std::move(value), one_or_all(std::move(gradients))};
            }
        }
    }

    /// The value itself written to the one target.
    template <class T, class... A>
    void call_into(into_t<T> const& targets, A const&... a)
        requires(W == wanted::value)
    {
        using R = typename array_of<traced_result<F, A...>>::type;
        using array = std::remove_cvref_t<T>;
        static_assert(same_leaves<array, R>(), "into: the array has the result's element type and rank");
        if constexpr (same_leaves<array, R>() && fits<A...>()) {
            using P = program_for<targets_of<array>, A...>;
            handover<P> h;
            (h.take(a), ...);
            check_extents<P, argument_list<A...>>(h);
            auto& t = const_cast<array&>(std::get<0>(targets.targets));
            using S = typename leaf_traits<array>::shape_type;
            if constexpr (!S::is_static || !std::same_as<S, typename leaf_traits<R>::shape_type>) {
                auto const is = leaf_traits<array>::extents(t);
                auto const wanted = value_extents<P, R>(h);
                for (std::size_t k = 0; k < wanted.size(); ++k)
                    if (is[k] != wanted[k]) throw_target_error(0, static_cast<int>(k), is[k], wanted[k]);
            }
            take_target(h, t);
            run(h);
        }
    }

    template <class... T, class... A>
    auto call_into(into_t<T...> const& targets, A const&... a) {
        static_assert(W != wanted::value, "into: one target for the value");
        static_assert(sizeof...(T) == sizeof...(I), "into: one target for each gradient asked for");
        if constexpr (sizeof...(T) == sizeof...(I) && fits<A...>()) {
            static_assert((same_leaves<std::remove_cvref_t<T>, nth_argument<I, A...>>() && ...),
                          "into: a target has its argument's element types and rank");
            using P = program_for<targets_of<std::remove_cvref_t<T>...>, A...>;
            handover<P> h;
            (h.take(a), ...);
            check_extents<P, argument_list<A...>>(h);
            auto value = make_value<P, A...>(h);
            if constexpr (W != wanted::gradients) h.output[h.targets++] = data_of(value);
            check_targets<P, A...>(h, targets);
            std::apply([&](auto const&... t) { (take_target(h, const_cast<std::remove_cvref_t<T>&>(t)), ...); }, targets.targets);
            run(h);
            if constexpr (W != wanted::gradients) return value;
        }
    }

    template <class... A>
    static constexpr auto on_expressions(A const&... a) {
        if constexpr (W == wanted::value) {
            return let(F{}(a...));
        } else {
            auto r = nested_gradients<F, I...>(a...);
            if constexpr (W == wanted::gradients) return one_or_all(std::move(r.second));
            else {
                using G = decltype(one_or_all(std::move(r.second)));
                return value_and_gradient<decltype(r.first), G>{r.first, one_or_all(std::move(r.second))};
            }
        }
    }

    /// Dense targets are like new arrays: one program serves both.
    template <class... T>
    static constexpr bool all_dense() {
        for (leaf_info const& l : argument_list<T...>::describe())
            if (!l.dense) return false;
        return true;
    }
    template <class... T>
    using targets_of = std::conditional_t<all_dense<T...>(), argument_list<>, argument_list<T...>>;

    template <int K, class... A>
    using nth_argument = typename nth_type<K, A...>::type;

    /// A target has the element types and ranks of its argument.
    template <class T, class A>
    static constexpr bool same_leaves() {
        list<leaf_info> t, a;
        describe_leaves<T>(t);
        describe_leaves<A>(a);
        if (t.size() != a.size()) return false;
        for (int i = 0; i < t.size(); ++i)
            if (t[i].type != a[i].type || t[i].rank != a[i].rank) return false;
        return true;
    }

    template <class P, class... A>
    static auto make_value(handover<P> const& h) {
        using R = typename array_of<traced_result<F, A...>>::type;
        if constexpr (leaf_traits<R>::shape_type::rank == 0) return R{};
        else if constexpr (leaf_traits<R>::shape_type::is_static) return R{};
        else return R::uninitialized(value_extents<P, R>(h));
    }
    /// The lengths of the value, an array R.
    template <class P, class R>
    static auto value_extents(handover<P> const& h) {
        using S = typename leaf_traits<R>::shape_type;
        std::array<std::int64_t, static_cast<std::size_t>(S::rank)> e{};
        dims const& d = P::graph.shapes[P::graph.output_shape[0]];
        for (std::size_t k = 0; k < e.size(); ++k) e[k] = d.extent[k] >= 0 ? d.extent[k] : h.extent[~d.extent[k]];
        return e;
    }
    template <class R>
    static void* data_of(R& r) {
        return leaf_traits<R>::data(r);
    }

    template <class P, class G>
    static void take_target(handover<P>& h, G& g) {
        for_each_leaf(g, [&](auto& l) {
            using traits = leaf_traits<std::remove_cvref_t<decltype(l)>>;
            if constexpr (!traits::is_dense) h.take_strides(P::leaves + h.targets, traits::strides(l));
            h.output[h.targets++] = traits::data(l);
        });
    }

    template <class P, class... A, class... T>
    static void check_targets(handover<P> const& h, into_t<T...> const& targets) {
        int target = 0;
        auto one = [&](auto const& t, int argument) {
            int leaf_number = argument_list<A...>::first[static_cast<std::size_t>(argument)];
            for_each_leaf(t, [&](auto const& l) {
                auto const e = leaf_traits<std::remove_cvref_t<decltype(l)>>::extents(l);
                for (std::size_t k = 0; k < e.size(); ++k)
                    if (e[k] != h.length(leaf_number, static_cast<int>(k)))
                        throw_target_error(target, static_cast<int>(k), e[k], h.length(leaf_number, static_cast<int>(k)));
                ++leaf_number;
            });
            ++target;
        };
        constexpr int index[] = {I...};
        std::apply([&](auto const&... t) { (one(t, index[target]), ...); }, targets.targets);
    }

    template <class P>
    void run(handover<P>& h) {
        P::run(memory_, h.argument, h.output, h.extent, h.stride);
    }
};

template <wanted W, class F, int... I>
constexpr auto transform(std::integer_sequence<int, I...>) {
    if constexpr (sizeof...(I) == 0) return transformed<F, W, 0>{};
    else return transformed<F, W, I...>{};
}
}  // namespace detail

/// The gradient of f by its arguments I... (by default the first): one array, or a tuple of them. f returns a scalar.
template <int... I, class F>
constexpr auto grad(F const&) {
    return detail::transform<detail::wanted::gradients, F>(std::integer_sequence<int, I...>{});
}

/// f and its gradients in one pass: { value, grad }.
template <int... I, class F>
constexpr auto value_and_grad(F const&) {
    return detail::transform<detail::wanted::both, F>(std::integer_sequence<int, I...>{});
}

/// f as fused loops, keeping its workspace between calls.
template <class F>
constexpr auto fused(F const&) {
    return detail::transformed<F, detail::wanted::value>{};
}

/// f(args...) by fused loops.
template <class F, class... A>
constexpr auto evaluate(F const& f, A const&... a) {
    return fused(f)(a...);
}

}  // namespace tapeless
