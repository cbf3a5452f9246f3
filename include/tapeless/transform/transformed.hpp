// SPDX-License-Identifier: MIT
#pragma once
// A transformed function: the callable that users hold, its calls and what they write to.

#include <tapeless/compile/overwrite.hpp>
#include <tapeless/transform/acceptance.hpp>
#include <tapeless/transform/added.hpp>
#include <tapeless/transform/contiguous.hpp>
#include <tapeless/transform/not_called.hpp>
#include <tapeless/transform/on_expressions.hpp>
#include <tapeless/transform/plan.hpp>
#include <tapeless/transform/results.hpp>

namespace tapeless {
namespace detail::inline transform_part {

/// A function whose value, gradients or both are computed by fused loops. It owns the workspace of its calls: a copy
/// has its own, and one copy serves one thread.
template <class F, wanted W, int... I>
class transformed : public not_called<F> {
    static_assert(((I >= 0) && ...), "grad<I...>: the indices of arguments start at 0");

public:
    using allowed = acceptance<F, W, I...>;
    /// The same inside a traced function: what other transformations are applied to.
    struct function {
        template <class... A>
        constexpr auto operator()(A const&... a) const {
            return delivered(on_expressions<F, W, I...>(named_among(a, a...)...));
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
            return delivered(on_expressions<F, W, I...>(named_among(a, a...)...));
        } else if constexpr (((is_into<A> || is_add_into<A>) || ...)) {
            return refuse(because<into_is_not_the_first_argument<A...>>{}), refusal();
        } else if constexpr (!(accepts(why_no_argument<A>()) && ...)) {
            return refusal();
#if defined(__clang__)  // whose messages are three lines shorter; those of g++ are eight lines longer
        } else if constexpr (std::same_as<decltype(all_overloads<F>{}(std::declval<mirror_t<A>&>()...)), no_overload>) {
#else
        } else if constexpr (requires {
                                 { all_overloads<F>{}(std::declval<mirror_t<A>&>()...) } -> std::same_as<no_overload>;
                             }) {
#endif
            // the body of F is first seen here, where few frames stand before the user's line
            refuse(because<function_does_not_take_these_arguments<static_cast<int>(sizeof...(A)), F, A...>>{});
            return refusal();
        } else if constexpr (!takes<F, A...>) {
            return refusal();
#if defined(__clang__)
        } else if constexpr (constexpr int n = operations_in<decltype(F{}(std::declval<mirror_t<A>&>()...))>;
                             n >= too_many_operations) {
            return refuse(because<expression_is_too_large_or_a_recursion_has_no_end<F, n>>{}), refusal();
#endif
        } else if constexpr (!accepts(allowed::template why_not<A...>())) {
            return refusal();
        } else if constexpr (!called_while_compiling<F, A...>) {
            return refuse(because<function_cannot_be_called_while_compiling<F, A...>>{}), refusal();
        } else if constexpr (std::same_as<std::remove_cv_t<
                                              decltype(source_trace<source_for<argument_list<>, A...>>::trace_all())>,
                                          nothing_traced>) {
            return refusal();  // not traced_source, which is a frame more
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

    /// f of the program that a call with these arguments runs.
    template <class Fn, class... A>
    static auto with_program(Fn const& f, A const&... a) {
        if constexpr (looks_at_strides<A...>()) {
            if ((is_contiguous(a) && ...))
                return f(std::type_identity<chosen_program<layout::whole, argument_list<>, A...>>{});
            if constexpr ((may_lie_by_columns<A>() || ...))
                if ((lies_so(a) && ...))
                    return f(std::type_identity<chosen_program<layout::columns, argument_list<>, A...>>{});
        }
        return f(std::type_identity<chosen_program<layout::any, argument_list<>, A...>>{});
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
        static_assert(is_stateless<F>() && accepts(allowed::template why_not_called<A...>()));
        return plan_summary<program_for<argument_list<>, A...>>{};
    }

private:
    template <class, wanted, int...>
    friend class transformed;
    [[no_unique_address]] reminder a_function_is_called_first_;  // auto [value, grad] = ad::value_and_grad(f)(x)
    workspace memory_;
    workspace spare_;  ///< for targets that lie over arguments
    crew crew_;
    bool borrows_ = false;  ///< whether these are the thread's, as long as a program runs

    template <class... A>
    auto call_on_borrowed(A const&... a) const {
        transformed own;
        own.borrows_ = true;
        own.crew_.take_threads(crew_);
        return own(a...);
    }

    static constexpr auto refusal() {
        if constexpr (W == wanted::both) return value_and_gradient<refused, refused>{};
        else return refused{};
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
        auto const with = [&]<class P>(std::type_identity<P>) {
            if constexpr (P::is_few) return call_at_once<P>(a...);
            else return call_program<P>(a...);
        };
        return with_program(with, a...);
    }
    template <class P, class... A>
    [[gnu::noinline]] TAPELESS_CONFIG_FLAT auto call_at_once(A const&... a) { return call_program<P>(a...); }
    // What is returned is made where it is returned: g++ 12 knows that of what is declared in no inner scope.
    template <class P, class... A>
    auto call_program(A const&... a)
        requires(W != wanted::both)
    {
        handover<P> h;
        take_arguments(h, a...);
        auto result = new_results<F, W, I...>::template make<P>(h, a...);
        take_target(h, result), run(h);
        if constexpr (W == wanted::value && forms_its_result<F>) return F::form(std::move(result));
        else return result;
    }
    template <class P, class... A>
    auto call_program(A const&... a)
        requires(W == wanted::both)
    {
        using results = new_results<F, W, I...>;
        handover<P> h;
        take_arguments(h, a...);
        value_and_gradient<decltype(results::template make_value<P>(h, a...)), decltype(results::make_gradients(a...))>
            both{results::template make_value<P>(h, a...), results::make_gradients(a...)};
        take_target(h, both.value), take_target(h, both.grad), run(h);
        return both;
    }

    /// Whether the first of several parts of the value is returned: there is no target for it.
    template <class... T, class... A>
    static constexpr bool returns_first(argument_list<T...>, argument_list<A...>) {
        if constexpr (!forms_its_result<F> || W != wanted::value) return false;
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

    /// Why targets are not such as what is written there.
    template <class... T, class... A>
    static constexpr auto why_no_targets(argument_list<T...> t, argument_list<A...> arguments) {
        if constexpr (W != wanted::value) {
            if constexpr (sizeof...(T) != sizeof...(I))
                return because<into_targets_do_not_match<argument_list<T...>, gradient<I>...>>{};
            else return tapeless::first_among(why_not_written<T, typename nth_type<I, A...>::type>()...);
        } else {
            using R = typename result_arrays<F, A...>::type;
            if constexpr (returns_first(t, arguments))
                return why_no_values<std::tuple<T...>, decltype(without_first(std::declval<R>()))>();
            else return why_no_values<std::tuple<T...>, R>();
        }
    }

    template <class... T, class... A>
    auto call_into(into_t<T...> const& targets, A const&... a) {
        using types = argument_list<std::remove_cvref_t<T>...>;
        if constexpr (!accepts(allowed::template why_not_called<A...>())) return refused{};
        else if constexpr (!accepts(why_no_targets(types{}, argument_list<A...>{}))) return refused{};
        else if constexpr (!traced_source<source_for<targets_into<types, A...>, A...>>) return refused{};
        else {
            if constexpr (looks_at_strides<A..., std::remove_cvref_t<T>...>()) {
                if ((is_contiguous(a) && ...) &&
                    detail::with_parts([](auto const&... t) { return (is_contiguous(t) && ...); }, targets.targets))
                    return write<layout::whole>(targets, a...);
                if constexpr ((may_lie_by_columns<A>() || ...))
                    if ((lies_so(a) && ...)) return write<layout::columns>(targets, a...);
            }
            return write<layout::any>(targets, a...);
        }
    }

    /// What would be written is added to the targets: they are arguments as well.
    template <class... T, class... A>
    auto call_adding(add_into_t<T...> const& to, A const&... a) {
        if constexpr (!accepts(allowed::template why_not_called<A...>())) return refused{};
        else if constexpr (!accepts(why_no_targets(argument_list<std::remove_cvref_t<T>...>{}, argument_list<A...>{})))
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
                lend(transformed& f, decltype(sum)& t) : from(f), to(t) { exchange(), t.borrows_ = f.borrows_; }
                ~lend() { exchange(); }
            } const loan(*this, sum);
            return detail::with_parts([&](auto const&... t) { return sum(into_t<T...>(to.targets), a..., t...); },
                                      to.targets);
        }
    }

    template <layout L, class... T, class... A>
    auto write(into_t<T...> const& targets, A const&... a) {
        using P = chosen_program<L, targets_into<argument_list<std::remove_cvref_t<T>...>, A...>, A...>;
        if constexpr (P::is_few) return write_at_once<P>(targets, a...);
        else return write_into<P>(targets, a...);
    }
    template <class P, class... T, class... A>
    [[gnu::noinline]] TAPELESS_CONFIG_FLAT auto write_at_once(into_t<T...> const& targets, A const&... a) {
        return write_into<P>(targets, a...);
    }

    /// The results themselves written to the targets. Where they have several parts, the first may be left out: it is
    /// returned.
    template <class P, class... T, class... A>
    auto write_into(into_t<T...> const& targets, A const&... a)
        requires(W == wanted::value)
    {
        using types = argument_list<std::remove_cvref_t<T>...>;
        using array = std::tuple<std::remove_cvref_t<T>...>;
        using R = typename result_arrays<F, A...>::type;
        handover<P> h;
        take_arguments(h, a...);
        if constexpr (returns_first(types{}, argument_list<A...>{})) {
            using first = std::tuple_element_t<0, R>;
            int output = 0;
            first value = new_results<F, W, I...>::template make_part<0, P>(h, output, std::tie(a...));
            take_target(h, value);
            if constexpr (!same_lengths<array, decltype(without_first(std::declval<R>()))>())
                check_values(h, targets, output);
            take_targets(h, targets);
            run<leaves_in<first>()>(h);
            return value;
        } else {
            if constexpr (!same_lengths<array, R>()) check_values(h, targets, 0);
            take_targets(h, targets);
            run<0>(h);
        }
    }

    template <class P, class... T, class... A>
    auto write_into(into_t<T...> const& targets, A const&... a)
        requires(W != wanted::value)
    {
        handover<P> h;
        take_arguments(h, a...);
        [[maybe_unused]] auto value = new_results<F, W, I...>::template make_value<P>(h, a...);
        if constexpr (W != wanted::gradients) take_target(h, value);
        check_gradients<argument_list<A...>, I...>(h, targets);
        take_targets(h, targets);
        run<P::graph_size.outputs - leaves_in<std::tuple<std::remove_cvref_t<T>...>>()>(h);
        if constexpr (W != wanted::gradients) return value;
    }

    /// Runs the program. Results from number First on, if there is such a number, are targets.
    template <int First = -1, class P>
    void run(handover<P>& h) {
        constexpr lent needed = !P::needs_nothing() ? lent::all : First >= 0 ? lent::spare : lent::nothing;
        borrowed_workspace const room(borrows_ ? needed : lent::nothing, memory_, spare_, crew_.memory);
        std::int64_t const* const extents = P::graph_size.extents > 0 ? h.extent : nullptr;
        auto const strides = P::has_strided ? h.stride : nullptr;
        if constexpr (First >= 0) run_over<P, First>(memory_, crew_, spare_, h.argument, h.output, extents, strides);
        else P::run(memory_, crew_, h.argument, h.output, extents, strides);
    }
};

}  // namespace detail::transform_part
}  // namespace tapeless
