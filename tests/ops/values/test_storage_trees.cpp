// SPDX-License-Identifier: MIT
// half and bfloat16 in trees, in nested derivatives, and in the middle of a function.

#include "ops/values/storage.hpp"

using namespace storage;

namespace {

template <template <class, auto...> class Array>
struct model {
    Array<ad::half, 3, 4> w;
    Array<float, 4> b;
    Array<ad::bfloat16, ad::dyn> v;
};
struct model_in_float {
    ad::tensor<float, 3, 4> w;
    ad::tensor<float, 4> b;
    ad::tensor<float, ad::dyn> v;
};

constexpr auto predict = [](auto const& m, auto x) { return sum(tanh(matmul(x, m.w) + m.b)) * sum(m.v * m.v * 0.5); };
constexpr auto tuple_loss = [](auto x, auto const& m) {
    auto const& [w, b, v] = m;
    return sum(tanh(matmul(x, w) + b)) * sum(v * v * 0.5);
};
constexpr auto cubic = [](auto x) { return sum(x * x * x) + square(sum(x)); };

}  // namespace

TEST_CASE("storage types: leaves of a tree keep their types in its gradient") {
    model<ad::tensor> m;
    std::copy_n(numbers<ad::half>(12).begin(), 12, m.w.begin());
    m.b = {0.5f, -0.25f, 0, 1};
    m.v = {1, -2, 0.5};
    model_in_float const f{as_tensor<float>(m.w), m.b, as_tensor<float>(m.v)};
    std::vector<float> const x{0.5f, -1, 2};
    auto const [value, g] = ad::value_and_grad<0>(predict)(m, x);
    static_assert(std::is_same_v<decltype(g), model<ad::tensor> const>);
    auto const [expected, h] = ad::value_and_grad<1>(tuple_loss)(x, std::tuple(f.w, f.b, f.v));
    CHECK(value == expected);
    CHECK(g.w == as_tensor<ad::half>(std::get<0>(h)));
    CHECK(g.b == std::get<1>(h));
    CHECK(g.v == as_tensor<ad::bfloat16>(std::get<2>(h)));
    CHECK(ad::check_gradient<0>(predict, m, x).passed);
}

TEMPLATE_TEST_CASE("storage types: second derivatives", "", ad::half, ad::bfloat16) {
    std::vector<TestType> const x{1, -0.5, 2, 0.25, 3}, v{0.5, 1, -1, 2, 0};
    auto const h = ad::hvp<0>(cubic)(x, v);
    static_assert(std::is_same_v<decltype(h), std::vector<TestType> const>);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(h[i] == TestType(6 * x[i] * v[i] + 2 * 2.5f));
    CHECK(ad::check_gradient<0>([](auto y) { return sum(square(ad::grad<0>(cubic)(y))) * 0.001; }, x).passed);
}

TEST_CASE("cast: in the middle of a function half rounds, and the cotangent passes") {
    std::vector<float> const x{1.0f / 3, 1000.1f, -2.7f, 1e6f, 1e-9f};
    auto f = [](auto a) { return 2.0 * ad::cast<ad::half>(a) + ad::cast<ad::bfloat16>(a); };
    auto const y = ad::evaluate(f, x);
    static_assert(std::is_same_v<decltype(y), ad::tensor<float, ad::dyn> const>);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(y(i) == 2 * float(ad::half(x[i])) + float(ad::bfloat16(x[i])));
    CHECK(ad::grad<0>([](auto a) { return sum(square(ad::cast<ad::half>(a))); })(std::vector<double>{3, 0.1}) ==
          std::vector<double>{6, 2 * double(ad::half(0.1))});
    // rounded weights, kept between the passes over a row
    auto rows = [](auto a) {
        auto e = ad::let(ad::cast<ad::half>(exp(tanh(a))));
        return sum(e / sum<1>(e, ad::keepdims) * a);
    };
    ad::tensor<float, 3, 21> table;
    std::copy_n(numbers<float>(63).begin(), 63, table.begin());
    float expected = 0;
    for (int i = 0; i < 3; ++i) {
        float top = 0, bottom = 0;
        for (int j = 0; j < 21; ++j) {
            float const e = ad::half(std::exp(std::tanh(table(i, j))));
            top += e * table(i, j), bottom += e;
        }
        expected += top / bottom;
    }
    CHECK(std::abs(ad::evaluate(rows, table) - expected) < 1e-5f);
    auto kept = [](auto a) {
        auto h = ad::let(ad::cast<ad::half>(a * 3.0));
        return h;
    };
    auto const z = ad::evaluate(kept, x);
    static_assert(std::is_same_v<decltype(z), ad::tensor<ad::half, ad::dyn> const>);
    CHECK(z(0) == 1);
    auto loss = [](auto a) { return ad::cast<ad::half>(sum(a * a)); };
    auto const [value, gradient] = ad::value_and_grad<0>(loss)(std::vector<float>{3, 0.1f});
    static_assert(std::is_same_v<decltype(value), ad::half const>);
    CHECK(value == ad::half(9.01f));
    CHECK(gradient == std::vector<float>{6, 0.2f});
}

TEST_CASE("into: targets of half") {
    std::vector<ad::half> const x{1, 2, 3, 4, 5};
    std::vector<ad::half> y(5), g(5);
    auto scaled = ad::fused([](auto a) { return ad::cast<ad::half>(a / 3.0); });
    scaled(ad::into(y), x);
    for (std::size_t i = 0; i < 5; ++i) CHECK(std::abs(float(y[i]) - float(x[i]) / 3) <= 0x1p-11f);
    float const value = ad::value_and_grad<0>([](auto a) { return sum(a * a * a); })(ad::into(g), x);
    CHECK(value == 225);
    CHECK(same(g, std::vector<float>{3, 12, 27, 48, 75}));
}

TEST_CASE("storage types: loops over let change from half to float and go on") {
    auto power = [](auto x) {
        auto y = ad::let(ad::cast<float>(x));
        for (int i = 0; i < 3; ++i) y = ad::let(y * x);
        return sum(y);
    };
    CHECK(ad::grad<0>(power)(std::vector<ad::bfloat16>{1, 2, -1}) == std::vector<ad::bfloat16>{4, 32, -4});
}
