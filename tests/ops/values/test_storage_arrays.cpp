// SPDX-License-Identifier: MIT
// half and bfloat16 in reductions, products and broadcasts: what float makes of the same values, rounded once.

#include "ops/values/storage.hpp"

using namespace storage;

namespace {

template <class T, auto... E>
ad::tensor<T, E...> matrix(std::array<std::int64_t, sizeof...(E)> lengths, double seed) {
    auto a = ad::tensor<T, E...>::with_extents(lengths);
    auto const x = numbers<T>(a.size(), seed);
    std::copy(x.begin(), x.end(), a.begin());
    return a;
}
template <class T>
using rows = ad::tensor<T, ad::dyn, ad::dyn>;

constexpr auto statistics = [](auto x) {
    auto centred = ad::let(x - mean<0>(x));
    return mean(square(centred)) + 2.0 * sum(max<1>(x)) + min(x) + sum(sum<1>(x) * min<1>(x));
};
constexpr auto column_sums = [](auto x) { return sum<0>(x); };
constexpr auto layer = [](auto x, auto w, auto b) { return relu(matmul(x, w) + b); };
constexpr auto layer_loss = [](auto x, auto w, auto b) { return mean(square(layer(x, w, b)) * 0.5); };

}  // namespace

TEMPLATE_TEST_CASE("storage types: reductions are those of float", "", ad::half, ad::bfloat16) {
    auto gradient = ad::value_and_grad<0>(statistics);
    auto sums = ad::fused(column_sums);
    for (auto [n, m] : {std::pair{1, 1}, {3, 5}, {8, 4}, {5, 17}, {300, 9}}) {
        auto const x = matrix<TestType, ad::dyn, ad::dyn>({n, m}, 0.2);
        auto const [value, g] = gradient(x);
        auto const [expected, expected_g] = gradient(as_tensor<float>(x));
        CHECK(value == expected);
        CHECK(g == as_tensor<TestType>(expected_g));
        CHECK(sums(x) == sums(as_tensor<float>(x)));
    }
    CHECK(sums(rows<TestType>(0, 3)) == ad::tensor<float, ad::dyn>{0, 0, 0});
}

TEMPLATE_TEST_CASE("storage types: matmul and its gradients are those of float", "", ad::half, ad::bfloat16) {
    auto forward = ad::fused(layer);
    auto gradient = ad::value_and_grad<0, 1, 2>(layer_loss);
    for (auto [m, k, n] : {std::array{1, 1, 1}, {3, 5, 2}, {17, 9, 13}, {33, 40, 24}}) {
        auto const x = matrix<TestType, ad::dyn, ad::dyn>({m, k}, 0.2),
                   w = matrix<TestType, ad::dyn, ad::dyn>({k, n}, 0.7);
        auto const b = numbers<float>(static_cast<std::size_t>(n));
        CHECK(forward(x, w, b) == forward(as_tensor<float>(x), as_tensor<float>(w), b));
        auto const [value, g] = gradient(x, w, b);
        auto const [expected, expected_g] = gradient(as_tensor<float>(x), as_tensor<float>(w), b);
        CHECK(value == expected);
        CHECK(std::get<0>(g) == as_tensor<TestType>(std::get<0>(expected_g)));
        CHECK(std::get<1>(g) == as_tensor<TestType>(std::get<1>(expected_g)));
        CHECK(std::get<2>(g) == std::get<2>(expected_g));
    }
    auto const none = forward(rows<TestType>(2, 0), rows<TestType>(0, 3), std::vector<float>{-1, 0, 1});
    CHECK(none == ad::tensor<float, ad::dyn, ad::dyn>{{0, 0, 1}, {0, 0, 1}});
}

TEST_CASE("storage types: a product's operands are converted before it, everything else on the way") {
    auto const x = matrix<ad::half, ad::dyn, ad::dyn>({4, 6}, 0.2), w = matrix<ad::half, ad::dyn, ad::dyn>({6, 5}, 0.7);
    std::string const plan = ad::explain(ad::fused([](auto a, auto b) { return matmul(a, b); }), x, w);
    CHECK(plan.find("reads    argument 0 half(4, 6)") != std::string::npos);
    CHECK(plan.find("left     buffer 0 float(4, 6)") != std::string::npos);
    auto f = [](auto a) { return ad::cast<ad::half>(exp(a) * a); };
    using program = decltype(ad::fused(f));
    static_assert(program::plan<ad::tensor<ad::half, 100>>().kernels() == 1);
    static_assert(program::plan<ad::tensor<ad::half, 100>>().workspace_bytes() == 0);
}
