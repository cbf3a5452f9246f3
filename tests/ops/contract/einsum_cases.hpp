// SPDX-License-Identifier: MIT
#pragma once
// Runs einsum beside the reference and beside plain loops. An equation is compiled for run-time extents of the ranks
// named.

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ops/reference_cases.hpp"

namespace reference {

template <int Rank, int... E>
struct run_time_shape : run_time_shape<Rank - 1, E..., run> {};
template <int... E>
struct run_time_shape<0, E...> {
    using type = shape_pattern<E...>;
};
template <int Rank>
using of_rank = typename run_time_shape<Rank>::type;

/// Its gradient by the weights is the output.
template <ad::fixed_string Equation>
inline constexpr auto weighted_einsum = [](auto cot, auto... x) { return sum(einsum<Equation>(x...) * cot); };

/// One case of the reference; false where it has another equation.
template <class T, ad::fixed_string Equation, int Out, int... In>
bool run_einsum_as(test_case const& c) {
    if (c.word("equation") != Equation.view()) return false;
    [&]<int... I>(std::integer_sequence<int, I...>) {
        auto const r = ad::grad<0, (I + 1)...>(weighted_einsum<Equation>)(
            of_rank<Out>::template make<T>(c.cot()), of_rank<In>::template make<T>(c.in("x" + std::to_string(I)))...);
        CHECK(check_close(c.out(), std::get<0>(r), c, "out") == "");
        auto one = [&](std::string const& name, auto const& gradient) {
            if (c.has("in", name)) CHECK(check_close(c.grad(name), gradient, c, "grad " + name) == "");
        };
        (one("x" + std::to_string(I), std::get<I + 1>(r)), ...);
    }(std::make_integer_sequence<int, static_cast<int>(sizeof...(In))>{});
    return true;
}

/// An array that plain loops can use.
struct plain {
    std::vector<std::int64_t> shape;
    std::vector<double> values;
    plain(std::vector<std::int64_t> s, double phase) : shape(std::move(s)) {
        std::int64_t n = 1;
        for (auto e : shape) n *= e;
        for (std::int64_t i = 0; i < n; ++i) values.push_back(std::sin(1.7 * static_cast<double>(i) + phase));
    }
    operator tensor() const { return {"f64", shape, values}; }
};

/// An equation with an arrow and without spaces, by plain loops.
struct plain_equation {
    std::vector<std::string> terms = std::vector<std::string>(1);
    std::string out;
    std::map<char, std::int64_t> extent;
    std::vector<std::int64_t> shape;  // of the output

    plain_equation(std::string_view text, std::vector<plain> const& x) : out(text.substr(text.find('>') + 1)) {
        for (char c : text.substr(0, text.find('-'))) {
            if (c == ',') terms.emplace_back();
            else terms.back() += c;
        }
        for (std::size_t i = 0; i < terms.size(); ++i)
            for (std::size_t a = 0; a < terms[i].size(); ++a) extent[terms[i][a]] = x[i].shape[a];
        for (char c : out) shape.push_back(extent[c]);
    }
    /// Every combination of the letters' positions gives one product.
    std::vector<double> operator()(std::vector<plain> const& x) {
        std::int64_t total = 1, size = 1;
        for (auto [c, e] : extent) total *= e;
        for (auto e : shape) size *= e;
        std::map<char, std::int64_t> at;
        auto place = [&](std::string const& letters) {
            std::int64_t i = 0;
            for (char c : letters) i = i * extent[c] + at[c];
            return static_cast<std::size_t>(i);
        };
        std::vector<double> y(static_cast<std::size_t>(size));
        for (std::int64_t n = 0; n < total; ++n) {
            std::int64_t rest = n;
            for (auto [c, e] : extent) at[c] = rest % e, rest /= e;
            double product = 1;
            for (std::size_t i = 0; i < terms.size(); ++i) product *= x[i].values[place(terms[i])];
            y[place(out)] += product;
        }
        return y;
    }
};

template <class A>
std::vector<double> elements(A const& a) {
    if constexpr (std::is_arithmetic_v<A>) return {a};
    else return {a.begin(), a.end()};
}

/// The output beside that of plain loops, and the gradients by all operands beside central differences of theirs:
/// einsum is linear in each operand, so that a difference of any width is exact but for rounding.
template <ad::fixed_string Equation, int Out, int... In>
void check_einsum(std::vector<plain> x) {
    INFO(Equation.view());
    plain_equation loops(Equation.view(), x);
    plain const weights(loops.shape, 0.4);
    auto weighted = [&] {
        auto const y = loops(x);
        double s = 0;
        for (std::size_t i = 0; i < y.size(); ++i) s += y[i] * weights.values[i];
        return s;
    };
    auto difference = [&](double& at) {
        double const old = at;
        at = old + 1;
        double const up = weighted();
        at = old - 1;
        double const down = weighted();
        at = old;
        return (up - down) / 2;
    };
    auto count_far = [](std::vector<double> const& got, auto const& expected) {
        std::size_t n = 0;
        for (std::size_t i = 0; i < got.size(); ++i)
            n += !(std::abs(got[i] - expected(i)) <= 1e-10 * (1 + std::abs(got[i])));
        return n;
    };
    [&]<int... I>(std::integer_sequence<int, I...>) {
        auto const r = ad::grad<0, (I + 1)...>(weighted_einsum<Equation>)(
            of_rank<Out>::template make<double>(weights),
            of_rank<In>::template make<double>(x[static_cast<std::size_t>(I)])...);
        auto const expected = loops(x);
        auto const y = elements(std::get<0>(r));
        REQUIRE(y.size() == expected.size());
        CHECK(count_far(y, [&](std::size_t i) { return expected[i]; }) == 0);
        auto one = [&](auto const& gradient, plain& operand) {
            REQUIRE(gradient.size() == operand.values.size());
            CHECK(count_far(gradient, [&](std::size_t i) { return difference(operand.values[i]); }) == 0);
        };
        (one(elements(std::get<I + 1>(r)), x[static_cast<std::size_t>(I)]), ...);
    }(std::make_integer_sequence<int, static_cast<int>(sizeof...(In))>{});
}

}  // namespace reference
