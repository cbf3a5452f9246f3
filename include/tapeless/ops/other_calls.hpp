// SPDX-License-Identifier: MIT
#pragma once
// Functions as other libraries call them: refused, with how they are called here.

#include <concepts>

#include <tapeless/ir/expression.hpp>

namespace tapeless {

/// Refuses log(x, 2.0), round(x, 2) and the like.
template <class A, class... More>
struct function_of_one_array_is_called_with_more {
    static_assert(
        never<A>,
        "this function is of one array: log(x, b) is log(x) times a number (or log2, log10), a power pow(x, p), "
        "rounding to a hundredth round(100.0 * x) / 100.0, a slope leaky_relu(x, slope)");
};
/// Refuses softmax(x, 1), reshape(x, 4, 3), concat(x, y) and the like.
template <class A>
struct axes_and_sizes_stand_in_angle_brackets {
    static_assert(never<A>,
                  "axes and sizes are known when compiled, and stand in angle brackets: softmax<1>(x), "
                  "reshape<4, 3>(x), swap_axes<0, 1>(x), slice<axis, start, stop>(x), concat<axis>(x, y)");
};
/// Refuses narrow<0>(x, 0, 2).
template <class A>
struct narrow_has_all_its_numbers_in_angle_brackets {
    static_assert(never<A>,
                  "narrow<axis, start, length>(x): the numbers stand in angle brackets, known when compiled; of bounds "
                  "that only run time knows slice<axis>(x, start, stop)");
};
/// Refuses conv2d<2>(x, w), max_pool2d<2, 2>(x).
template <class X>
struct options_stand_in_braces {
    static_assert(never<X>,
                  "what a convolution or a pool does is said by name: conv2d<ad::conv{.stride = 2, .padding = 1}>(x, "
                  "w), max_pool2d<ad::pool{.size = 2}>(x)");
};

template <expression A, class B, class... More>
constexpr auto exp(A const& a, B const&, More const&...) {
    return refuse(because<function_of_one_array_is_called_with_more<A, B, More...>>{}), a;
}
template <expression A, class B, class... More>
constexpr auto log(A const& a, B const&, More const&...) {
    return refuse(because<function_of_one_array_is_called_with_more<A, B, More...>>{}), a;
}
template <expression A, class B, class... More>
constexpr auto sqrt(A const& a, B const&, More const&...) {
    return refuse(because<function_of_one_array_is_called_with_more<A, B, More...>>{}), a;
}
template <expression A, class B, class... More>
constexpr auto abs(A const& a, B const&, More const&...) {
    return refuse(because<function_of_one_array_is_called_with_more<A, B, More...>>{}), a;
}
template <expression A, class B, class... More>
constexpr auto relu(A const& a, B const&, More const&...) {
    return refuse(because<function_of_one_array_is_called_with_more<A, B, More...>>{}), a;
}
template <expression A, class B, class... More>
constexpr auto round(A const& a, B const&, More const&...) {
    return refuse(because<function_of_one_array_is_called_with_more<A, B, More...>>{}), a;
}

template <expression A, std::integral... I>
constexpr auto softmax(A const& a, int, I...) {
    return refuse(because<axes_and_sizes_stand_in_angle_brackets<A>>{}), a;
}
template <expression A, std::integral... I>
constexpr auto reshape(A const& a, int, I...) {
    return refuse(because<axes_and_sizes_stand_in_angle_brackets<A>>{}), a;
}
template <expression A, std::integral... I>
constexpr auto squeeze(A const& a, int, I...) {
    return refuse(because<axes_and_sizes_stand_in_angle_brackets<A>>{}), a;
}
template <expression A, std::integral... I>
constexpr auto unsqueeze(A const& a, int, I...) {
    return refuse(because<axes_and_sizes_stand_in_angle_brackets<A>>{}), a;
}
template <expression A, std::integral... I>
constexpr auto permute(A const& a, int, I...) {
    return refuse(because<axes_and_sizes_stand_in_angle_brackets<A>>{}), a;
}
template <expression A, std::integral... I>
constexpr auto transpose(A const& a, int, I...) {
    return refuse(because<axes_and_sizes_stand_in_angle_brackets<A>>{}), a;
}
template <expression A, std::integral... I>
constexpr auto slice(A const& a, int, I...) {
    return refuse(because<axes_and_sizes_stand_in_angle_brackets<A>>{}), a;
}
template <int... Numbers, expression A, class B, class... More>
constexpr auto narrow(A const& a, B const&, More const&...) {
    return refuse(because<narrow_has_all_its_numbers_in_angle_brackets<A>>{}), a;
}
template <expression A, expression... More>
constexpr auto concat(A const& a, More const&...) {
    return refuse(because<axes_and_sizes_stand_in_angle_brackets<A>>{}), a;
}

template <int, int..., expression X, expression... W>
constexpr auto conv1d(X const& x, W const&...) {
    return refuse(because<options_stand_in_braces<X>>{}), x;
}
template <int, int..., expression X, expression... W>
constexpr auto conv2d(X const& x, W const&...) {
    return refuse(because<options_stand_in_braces<X>>{}), x;
}
template <int, int..., expression X, expression... W>
constexpr auto max_pool1d(X const& x, W const&...) {
    return refuse(because<options_stand_in_braces<X>>{}), x;
}
template <int, int..., expression X, expression... W>
constexpr auto max_pool2d(X const& x, W const&...) {
    return refuse(because<options_stand_in_braces<X>>{}), x;
}
template <int, int..., expression X, expression... W>
constexpr auto avg_pool2d(X const& x, W const&...) {
    return refuse(because<options_stand_in_braces<X>>{}), x;
}

}  // namespace tapeless
