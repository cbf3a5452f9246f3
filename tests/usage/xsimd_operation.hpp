// SPDX-License-Identifier: MIT
#pragma once
// An operation written with functions of xsimd, of the library and with operators, in any mixture. For a program that
// has included <xsimd/xsimd.hpp> and <tapeless/tapeless.hpp>, in whatever order.

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace {

namespace ad = tapeless;

/// x e^-x where that is above 1/8 or x is negative, |x| + 1 elsewhere
struct with_xsimd_op : ad::elementwise<"with_xsimd"> {
    static auto eval(auto x) {
        static_assert(std::is_same_v<decltype(x), xsimd::batch<typename decltype(x)::value_type>>);
        auto const y = x * xsimd::exp(ad::simd::neg(x));
        auto const taken = xsimd::max(y, ad::simd::mul(y, decltype(x)(1))) > 0.125 || ad::simd::less(x, decltype(x)(0));
        return xsimd::select(taken, y, 1 + xsimd::abs(ad::simd::maximum(x, xsimd::min(x, decltype(x)(-1)))));
    }
    static constexpr auto pullback(auto g, auto, auto x) { return ad::cotangents(g * (1.0 - x) * exp(-x)); }
};

/// Of one type only, and named by the library's name for it.
struct plus_one_op : ad::stepwise<"plus_one"> {
    static ad::simd::batch<double> eval(ad::simd::batch<double> x) { return x + 1; }
};

/// Masks and integers.
struct chosen_op : ad::stepwise<"chosen"> {
    template <class M, class... T>
    using result = typename ad::stepwise<"chosen">::template result<T...>;
    static constexpr bool takes_masks = true;
    static auto eval(auto m, auto a, auto b) {
        return ad::simd::select(ad::detail::mask_of(m, a), a, ad::simd::add(b, xsimd::abs(a)));
    }
};

double with_xsimd(double x) {
    double const y = x * std::exp(-x);
    return y > 0.125 || x < 0 ? y : 1 + std::abs(x);
}

template <class T>
void check_with_xsimd() {
    ad::tensor<T, 21> x;
    for (std::size_t i = 0; i < x.size(); ++i) x(i) = static_cast<T>(0.25) * static_cast<T>(i) - 2;
    auto const y = ad::evaluate([](auto v) { return 2.0 * ad::apply<with_xsimd_op>(v); }, x);
    auto const g = ad::grad<0>([](auto v) { return sum(ad::apply<with_xsimd_op>(v)); })(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        double const at = static_cast<double>(x(i));
        CHECK(std::abs(static_cast<double>(y(i)) - 2 * with_xsimd(at)) < 2e-5);
        CHECK(std::abs(static_cast<double>(g(i)) - (1 - at) * std::exp(-at)) < 2e-5);
    }
}

void check_types() {
    ad::tensor<double, 5> const x{1, 2, 3, 4, 5};
    CHECK(ad::evaluate([](auto v) { return ad::apply<plus_one_op>(v); }, x) == ad::tensor<double, 5>{2, 3, 4, 5, 6});
    ad::tensor<std::int32_t, 5> const a{1, -2, 3, -4, 5}, b{10, 20, 30, 40, 50};
    auto const f = [](auto p, auto q) { return ad::apply<chosen_op>(0 < p, p, q); };
    CHECK(ad::evaluate(f, a, b) == ad::tensor<std::int32_t, 5>{1, 22, 3, 44, 5});
}

}  // namespace
