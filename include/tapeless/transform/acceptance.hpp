// SPDX-License-Identifier: MIT
#pragma once
// What a function can be differentiated by, and what it can be called with: everything else is refused here.

#include <tapeless/base/refused.hpp>
#include <tapeless/transform/result_arrays.hpp>
#include <tapeless/transform/nested.hpp>

namespace tapeless::detail {

template <class F, wanted W, int... I>
struct acceptance {
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
                return is_a_scalar<F, E>();
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
};

}  // namespace tapeless::detail
