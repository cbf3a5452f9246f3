// SPDX-License-Identifier: MIT
#pragma once
// evaluate, grad and value_and_grad: a function in, a function out.

#include <tapeless/base/plain_function.hpp>
#include <tapeless/compile/overwrite.hpp>
#include <tapeless/compile/refused.hpp>
#include <tapeless/transform/contiguous.hpp>
#include <tapeless/transform/formed.hpp>
#include <tapeless/transform/handover.hpp>
#include <tapeless/transform/into.hpp>
#include <tapeless/transform/nested.hpp>
#include <tapeless/transform/plan.hpp>
#include <tapeless/transform/value_and.hpp>

namespace tapeless {

namespace detail {

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

/// A function whose value, gradients or both are computed by fused loops. It owns the workspace of its calls: a copy
/// has its own, and one copy serves one thread.
template <class F, wanted W, int... I>
class transformed {
    static_assert(((I >= 0) && ...), "grad<I...>: the indices of arguments start at 0");

public:
    /// The same inside a traced function: what other transformations are applied to.
    struct function {
        template <class... A>
        constexpr auto operator()(A const&... a) const {
            return transformed::on_expressions(named(a)...);
        }
    };

    template <class Targets, class... A>
    using source_for = source_of<F, W, std::integer_sequence<int, I...>, Targets, A...>;
    template <class Targets, class... A>
    using program_for = program<source_for<Targets, A...>>;

    /// Arrays in, arrays out; on symbols, inside a traced function, the result is part of its graph. With into(...)
    /// first, gradients are written there and only the value is returned; where only the value is asked for, it is
    /// written there.
    template <class... A>
    constexpr auto operator()(A const&... a) {
        if constexpr (!is_stateless<F>()) {
            return refusal();
        } else if constexpr (is_into<typename first_of<A...>::type>) {
            return call_into(a...);
        } else if constexpr (is_add_into<typename first_of<A...>::type>) {
            return call_adding(a...);
        } else if constexpr ((holds_expressions<A>() || ...)) {
            return on_expressions(named(a)...);
        } else if constexpr (((is_into<A> || is_add_into<A>) || ...)) {
            return refuse(because<into_is_not_the_first_argument<A...>>{}), refusal();
        } else if constexpr (!(is_argument<A>() && ...)) {
            return refusal();
        } else if constexpr (requires {
                                 { all_overloads<F>{}(std::declval<mirror_t<A>&>()...) } -> std::same_as<no_overload>;
                             }) {
            // the body of F is first seen here, where few frames stand before the user's line
            refuse(because<function_does_not_take_these_arguments<static_cast<int>(sizeof...(A)), F, A...>>{});
            return refusal();
        } else if constexpr (!takes<F, A...>) {
            return refusal();
        } else if constexpr (!fits<A...>()) {
            return refusal();
        } else if constexpr (!called_while_compiling<F, A...>) {
            return refuse(because<function_cannot_be_called_while_compiling<F, A...>>{}), refusal();
        } else if constexpr (!traced_source<source_for<argument_list<>, A...>>) {
            return refusal();
        } else {
            return call(a...);
        }
    }

    /// The same where the callable is const, from several threads too: the workspace is one that the thread keeps for
    /// such calls.
    template <class... A>
    constexpr auto operator()(A const&... a) const {
        if constexpr ((holds_expressions<A>() || ...)) return transformed{}(a...);
        else return call_on_borrowed(a...);
    }

    /// Calls run on n threads from now on, or as many as the hardware has (0), or on those that somebody lends, who has
    /// to be there for the calls. Results do not depend on it, not in the last bit.
    transformed& threads(int n) {
        crew_.threads(n);
        return *this;
    }
    transformed& threads(executor& e) {
        crew_.threads(e);
        return *this;
    }
    int threads() const { return crew_.threads(); }

    /// The plan for arguments of these types: kernels, passes over a shape, bytes of workspace.
    template <class... A>
    static constexpr auto plan() {
        static_assert(is_stateless<F>() && accepts<A...>());
        return plan_summary<program_for<argument_list<>, A...>>{};
    }

private:
    template <class, wanted, int...>
    friend class transformed;
    workspace memory_;
    workspace spare_;  ///< for targets that lie over arguments
    crew crew_;

    template <class... A>
    auto call_on_borrowed(A const&... a) const {
        transformed own;
        borrowed_workspace const room(own.memory_, own.spare_, own.crew_.memory);
        own.crew_.take_threads(crew_);
        return own(a...);
    }

    static constexpr auto refusal() {
        if constexpr (W == wanted::both) return value_and_gradient<refused, refused>{};
        else return refused{};
    }
    /// Refuses what cannot be differentiated, in the words of the error's name.
    template <class... A>
    static constexpr bool fits() {
        constexpr int n = static_cast<int>(sizeof...(A));
        [[maybe_unused]] auto one = []<int K>() {
            if constexpr (K >= n) return refuse(because<no_such_argument<F, K, n>>{});
            else if constexpr (!argument_list<A...>::is_differentiable(K))
                return refuse(because<gradient_of_an_integer_argument<F, K>>{});
            else return true;
        };
        if constexpr ((one.template operator()<I>() && ...)) {
            using E = traced_result<F, A...>;
            if constexpr (!is_result<E>()) {
                return refuse(because<result_is_no_expression<F, E>>{});
            } else if constexpr (W != wanted::value) {
                using Y = typename first_result<E>::type;
                using S = typename Y::shape_type;
                if constexpr (!S::is_static || S::static_size() != 1)
                    return refuse(because<grad_of_something_that_is_no_scalar<F, S>>{});
                else if constexpr (!std::floating_point<typename Y::value_type> &&
                                   !storage_only<typename Y::value_type>)
                    return refuse(because<grad_of_an_integer_result<F, typename Y::value_type>>{});
                else return true;
            } else {
                return true;
            }
        }
        return false;
    }
    template <class... A>
    static constexpr bool accepts() {
        if constexpr (!are_arguments<A...>()) return false;
        else if constexpr (requires {
                               { all_overloads<F>{}(std::declval<mirror_t<A>&>()...) } -> std::same_as<no_overload>;
                           })
            return refuse(because<function_does_not_take_these_arguments<static_cast<int>(sizeof...(A)), F, A...>>{});
        else if constexpr (!takes<F, A...>) return false;
        else if constexpr (!fits<A...>()) return false;
        else if constexpr (!called_while_compiling<F, A...>)
            return refuse(because<function_cannot_be_called_while_compiling<F, A...>>{});
        else return true;
    }

    /// The targets of a program that writes to these. Where they lie as new arrays would, one program serves both.
    template <class Targets, class... A>
    using targets_of = std::conditional_t<lie_alike<source_for<Targets, A...>, source_for<argument_list<>, A...>>(),
                                          argument_list<>, Targets>;
    /// Where views are contiguous the program is that of what owns its elements.
    template <layout L, class Targets, class... A>
    struct chosen {
        using type = program_for<Targets, A...>;
    };
    template <class... T, class... A>
    struct chosen<layout::whole, argument_list<T...>, A...> {
        using type = program_for<
            targets_of<argument_list<typename with_tensors<T>::type...>, typename with_tensors<A>::type...>,
            typename with_tensors<A>::type...>;
    };
    template <class Targets, class... A>
    struct chosen<layout::columns, Targets, A...> {
        using type =
            program_for<targets_of<Targets, typename with_columns<A>::type...>, typename with_columns<A>::type...>;
    };
    template <layout L, class Targets, class... A>
    using chosen_program = typename chosen<L, Targets, A...>::type;

    template <class... A>
    auto call(A const&... a) {
        if constexpr (looks_at_strides<A...>()) {
            if ((is_contiguous(a) && ...)) return call_program<layout::whole>(a...);
            if constexpr ((may_lie_by_columns<A>() || ...))
                if ((lies_so(a) && ...)) return call_program<layout::columns>(a...);
        }
        return call_program<layout::any>(a...);
    }
    template <layout L, class... A>
    auto call_program(A const&... a) {
        using P = chosen_program<L, argument_list<>, A...>;
        handover<P> h;
        take_arguments(h, a...);
        [[maybe_unused]] auto value = make_value<P, A...>(h, a...);
        if constexpr (W != wanted::gradients)
            take_target(value, h.output, P::has_strided ? h.stride : nullptr, P::leaves, h.targets);
        if constexpr (W == wanted::value) {
            run(h);
            if constexpr (formed<F>) return F::form(std::move(value));
            else return value;
        } else {
            auto const all = std::tie(a...);
            auto gradients = std::make_tuple(make_like(std::get<static_cast<std::size_t>(I)>(all))...);
            std::apply(
                [&](auto&... g) {
                    (take_target(g, h.output, P::has_strided ? h.stride : nullptr, P::leaves, h.targets), ...);
                },
                gradients);
            run(h);
            if constexpr (W == wanted::gradients) return one_or_all(std::move(gradients));
            else {
                using G = decltype(one_or_all(std::move(gradients)));
                return value_and_gradient<decltype(value), G>{std::move(value), one_or_all(std::move(gradients))};
            }
        }
    }

    /// Whether the first of several parts of the value is returned: there is no target for it.
    template <class... T, class... A>
    static constexpr bool returns_first(argument_list<T...>, argument_list<A...>) {
        if constexpr (!formed<F> || W != wanted::value) return false;
        else return leaves_in<std::tuple<T...>>() < leaves_in<typename result_arrays<F, A...>::type>();
    }
    template <class... T, class... A>
    static auto find_targets(argument_list<T...> t, argument_list<A...> arguments) {
        if constexpr (returns_first(t, arguments))
            return std::type_identity<targets_of<
                argument_list<std::tuple_element_t<0, typename result_arrays<F, A...>::type>, T...>, A...>>{};
        else return std::type_identity<targets_of<argument_list<T...>, A...>>{};
    }
    template <class T, class... A>
    using targets_into = typename decltype(find_targets(T{}, argument_list<A...>{}))::type;

    /// Refuses targets that are not such as what is written there.
    template <class... T, class... A>
    static constexpr bool targets_fit(argument_list<T...> t, argument_list<A...> arguments) {
        if constexpr (W != wanted::value) {
            if constexpr (sizeof...(T) != sizeof...(I))
                return refuse(because<into_targets_do_not_match<argument_list<T...>, gradient<I>...>>{});
            else return (target_fits<T, nth_argument<I, A...>>() && ...);
        } else {
            using R = typename result_arrays<F, A...>::type;
            if constexpr (returns_first(t, arguments))
                return values_fit<std::tuple<T...>, decltype(without_first(std::declval<R>()))>();
            else return values_fit<std::tuple<T...>, R>();
        }
    }

    template <class... T, class... A>
    auto call_into(into_t<T...> const& targets, A const&... a) {
        using types = argument_list<std::remove_cvref_t<T>...>;
        if constexpr (!accepts<A...>()) return refused{};
        else if constexpr (!targets_fit(types{}, argument_list<A...>{})) return refused{};
        else if constexpr (!traced_source<source_for<targets_into<types, A...>, A...>>) return refused{};
        else {
            if constexpr (looks_at_strides<A..., std::remove_cvref_t<T>...>()) {
                if ((is_contiguous(a) && ...) &&
                    std::apply([](auto const&... t) { return (is_contiguous(t) && ...); }, targets.targets))
                    return write_into<layout::whole>(targets, a...);
                if constexpr ((may_lie_by_columns<A>() || ...))
                    if ((lies_so(a) && ...)) return write_into<layout::columns>(targets, a...);
            }
            return write_into<layout::any>(targets, a...);
        }
    }

    /// What would be written is added to the targets: they are arguments as well.
    template <class... T, class... A>
    auto call_adding(add_into_t<T...> const& to, A const&... a) {
        if constexpr (!accepts<A...>()) return refused{};
        else if constexpr (!targets_fit(argument_list<std::remove_cvref_t<T>...>{}, argument_list<A...>{}))
            return refused{};
        else {
            transformed<added<F, W, static_cast<int>(sizeof...(A)), static_cast<int>(sizeof...(T)), I...>,
                        wanted::value>
                sum;
            struct lend {  // the workspaces, whatever happens
                transformed& from;
                decltype(sum)& to;
                void exchange() {
                    std::swap(from.memory_, to.memory_);
                    std::swap(from.spare_, to.spare_);
                    std::swap(from.crew_, to.crew_);
                }
                lend(transformed& f, decltype(sum)& t) : from(f), to(t) { exchange(); }
                ~lend() { exchange(); }
            } const lent(*this, sum);
            return std::apply([&](auto const&... t) { return sum(into_t<T...>(to.targets), a..., t...); }, to.targets);
        }
    }

    /// The results themselves written to the targets. Where they have several parts, the first may be left out: it is
    /// returned.
    template <layout L, class... T, class... A>
    auto write_into(into_t<T...> const& targets, A const&... a)
        requires(W == wanted::value)
    {
        using types = argument_list<std::remove_cvref_t<T>...>;
        using R = typename result_arrays<F, A...>::type;
        using array = std::tuple<std::remove_cvref_t<T>...>;
        using P = chosen_program<L, targets_into<types, A...>, A...>;
        handover<P> h;
        take_arguments(h, a...);
        if constexpr (returns_first(types{}, argument_list<A...>{})) {
            using first = std::tuple_element_t<0, R>;
            int output = 0;
            first value = make_part<0, P>(h, output, std::tie(a...));
            take_target(value, h.output, P::has_strided ? h.stride : nullptr, P::leaves, h.targets);
            if constexpr (!same_lengths<array, decltype(without_first(std::declval<R>()))>())
                check_values(h, targets, output);
            take_targets(h, targets);
            run_into<leaves_in<first>()>(h);
            return value;
        } else {
            if constexpr (!same_lengths<array, R>()) check_values(h, targets, 0);
            take_targets(h, targets);
            run_into<0>(h);
        }
    }

    template <layout L, class... T, class... A>
    auto write_into(into_t<T...> const& targets, A const&... a)
        requires(W != wanted::value)
    {
        using P = chosen_program<L, targets_into<argument_list<std::remove_cvref_t<T>...>, A...>, A...>;
        handover<P> h;
        take_arguments(h, a...);
        [[maybe_unused]] auto value = make_value<P, A...>(h, a...);
        if constexpr (W != wanted::gradients)
            take_target(value, h.output, P::has_strided ? h.stride : nullptr, P::leaves, h.targets);
        check_targets<P, A...>(h, targets);
        take_targets(h, targets);
        run_into<P::graph_size.outputs - leaves_in<std::tuple<std::remove_cvref_t<T>...>>()>(h);
        if constexpr (W != wanted::gradients) return value;
    }

    template <class... A>
    static constexpr auto on_expressions(A const&... a) {
        if constexpr (formed<F>) {
            return F::form(F{}(a...));
        } else if constexpr (W == wanted::value) {
            return let_all(F{}(a...));
        } else {
            auto r = nested_gradients<F, I...>(a...);
            if constexpr (W == wanted::gradients) return one_or_all(std::move(r.second));
            else {
                using G = decltype(one_or_all(std::move(r.second)));
                return value_and_gradient<decltype(r.first), G>{r.first, one_or_all(std::move(r.second))};
            }
        }
    }

    template <int K, class... A>
    using nth_argument = typename nth_type<K, A...>::type;

    /// Arrays for the results; nothing where only gradients are asked for.
    template <class P, class... A>
    static auto make_value(handover<P> const& h, A const&... a) {
        int output = 0;
        if constexpr (W == wanted::gradients) return nothing{};
        else if constexpr (formed<F>) {
            return [&]<std::size_t... K>(std::index_sequence<K...>) {
                // in order
                return typename result_arrays<F, A...>::type{make_part<K, P>(h, output, std::tie(a...))...};
            }(std::make_index_sequence<F::result_like.size()>{});
        } else {
            return make_array<typename array_of<traced_result<F, A...>>::type>(h, output);
        }
    }
    template <std::size_t K, class P, class... A>
    static auto make_part(handover<P> const& h, int& output, std::tuple<A const&...> const& a) {
        using X = std::tuple_element_t<K, typename result_arrays<F, A...>::type>;
        if constexpr (F::result_like[K] < 0) return make_array<X>(h, output);
        else {
            output += leaves_in<X>();
            return make_like(std::get<static_cast<std::size_t>(F::result_like[K])>(a));
        }
    }
    template <class R, class P>
    static auto make_array(handover<P> const& h, int& output) {
        if constexpr (is_tuple<R>) {
            return [&]<class... X>(std::type_identity<std::tuple<X...>>) {
                return R{make_array<X>(h, output)...};  // in order
            }(std::type_identity<R>{});
        } else {
            ++output;
            if constexpr (leaf_traits<R>::shape_type::is_static) return R{};
            else {
                std::array<std::int64_t, static_cast<std::size_t>(R::rank)> e;
                for (int k = 0; k < R::rank; ++k) e[static_cast<std::size_t>(k)] = result_length(h, output - 1, k);
                return R::uninitialized(e);
            }
        }
    }
    /// The length of axis k of a result.
    template <class P>
    static std::int64_t result_length(handover<P> const& h, int output, int k) {
        std::int64_t const e = P::shapes[P::output_shape[output]].extent[k];
        return e >= 0 ? e : h.extent[~e];
    }
    template <class P, class... T>
    static void check_values(handover<P> const& h, into_t<T...> const& targets, int output) {
        int target = 0;
        auto one = [&](auto const& t) {
            each_leaf(t, [&](auto const& l) {
                auto const is = leaf_traits<std::remove_cvref_t<decltype(l)>>::extents(l);
                int const rank = static_cast<int>(is.size());
                for (int k = 0; k < rank; ++k) {
                    std::int64_t const wanted = result_length(h, output, k), has = is[static_cast<std::size_t>(k)];
                    if (has != wanted) throw_target_error(target, k, has, wanted);
                }
                ++output;
            });
            ++target;
        };
        std::apply([&](auto const&... t) { (one(t), ...); }, targets.targets);
    }

    template <class P, class... T>
    static void take_targets(handover<P>& h, into_t<T...> const& targets) {
        std::apply(
            [&](auto const&... t) {
                (take_target(const_cast<std::remove_cvref_t<T>&>(t), h.output, P::has_strided ? h.stride : nullptr,
                             P::leaves, h.targets),
                 ...);
            },
            targets.targets);
    }
    template <class P, class... A, class... T>
    static void check_targets(handover<P> const& h, into_t<T...> const& targets) {
        int target = 0;
        auto one = [&](auto const& t, int argument) {
            int leaf_number = argument_list<A...>::first[static_cast<std::size_t>(argument)];
            each_leaf(t, [&](auto const& l) {
                auto const e = leaf_traits<std::remove_cvref_t<decltype(l)>>::extents(l);
                for (std::size_t k = 0; k < e.size(); ++k)
                    if (e[k] != h.length(leaf_number, static_cast<int>(k)))
                        throw_target_error(target, static_cast<int>(k), e[k],
                                           h.length(leaf_number, static_cast<int>(k)));
                ++leaf_number;
            });
            ++target;
        };
        constexpr int index[] = {I...};
        std::apply([&](auto const&... t) { (one(t, index[target]), ...); }, targets.targets);
    }

    /// The same where results from number First on are targets.
    template <int First, class P>
    void run_into(handover<P>& h) {
        run_over<P, First>(memory_, crew_, spare_, h.argument, h.output, P::graph_size.extents > 0 ? h.extent : nullptr,
                           P::has_strided ? h.stride : nullptr);
    }
    template <class P>
    void run(handover<P>& h) {
        P::run(memory_, crew_, h.argument, h.output, P::graph_size.extents > 0 ? h.extent : nullptr,
               P::has_strided ? h.stride : nullptr);
    }
};

template <wanted W, class F, int... I>
constexpr auto transform(std::integer_sequence<int, I...>) {
    if constexpr (sizeof...(I) == 0) return transformed<plain_function<F>, W, 0>{};
    else return transformed<plain_function<F>, W, I...>{};
}
}  // namespace detail

/// The gradient of f by its arguments I... (by default the first): one array, or a tuple of them. f returns a scalar;
/// of several results the first is differentiated and the others are left out.
template <int... I, class F>
constexpr auto grad(F const&) {
    return detail::transform<detail::wanted::gradients, F>(std::integer_sequence<int, I...>{});
}

/// f and its gradients in one pass: { value, grad }. Where f returns several results, the first is differentiated and
/// all of them are in the value.
template <int... I, class F>
constexpr auto value_and_grad(F const&) {
    return detail::transform<detail::wanted::both, F>(std::integer_sequence<int, I...>{});
}

/// f as fused loops, keeping its workspace between calls. Several results (in a tuple, pair, array or aggregate) come
/// back as a tuple.
template <class F>
constexpr auto fused(F const&) {
    return detail::transformed<detail::plain_function<F>, detail::wanted::value>{};
}

/// f(args...) by fused loops.
template <class F, class... A>
constexpr auto evaluate(F const& f, A const&... a) {
    return fused(f)(a...);
}

}  // namespace tapeless
