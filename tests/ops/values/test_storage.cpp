// SPDX-License-Identifier: MIT
// half and bfloat16 as element types of elementwise functions: computed in float, rounded once at the end.

#include "ops/values/storage.hpp"

using namespace storage;

namespace {
constexpr auto waves = [](auto x) { return tanh(x) * x + exp(0.5 - x) / (1.5 + square(x)); };
constexpr auto rounded_waves = []<class T>(std::type_identity<T>) {
    return [](auto x) { return ad::cast<T>(waves(x)); };
};
constexpr auto loss = [](auto x, auto w) { return sum(waves(x) * w); };
}  // namespace

TEMPLATE_TEST_CASE("storage types: an elementwise function is computed in float", "", ad::half, ad::bfloat16) {
    auto in_float = ad::fused(waves);
    auto stored = ad::fused(rounded_waves(std::type_identity<TestType>{}));
    for (std::size_t n : lengths) {
        auto const x = numbers<TestType>(n);
        auto const expected = in_float(as<float>(x));
        auto const y = in_float(x);
        auto const z = stored(x);
        static_assert(std::is_same_v<decltype(y), ad::tensor<float, ad::dyn> const>);
        static_assert(std::is_same_v<decltype(z), ad::tensor<TestType, ad::dyn> const>);
        CHECK(same(y, expected));
        CHECK(same(z, as<TestType>(expected)));
    }
}

TEMPLATE_TEST_CASE("storage types: a gradient has its argument's type, rounded from float", "", ad::half,
                   ad::bfloat16) {
    auto gradient = ad::value_and_grad<0, 1>(loss);
    for (std::size_t n : lengths) {
        auto const x = numbers<TestType>(n);
        auto const w = numbers<float>(n, 0.9);
        auto const [value, grads] = gradient(x, w);  // half or bfloat16 beside float
        auto const [expected, expected_grads] = gradient(as<float>(x), w);
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<0>(grads))>, std::vector<TestType>>);
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<1>(grads))>, std::vector<float>>);
        CHECK(value == expected);
        CHECK(same(std::get<0>(grads), as<TestType>(std::get<0>(expected_grads))));
        CHECK(std::get<1>(grads) == std::get<1>(expected_grads));
    }
}

TEMPLATE_TEST_CASE("storage types: strided views in and out", "", ad::half, ad::bfloat16) {
    for (std::size_t n : {0u, 1u, 5u, 8u, 19u}) {
        auto const x = numbers<TestType>(3 * n + 1);
        auto w = numbers<TestType>(2 * n, 0.9);
        std::vector<TestType> target(2 * n + 1, TestType(7));
        using strides = std::array<std::ptrdiff_t, 1>;
        ad::view<TestType const, ad::dyn> const every_third(x.data(), n, strides{3});
        ad::view<TestType, ad::dyn> const every_second(w.data(), n, strides{2}), out(target.data(), n, strides{2});
        auto value = ad::value_and_grad<0>(loss)(ad::into(out), every_third, every_second);
        auto const [expected, gradient] = ad::value_and_grad<0>(loss)(as<float>(every_third), as<float>(every_second));
        CHECK(value == expected);
        CHECK(same(out, as<TestType>(gradient)));
        for (std::size_t i = 1; i < target.size(); i += 2) CHECK(target[i] == 7);
    }
}

TEMPLATE_TEST_CASE("storage types: the special values come through", "", ad::half, ad::bfloat16) {
    using limits = std::numeric_limits<TestType>;
    std::vector<TestType> const x{limits::infinity(), -float(limits::infinity()), limits::quiet_NaN(),
                                  limits::max(),      limits::denorm_min(),       TestType(-0.0),
                                  limits::min()};
    auto const y = ad::evaluate([](auto a) { return ad::cast<TestType>(2 * a); }, x);
    CHECK(std::isinf(float(y(0))));
    CHECK(y(1) == -float(limits::infinity()));
    CHECK(std::isnan(float(y(2))));
    CHECK(y(3) == limits::infinity());
    CHECK(y(4).bits == 2);
    CHECK(y(5).bits == 0x8000);
    CHECK(y(6) == 2 * float(limits::min()));
    CHECK(ad::evaluate([](auto a) { return max(a); }, std::vector<TestType>{1, limits::max(), 2}) ==
          float(limits::max()));
}

TEMPLATE_TEST_CASE("storage types: a number alone is an argument too", "", ad::half, ad::bfloat16) {
    auto f = [](auto s, auto x) { return s * sum(exp(s * x)); };
    TestType const s(0.75);
    std::vector<float> const x{0.5f, -1, 2};
    auto const [value, gradient] = ad::value_and_grad<0>(f)(s, x);
    auto const [expected, expected_gradient] = ad::value_and_grad<0>(f)(float(s), x);
    static_assert(std::is_same_v<decltype(gradient), TestType const>);
    CHECK(value == expected);
    CHECK(gradient == TestType(expected_gradient));
    auto const scalar = ad::evaluate([](auto a) { return ad::cast<TestType>(a / 3); }, s);
    static_assert(std::is_same_v<decltype(scalar), TestType const>);
    CHECK(scalar == TestType(0.25));
}

TEST_CASE("storage types: an argument handed through keeps its bits, and static arrays work") {
    std::array<ad::half, 5> const a{1, -2, 3, 0.1, 70000};
    auto const copied = ad::evaluate([](auto x) { return ad::cast<ad::half>(x); }, a);
    static_assert(std::is_same_v<decltype(copied), ad::tensor<ad::half, 5> const>);
    CHECK(same(copied, a));
    auto const g = ad::grad<0>([](auto x) { return sum(square(x)) / 2.0; })(a);
    static_assert(std::is_same_v<decltype(g), std::array<ad::half, 5> const>);
    CHECK(same(g, a));
    auto const from_span = ad::grad<0>([](auto x) { return sum(square(x)) / 2.0; })(std::span<ad::half const>(a));
    static_assert(std::is_same_v<decltype(from_span), ad::tensor<ad::half, ad::dyn> const>);
    CHECK(same(from_span, a));
    ad::tensor<ad::half, 2> b{1, 2};
    CHECK(ad::grad<1>([](auto x, auto) { return sum(x); })(a, b) == ad::tensor<ad::half, 2>{0, 0});
}
