// SPDX-License-Identifier: MIT
#pragma once
// Functions with any number of arguments and options behind them: f(x, a, b), f(x, a, b, {.tolerance = 1e-6}).

#include <concepts>
#include <cstddef>
#include <tuple>
#include <utility>

#include <tapeless/base/refuse.hpp>
#include <tapeless/base/refused.hpp>
#include <tapeless/transform/bodies.hpp>

namespace tapeless {

/// Refuses options of a call on arrays, whose program is made before run time gives them.
template <class Options, class... Arguments>
struct options_are_constants_of_a_function {
    static_assert(never<Options>, "options are constants of a program: call it inside a function, "
                                        "ad::evaluate([](auto x) { return ad::root(f, x, {.tolerance = 1e-6}); }, x)");
};

namespace detail::inline transform_part {

/// Derived::call(options, x...) as a function of x..., and perhaps options. In braces they come after at most seven
/// others.
template <class Derived, class Options>
struct options_last {
    template <class... X>
    constexpr auto operator()(X const&... x) const {
        return delivered(found(x...));
    }
    /// The same, undelivered.
    template <class F, class... X>
    static constexpr auto found(F const& f, X const&... x) {
        if constexpr (is_value<F>)
            return tapeless::instead_of(because<functions_come_first<F>>{}, some_expression(f, x...));
        else if constexpr ((std::same_as<X, Options> || ...))
            return split(std::tie(f, x...), std::make_index_sequence<sizeof...(X)>{});
        else return Derived::call(Options{}, f, x...);
    }
    template <class A, class B>
    constexpr auto operator()(A const& a, B const& b, Options const& o) const {
        return delivered(with(o, a, b));
    }
    template <class A, class B, class C>
    constexpr auto operator()(A const& a, B const& b, C const& c, Options const& o) const {
        return delivered(with(o, a, b, c));
    }
    template <class A, class B, class C, class D>
    constexpr auto operator()(A const& a, B const& b, C const& c, D const& d, Options const& o) const {
        return delivered(with(o, a, b, c, d));
    }
    template <class A, class B, class C, class D, class E>
    constexpr auto operator()(A const& a, B const& b, C const& c, D const& d, E const& e, Options const& o) const {
        return delivered(with(o, a, b, c, d, e));
    }
    template <class A, class B, class C, class D, class E, class F>
    constexpr auto operator()(A const& a, B const& b, C const& c, D const& d, E const& e, F const& f,
                              Options const& o) const {
        return delivered(with(o, a, b, c, d, e, f));
    }
    template <class A, class B, class C, class D, class E, class F, class G>
    constexpr auto operator()(A const& a, B const& b, C const& c, D const& d, E const& e, F const& f, G const& g,
                              Options const& o) const {
        return delivered(with(o, a, b, c, d, e, f, g));
    }

private:
    template <class F, class... X>
    static constexpr auto with(Options const& o, F const& f, X const&... x) {
        if constexpr (!(holds_expressions<X>() || ...))
            return tapeless::instead_of(because<options_are_constants_of_a_function<Options, X...>>{}, refused{});
        else return Derived::call(o, f, x...);
    }
    template <class All, std::size_t... K>
    static constexpr auto split(All const& all, std::index_sequence<K...>) {
        static_assert(std::same_as<std::remove_cvref_t<std::tuple_element_t<sizeof...(K), All>>, Options>,
                      "options come last");
        return with(std::get<sizeof...(K)>(all), std::get<K>(all)...);
    }
};

}  // namespace detail::transform_part
}  // namespace tapeless
