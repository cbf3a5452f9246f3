// SPDX-License-Identifier: MIT
#pragma once
// check_gradient: gradients beside central differences, for a user's own functions and operations.

#include <tapeless/transform/differences.hpp>
#include <tapeless/transform/grad.hpp>

namespace tapeless {
namespace detail::inline transform_part {

/// All elements of a tree's arrays in order, as double.
template <class A>
list<double> flat_elements(A const& a) {
    list<double> r;
    each_leaf(a, [&](auto const& l) {
        for_each_element(l, [&](auto const& x, std::size_t) { r.push(static_cast<double>(x)); });
    });
    return r;
}

/// f(x, y) for the arrays of two trees alike, side by side.
template <class X, class Y, class Fn>
void each_leaf_beside(X& x, Y const& y, Fn&& f) {
    if constexpr (leaf<X>) {
        f(x, y);
    } else if constexpr (is_array<X>) {
        for (std::size_t i = 0; i < x.size(); ++i) each_leaf_beside(x[i], y[i], f);
    } else {
        auto const parts = [](auto& t) {
            if constexpr (is_tuple<std::remove_cvref_t<decltype(t)>>)
                return detail::with_parts([](auto&... e) { return std::tie(e...); }, t);
            else return members_of(t);
        };
        auto const a = parts(x);
        auto const b = parts(y);
        [&]<std::size_t... N>(std::index_sequence<N...>) {
            (each_leaf_beside(std::get<N>(a), std::get<N>(b), f), ...);
        }(std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(a)>>>{});
    }
}

/// The results of value_and_grad beside those of evaluate. Sums may be taken in another order.
template <class V, class W>
void compare_values(gradient_report& report, V const& value, W const& evaluated, double magnitude) {
    list<double> const a = flat_elements(value), b = flat_elements(evaluated);
    report.value = a[0];
    report.evaluated = b[0];
    int next = 0, array = 0;
    each_leaf(value, [&](auto const& l) {
        using T = typename leaf_traits<std::remove_cvref_t<decltype(l)>>::value_type;
        double const epsilon = std::is_same_v<T, bfloat16> ? 0x1p-7 : short_float<T> ? 0x1p-10 : 1024 * epsilon_of<T>();
        int const first = next;
        double largest = array == 0 ? magnitude : 0;
        for_each_element(l, [&](auto const&, std::size_t) {
            double const x = std::abs(a[next++]);
            if (x > largest && x <= std::numeric_limits<double>::max()) largest = x;
        });
        for (int i = first; i < next && report.value_agrees; ++i) {
            bool const same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
            if (same || (!std::integral<T> && std::abs(a[i] - b[i]) <= epsilon * largest)) continue;
            report.value_agrees = report.passed = false;
            report.value_array = array;
            report.value_element = static_cast<std::size_t>(i - first);
            report.value = a[i];
            report.evaluated = b[i];
        }
        ++array;
    });
}

/// Fills the report, given value and gradients at args.
template <int... I, class F, class Args, class Result>
void compare_with_differences(gradient_report& report, F const& f, gradient_tolerance tolerance, Args const& args,
                              Result const& result) {
    auto const gradients = [&] {
        if constexpr (sizeof...(I) == 1) return std::tie(result.grad);
        else return detail::with_parts([](auto const&... g) { return std::tie(g...); }, result.grad);
    }();
    auto const flat = detail::with_parts([](auto const&... g) { return std::array{flat_elements(g)...}; }, gradients);
    auto const points = std::array{flat_elements(std::get<static_cast<std::size_t>(I)>(args))...};
    // how large the terms are that the value is the sum of, and the largest of all gradients
    double magnitude = std::abs(static_cast<double>(first_of_all(result.value))), terms = 0, largest = 0;
    std::int64_t everything = 0;
    for (std::size_t k = 0; k < sizeof...(I); ++k)
        for (int i = 0; i < flat[k].size(); ++i) {
            terms += std::abs(flat[k][i] * points[k][i]);
            if (std::abs(flat[k][i]) > largest) largest = std::abs(flat[k][i]);
        }
    if (terms > magnitude) magnitude = terms;
    detail::with_parts(
        [&](auto const&... x) {
            (each_leaf(x, [&](auto const& l) { for_each_element(l, [&](auto const&, std::size_t) { ++everything; }); }),
             ...);
            compare_values(report, result.value, fused(f)(x...), magnitude);
        },
        args);

    constexpr bool in_double = []<class... X>(std::type_identity<std::tuple<X...>>) {
        return takes_double<plain_function<F>, X...>();
    }(std::type_identity<Args>{});
    constexpr bool in_float = []<class... X>(std::type_identity<std::tuple<X...>>) {
        return !in_double && computes_in_float<plain_function<F>, X...>();
    }(std::type_identity<Args>{});
    auto moved = detail::with_parts([](auto const&... x) { return std::make_tuple(own_copy<in_double>(x)...); }, args);
    auto function = fused(f);
    auto const value = [&] {
        auto const values = detail::with_parts([&](auto const&... x) { return function(x...); }, moved);
        return static_cast<double>(first_of_all(values));
    };
    std::int64_t const most = (std::int64_t{1} << 21) / (everything > 0 ? everything : 1);
    auto one_argument = [&]<int Argument>(auto const& gradient) {
        int array = 0;
        each_leaf_beside(std::get<static_cast<std::size_t>(Argument)>(moved), gradient, [&](auto& x, auto const& g) {
            using T = typename leaf_traits<std::remove_cvref_t<decltype(g)>>::value_type;
            array_check<T, typename leaf_traits<std::remove_cvref_t<decltype(x)>>::value_type, in_float,
                        decltype(value)>
                check(report, tolerance, leaf_traits<std::remove_cvref_t<decltype(x)>>::data(x), flat_elements(g),
                      Argument, array++, magnitude, largest, value);
            check.compare_all(most > 8 ? most : 8);
        });
    };
    [&]<std::size_t... N>(std::index_sequence<N...>) {
        (one_argument.template operator()<I>(std::get<N>(gradients)), ...);
    }(std::make_index_sequence<sizeof...(I)>{});
}
}  // namespace detail::transform_part

/// Compares value_and_grad<I...>(f) at args (by default the gradient by argument 0) with central differences, and its
/// value with evaluate's. f returns a scalar; of several results the first is differentiated, and all values are
/// compared.
///
/// Differences are taken with steps h and h/2, and extrapolated. A function of float, half or bfloat16 is differenced
/// in double, where it can be: where its call is a template and it converts nothing to float itself (cast<float>,
/// indices or masks as numbers). An error is small or large beside the largest gradient of the array it is in,
/// however small that is; besides, only as much is allowed as rounding and the length of the step explain.
///
/// Elements are compared one by one. Of large arrays, where that would take more than some two million steps, it is
/// done to as many as fit, but at least 8, here and there in the array; and all its elements are moved at once, along
/// the gradient, all alike, and by random signs, three times. Nothing is random from call to call.
template <int... I, class F, class... A>
gradient_report check_gradient(F const& f, gradient_tolerance tolerance, A const&... a) {
    if constexpr (sizeof...(I) == 0) {
        return check_gradient<0>(f, tolerance, a...);
    } else if constexpr (!detail::takes<detail::plain_function<F>, A...>) {
        return (void)value_and_grad<I...>(f)(a...), gradient_report{};  // which says why
    } else if constexpr (!accepts(detail::acceptance<detail::plain_function<F>, detail::wanted::both,
                                                     I...>::template why_not<A...>())) {
        return {};
    } else {
        using namespace detail;
        gradient_report report;
        auto const args = std::make_tuple(own_copy<false>(a)...);
        auto const result = detail::with_parts([&](auto const&... x) { return value_and_grad<I...>(f)(x...); }, args);
        if constexpr (requires { result.grad; })  // and was not refused
            compare_with_differences<I...>(report, f, tolerance, args, result);
        return report;
    }
}
template <int... I, class F, class... A>
gradient_report check_gradient(F const& f, A const&... a) {
    if constexpr (sizeof...(I) == 0) return check_gradient<0>(f, gradient_tolerance{}, a...);
    else return check_gradient<I...>(f, gradient_tolerance{}, a...);
}

}  // namespace tapeless
