// SPDX-License-Identifier: MIT
// cast: the reference's cases, and every element type from and to every other.

#include <limits>

#include "support/reference.hpp"
#include "ops/values/storage.hpp"

using namespace storage;

namespace {

template <class T>
ad::tensor<T, ad::dyn> flat(reference::tensor const& t) {
    ad::tensor<T, ad::dyn> r(t.size());
    for (std::size_t i = 0; i < t.size(); ++i) r(i) = static_cast<T>(t.values[i]);
    return r;
}
template <class To>
constexpr auto cast_to = [](auto x) { return ad::cast<To>(x); };
template <class To>
constexpr auto cast_sum = [](auto x, auto cot) { return sum(ad::cast<To>(x) * cot); };

/// What C++ says; of a mask, 0 or 1.
template <class To, class From>
To converted(From x) {
    if constexpr (std::same_as<To, bool>) return x != From(0);
    else if constexpr (std::same_as<From, ad::half> || std::same_as<From, ad::bfloat16>)
        return static_cast<To>(float(x));
    else return static_cast<To>(x);
}

/// Each type weighs in with a power of 16: one wrong conversion shows.
constexpr auto all_types = [](auto x) {
    auto one = [&]<class T>(std::type_identity<T>, double weight) { return weight * ad::cast<double>(ad::cast<T>(x)); };
    return one(std::type_identity<float>{}, 1) + one(std::type_identity<double>{}, 0x1p4) +
           one(std::type_identity<ad::half>{}, 0x1p8) + one(std::type_identity<ad::bfloat16>{}, 0x1p12) +
           one(std::type_identity<std::int32_t>{}, 0x1p16) + one(std::type_identity<std::int64_t>{}, 0x1p20) +
           one(std::type_identity<bool>{}, 0x1p24);
};
template <class From>
double all_types_of(From x) {
    auto one = [&]<class T>(std::type_identity<T>, double weight) {
        return weight * static_cast<double>(converted<T>(x));
    };
    return one(std::type_identity<float>{}, 1) + one(std::type_identity<double>{}, 0x1p4) +
           one(std::type_identity<ad::half>{}, 0x1p8) + one(std::type_identity<ad::bfloat16>{}, 0x1p12) +
           one(std::type_identity<std::int32_t>{}, 0x1p16) + one(std::type_identity<std::int64_t>{}, 0x1p20) +
           one(std::type_identity<bool>{}, 0x1p24);
}

}  // namespace

TEST_CASE("cast: the reference's cases, none left out") {
    std::size_t n = 0;
    for (auto const& c : reference::cases("shape", "cast")) {
        auto const& x = c.in("x");
        auto differentiable = [&]<class From, class To>(From, To) {
            if (c.word("dtype") != (std::same_as<To, float> ? "f32" : "f64") ||
                x.dtype != (std::same_as<From, float> ? "f32" : "f64") || !c.has("in", "x"))
                return;
            ++n;
            CHECK(reference::check_close(c.out(), ad::evaluate(cast_to<To>, flat<From>(x)), c, "out") == "");
            auto const g = ad::grad<0>(cast_sum<To>)(flat<From>(x), flat<To>(c.cot()));
            static_assert(std::is_same_v<decltype(g), ad::tensor<From, ad::dyn> const>);
            CHECK(reference::check_close(c.grad("x"), g, c, "grad x") == "");
        };
        auto constant = [&]<class From, class To>(From, To, char const* from, char const* to) {
            if (c.word("dtype") != to || x.dtype != from || c.has("in", "x")) return;
            ++n;
            auto const y = ad::evaluate(cast_to<To>, flat<From>(x));
            static_assert(std::is_same_v<decltype(y), ad::tensor<To, ad::dyn> const>);
            CHECK(reference::check_close(c.out(), y, c, "out") == "");
        };
        differentiable(0.0, 0.0f);
        differentiable(0.0f, 0.0);
        differentiable(0.0, 0.0);
        constant(0.0, std::int64_t{}, "f64", "i64");
        constant(0.0, false, "f64", "b8");
        constant(std::int64_t{}, 0.0, "i64", "f64");
        constant(false, 0.0, "b8", "f64");
    }
    CHECK(n == reference::cases("shape", "cast").size());
}

TEMPLATE_TEST_CASE("cast: from this type to every other, as C++ converts", "", float, double, ad::half, ad::bfloat16,
                   std::int32_t, std::int64_t, bool) {
    for (std::size_t n : {0u, 1u, 3u, 4u, 5u, 9u, 17u}) {
        ad::tensor<TestType, ad::dyn> x(n);
        for (std::size_t i = 0; i < n; ++i)
            x(i) = converted<TestType>(7.3 * std::sin(1.1 * static_cast<double>(i) - 1.1));
        auto const y = ad::evaluate(all_types, x);
        for (std::size_t i = 0; i < n; ++i) CHECK(y(i) == all_types_of(x(i)));
    }
}

TEMPLATE_TEST_CASE("cast: arrays of this type as results, rounded once from double", "", float, ad::half, ad::bfloat16,
                   std::int32_t, std::int64_t, bool) {
    // close to the middle between two numbers of each type: by way of float they would be rounded twice
    std::vector<double> const x{
        0, -0.0, 1 + 0x1p-11 + 0x1p-40, 1 + 0x1p-8 - 0x1p-41, 0x1p-25 + 0x1p-60, -2.999, 65519.9999999, 1e-320};
    auto const y = ad::evaluate(cast_to<TestType>, x);
    static_assert(std::is_same_v<decltype(y), ad::tensor<TestType, ad::dyn> const>);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(y(i) == converted<TestType>(x[i]));
}

TEST_CASE("cast: a NaN is true, masks of double become int32 and masks of float int64") {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(ad::evaluate(cast_to<bool>, std::vector<double>{nan, 0, -0.0, 1e-320}) ==
          ad::tensor<bool, ad::dyn>{true, false, false, true});
    CHECK(ad::evaluate([](auto x) { return ad::cast<std::int32_t>(x > 0.0); }, std::vector<double>{nan, -1, 2, 3, 0}) ==
          ad::tensor<std::int32_t, ad::dyn>{0, 0, 1, 1, 0});
    CHECK(ad::evaluate([](auto x) { return ad::cast<std::int64_t>(x > 0.0); }, std::vector<float>{1, -1, 2, 3, 0}) ==
          ad::tensor<std::int64_t, ad::dyn>{1, 0, 1, 1, 0});
}

TEST_CASE("cast: integers of 64 bits are rounded to float once, small and large ones side by side") {
    std::vector<std::int64_t> x;
    for (int k : {0, 24, 25, 52, 53, 54, 60})
        for (int j : {0, 1, 24, 36})
            for (int d : {-1, 0, 1}) x.push_back((std::int64_t{1} << k) + (std::int64_t{1} << j) + d);
    for (std::size_t i = 0, n = x.size(); i < n; ++i) x.push_back(-x[i]);
    auto const y = ad::evaluate([](auto v) { return ad::cast<float>(v); }, x);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(y(i) == static_cast<float>(x[i]));
}
