// SPDX-License-Identifier: MIT
#pragma once
// check_gradient: gradients beside central differences, for a user's own functions and operations.

#include <cmath>
#include <limits>

#include <tapeless/transform/grad.hpp>

namespace tapeless {

/// What check_gradient found.
struct gradient_report {
    bool passed = true;
    double max_absolute_error = 0;
    double max_relative_error = 0;  ///< |gradient - difference| over the larger of the two, or over 1 where both are small
    int worst_argument = -1;        ///< where that is: which argument,
    int worst_array = 0;            ///< which array of its tree,
    std::size_t worst_element = 0;  ///< which element, in row-major order,
    double worst_gradient = 0;      ///< what the gradient says
    double worst_difference = 0;    ///< and what the central difference says
    std::size_t checked = 0;        ///< elements compared
    explicit operator bool() const { return passed; }
};

/// How close gradient and central difference have to be; by default the step and the tolerance suit the element type.
struct gradient_tolerance {
    double step = 0;      ///< of the difference, relative to max(1, |x|): the cube root of the type's epsilon
    double relative = 0;  ///< allowed error: the two-thirds power of epsilon, with room for the function's own rounding
};

namespace detail {

template <class T>
constexpr double default_step() {
    // what is stored in 16 bits moves by some of its own steps; the function is computed in float
    if constexpr (storage_only<T>) return std::is_same_v<T, half> ? 0x1p-5 : 0x1p-4;
    else return std::is_same_v<T, float> ? 5e-3 : 6e-6;
}
template <class T>
constexpr double default_relative() {
    return std::is_same_v<T, double> ? 1e-6 : 2e-2;
}

/// f(element) for every element of an array, through its strides.
template <class L, class Fn>
void for_each_element(L& l, Fn&& fn) {
    using traits = leaf_traits<std::remove_cvref_t<L>>;
    auto* data = traits::data(l);
    auto const e = traits::extents(l);
    std::size_t n = 1;
    for (auto x : e) n *= static_cast<std::size_t>(x);
    for (std::size_t i = 0; i < n; ++i) {
        std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i);
        if constexpr (!traits::is_dense) {
            auto const s = traits::strides(l);
            std::size_t rest = i;
            at = 0;
            for (std::size_t k = e.size(); k-- > 0;) {
                at += static_cast<std::ptrdiff_t>(rest % static_cast<std::size_t>(e[k])) * s[k];
                rest /= static_cast<std::size_t>(e[k]);
            }
        }
        fn(data[at], i);
    }
}

/// A copy that may be changed: views and spans get memory of their own.
template <class A>
auto changeable_copy(A const& a) {
    if constexpr (leaf<A>) {
        auto c = leaf_traits<A>::make(leaf_traits<A>::extents(a));
        auto* to = leaf_traits<std::remove_cvref_t<decltype(c)>>::data(c);
        for_each_element(a, [&](auto const& x, std::size_t i) { to[i] = x; });
        return c;
    } else {
        return a;
    }
}
}  // namespace detail

/// Compares grad<I...>(f) at args with central differences, element by element. f returns a scalar (of
/// several results the first counts).
template <int... I, class F, class... A>
gradient_report check_gradient(F const& f, gradient_tolerance tolerance, A const&... a) {
    gradient_report report;
    auto args = std::make_tuple(detail::changeable_copy(a)...);
    auto value = fused(f);
    auto const gradients = std::apply([&](auto const&... x) { return std::make_tuple(grad<I>(f)(x...)...); }, args);
    auto one_argument = [&]<int Argument>(auto const& gradient) {
        int array = 0;
        auto& argument = std::get<static_cast<std::size_t>(Argument)>(args);
        detail::list<double> flat;  // the gradient's elements in the order of the argument's
        detail::for_each_leaf(gradient, [&](auto const& g) {
            detail::for_each_element(g, [&](auto const& x, std::size_t) { flat.push(static_cast<double>(x)); });
        });
        int next = 0;
        detail::for_each_leaf(argument, [&](auto& l) {
            detail::for_each_element(l, [&](auto& x, std::size_t i) {
                using T = std::remove_cvref_t<decltype(x)>;
                double const scale = std::abs(double(x)) > 1 ? std::abs(double(x)) : 1;
                T const h = static_cast<T>((tolerance.step > 0 ? tolerance.step : detail::default_step<T>()) * scale);
                T const old = x, up = old + h, down = old - h;
                auto at = [&](T moved) {
                    x = moved;
                    auto const values = std::apply([&](auto const&... y) { return value(y...); }, args);
                    return static_cast<double>(detail::first_of_all(values));
                };
                double const difference = (at(up) - at(down)) / (static_cast<double>(up) - static_cast<double>(down));
                x = old;
                double const g = flat[next++];
                double const absolute = std::abs(g - difference);
                double const size = std::abs(g) > std::abs(difference) ? std::abs(g) : std::abs(difference);
                double const relative = absolute / (size > 1 ? size : 1);
                bool const good = relative <= (tolerance.relative > 0 ? tolerance.relative : detail::default_relative<T>());
                if (!(absolute <= report.max_absolute_error)) report.max_absolute_error = absolute;
                if (!(relative <= report.max_relative_error) || report.worst_argument < 0) {
                    report.max_relative_error = relative;
                    report.worst_argument = Argument;
                    report.worst_array = array;
                    report.worst_element = i;
                    report.worst_gradient = g;
                    report.worst_difference = difference;
                }
                report.passed = report.passed && good;
                ++report.checked;
            });
            ++array;
        });
    };
    [&]<std::size_t... N>(std::index_sequence<N...>) {
        (one_argument.template operator()<I>(std::get<N>(gradients)), ...);
    }(std::make_index_sequence<sizeof...(I)>{});
    return report;
}
template <int... I, class F, class... A>
gradient_report check_gradient(F const& f, A const&... a) {
    return check_gradient<I...>(f, gradient_tolerance{}, a...);
}

}  // namespace tapeless
