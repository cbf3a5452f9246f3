// SPDX-License-Identifier: MIT
// Long sums lose less than one addition after the other would: what large numbers hide is there again when they cancel.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

/// Ones, after and before 64 numbers each that cancel.
double term(std::size_t i, std::size_t n, double large) { return i < 64 ? large : i >= n - 64 ? -large : 1; }

/// A few hundred ones stand in the same block as the large numbers.
bool is_most_of(double sum, std::size_t n) {
    return sum > 0.8 * static_cast<double>(n) && sum <= static_cast<double>(n);
}

}  // namespace

TEST_CASE("sum: doubles beside others that are 2^70 times as large") {
    for (std::size_t n : {20'000u, 100'001u}) {
        ad::tensor<double, 2, dyn> x(n);
        for (std::size_t i = 0; i < 2 * n; ++i) x.data()[i] = term(i % n, n, 0x1p70);
        auto const rows = ad::evaluate([](auto v) { return sum<1>(v); }, x);
        CHECK(is_most_of(rows(0), n));
        CHECK(is_most_of(rows(1), n));
        CHECK(is_most_of(ad::evaluate([](auto v) { return sum(v); }, std::vector<double>(x.data(), x.data() + n)), n));
    }
}

TEST_CASE("sum<0>: columns of floats of a known length beside others that are 2^40 times as large") {
    constexpr int n = 4096, m = 17;
    auto const x = std::make_unique<ad::tensor<float, n, m>>();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) (*x)(i, j) = static_cast<float>(term(static_cast<std::size_t>(i), n, 0x1p40));
    for (float s : ad::evaluate([](auto v) { return sum<0>(v); }, *x)) CHECK(is_most_of(s, n));
}

TEST_CASE("matmul: sums of hundreds of floats are off by less than five roundings of one") {
    auto product = ad::fused([](auto a, auto b) { return matmul(a, b); });
    for (std::size_t n : {256u, 512u, 1024u}) {
        ad::tensor<float, dyn, dyn> a(8, n), b(n, 16);
        std::uint32_t state = 1;
        for (auto* x : {&a, &b})
            for (float& v : *x) v = static_cast<float>((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24f;
        auto const c = product(a, b);
        double worst = 0;
        for (std::size_t i = 0; i < 8; ++i)
            for (std::size_t j = 0; j < 16; ++j) {
                double exact = 0;
                for (std::size_t k = 0; k < n; ++k)
                    exact += static_cast<double>(a(i, k)) * static_cast<double>(b(k, j));
                worst = std::max(worst, std::abs(static_cast<double>(c(i, j)) / exact - 1));
            }
        CAPTURE(n);
        CHECK(worst < 5 * 0x1p-24);
    }
}
