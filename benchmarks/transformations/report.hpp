// SPDX-License-Identifier: MIT
#pragma once
// What derivatives of a function cost, as multiples of one evaluation.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cstdio>
#include <tuple>

#include "support/measure.hpp"
#include "support/numbers.hpp"

namespace ad = tapeless;

/// One line of the table and, where asked for, the plans.
struct options {
    char const* only = "";
    bool explained = false;
};
bool is_wanted(options const& o, char const* name);
void least_squares(options const& o);
void log_sum_exp(options const& o);
void perceptron(options const& o);
void recurrent(options const& o);
void checkpoint(options const& o);

inline void print_multiple(double x) {
    if (x > 0) std::printf(" %9.2f", x);
    else std::printf(" %9s", "-");
}
template <class... A>
void fill_all(A&... a) {
    (fill(a, -0.1, 0.1), ...);
}

/// A function and what it is called with.
template <class F, class... A>
struct call {
    F f;
    std::tuple<A const&...> arguments;
    call(F function, A const&... a) : f(function), arguments(a...) {}
};

/// f(arguments...), as something to be timed.
template <class Arguments, class F>
auto timed(Arguments const& arguments, F const& f) {
    return [&arguments, &f] { return std::apply(f, arguments), 0; };
}

/// Nanoseconds of a Hessian and of a Jacobian by the first arguments of two functions.
template <class H, class J>
std::array<double, 2> whole_matrices(options const& o, H const& curved, J const& array) {
    auto hessian = ad::hessian<0>(curved.f);
    auto jacobian = ad::jacobian<0>(array.f);
    auto h = std::apply([&](auto const&... a) { return hessian(a...); }, curved.arguments);
    auto j = std::apply([&](auto const&... a) { return jacobian(a...); }, array.arguments);
    if (o.explained) {
        std::apply([&](auto const&... a) { std::printf("\nHessian\n%s", ad::explain(hessian, a...).c_str()); },
                   curved.arguments);
        std::apply([&](auto const&... a) { std::printf("\nJacobian\n%s\n", ad::explain(jacobian, a...).c_str()); },
                   array.arguments);
    }
    auto const all_of_h = [&](auto const&... a) { hessian(ad::into(h), a...); };
    auto const all_of_j = [&](auto const&... a) { jacobian(ad::into(j), a...); };
    return shortest_turn_of_each(timed(curved.arguments, all_of_h), timed(array.arguments, all_of_j));
}

/// One line: f is the loss, r an array before it, both of the parameters p (their first argument) and of data. v is
/// like p, c like the array. Whole matrices of derivatives are those of two more functions, by their first arguments;
/// none where these are not given.
template <class F, class R, class P, class C, class... Whole>
void report(options const& o, char const* name, F const& f, R const& r, P const& p, P const& v, C const& c,
            Whole const&... whole) {
    if (!is_wanted(o, name)) return;
    auto value = ad::fused(f.f);
    auto gradient = ad::value_and_grad<0>(f.f);
    auto along = ad::jvp<0>(f.f);
    auto product = ad::hvp<0>(f.f);
    auto values = ad::fused(r.f);
    auto back = ad::vjp<0>(r.f);
    P g = p;
    C out = c;
    auto tangent = std::apply([&](auto const&... d) { return value(p, d...); }, f.arguments);
    auto const evaluate = [&](auto const&... d) { tangent = value(p, d...); };
    auto const differentiate = [&](auto const&... d) { tangent = gradient(ad::into(g), p, d...); };
    auto const push = [&](auto const&... d) { along(ad::into(tangent), p, d..., v); };
    auto const multiply = [&](auto const&... d) { product(ad::into(g), p, d..., v); };
    auto const evaluate_array = [&](auto const&... d) { values(ad::into(out), p, d...); };
    auto const pull = [&](auto const&... d) { back(ad::into(out, g), p, d..., c); };
    auto const ns = shortest_turn_of_each(timed(f.arguments, evaluate), timed(f.arguments, differentiate),
                                          timed(f.arguments, push), timed(f.arguments, multiply),
                                          timed(r.arguments, evaluate_array), timed(r.arguments, pull));
    std::array<double, 2> matrices{};
    if constexpr (sizeof...(Whole) == 2) matrices = whole_matrices(o, whole...);
    std::printf("%-34s %9.2f %9.2f %7.2f %7.2f", name, ns[0] / 1000, ns[1] / ns[0], ns[2] / ns[0], ns[3] / ns[0]);
    print_multiple(matrices[0] / ns[0]);
    std::printf(" %9.2f %7.2f", ns[4] / 1000, ns[5] / ns[4]);
    print_multiple(matrices[1] / ns[4]);
    std::printf("\n");
    std::fflush(stdout);
    if (o.explained)
        std::apply(
            [&](auto const&... d) {
                std::printf("\nvalue\n%s\ngradient\n%s\n", ad::explain(value, p, d...).c_str(),
                            ad::explain(gradient, p, d...).c_str());
                std::printf("\njvp\n%s\nhvp\n%s\n", ad::explain(along, p, d..., v).c_str(),
                            ad::explain(product, p, d..., v).c_str());
            },
            f.arguments);
}
