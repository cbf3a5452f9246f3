// SPDX-License-Identifier: MIT
#pragma once
// What a function can be differentiated by, and what it can be called with: everything else is refused here.

#include <tapeless/base/refused.hpp>
#include <tapeless/transform/result_arrays.hpp>
#include <tapeless/transform/nested.hpp>

namespace tapeless::detail::inline transform_part {

template <class F, wanted W, int... I>
struct acceptance {
    /// Why there is no gradient by argument K.
    template <int K, class... A>
    static constexpr auto why_not_by() {
        constexpr int n = static_cast<int>(sizeof...(A));
        if constexpr (K >= n) return because<no_such_argument<F, K, n>>{};
        else return because<unless<argument_list<A...>::is_differentiable(K), gradient_of_an_integer_argument<F, K>>>{};
    }
    /// Why F of these arguments cannot be differentiated, in the words of the error's name.
    template <class... A>
    static constexpr auto why_not() {
        constexpr auto first = tapeless::first_among(why_not_by<I, A...>()...);
        if constexpr (!is_reason<decltype(first)>) {
            using E = traced_result<F, A...>;
            if constexpr (!is_result<E>()) return because<result_is_no_expression<F, E>>{};
            else if constexpr (W != wanted::value) return why_no_scalar<F, E>();
            else return because<no_reason>{};
        } else {
            return first;
        }
    }
    /// Why F cannot be called with these arguments.
    template <class... A>
    static constexpr auto why_not_called() {
        constexpr auto first = tapeless::first_among(why_no_argument<A>()...);
        if constexpr (!is_stateless<F>()) return because<void>{};  // which has been reported
        else if constexpr (is_reason<decltype(first)>) return first;
#if defined(__clang__)  // as in a call
        else if constexpr (std::same_as<decltype(all_overloads<F>{}(std::declval<mirror_t<A>&>()...)), no_overload>)
#else
        else if constexpr (requires {
                               { all_overloads<F>{}(std::declval<mirror_t<A>&>()...) } -> std::same_as<no_overload>;
                           })
#endif
            return because<function_does_not_take_these_arguments<static_cast<int>(sizeof...(A)), F, A...>>{};
        else if constexpr (!takes<F, A...>) return because<void>{};  // which has been reported
        else if constexpr (constexpr auto why = why_not<A...>(); is_reason<decltype(why)>) return why;
        else if constexpr (!called_while_compiling<F, A...>)
            return because<function_cannot_be_called_while_compiling<F, A...>>{};
        else return because<no_reason>{};
    }
};

}  // namespace tapeless::detail::transform_part
