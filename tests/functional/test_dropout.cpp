// SPDX-License-Identifier: MIT
// dropout by a mask and by a seed: what is kept depends on the seed and the place of an element, on nothing else.

#include <cmath>

#include "functional/nn_cases.hpp"

using namespace reference;

namespace {
constexpr auto by_mask = program_of<vector, mask_data<vector>, data<scalar>>(
    [](auto x, auto mask, auto p) { return dropout(x, mask, p); });
constexpr auto flattened = [](test_case& c) {
    add_parameter(c, "p");
    auto flatten = [](tensor& t) { t.shape = {static_cast<std::int64_t>(t.size())}; };
    flatten(input(c, "x"));
    flatten(input(c, "mask"));
    flatten(c.tensors.at("cot").at("out"));
};

constexpr auto dropped = [](auto x, auto seed, auto p) { return dropout(x, seed, p); };
constexpr auto squares = [](auto x, auto seed, auto p) { return sum(square(dropout(x, seed, p))); };
using ad::dyn;

template <class T>
ad::tensor<T, dyn, dyn> ones(std::size_t rows, std::size_t columns) {
    ad::tensor<T, dyn, dyn> x(rows, columns);
    for (auto& v : x) v = 1;
    return x;
}
/// One number after the other what the library does to whole registers.
std::uint32_t scramble(std::uint32_t key, std::uint32_t position) {
    std::uint32_t x = key ^ (position * 0x9e3779b9u + 0x7f4a7c15u);
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}
bool is_kept(std::uint32_t low, std::uint32_t high, std::size_t i, std::size_t j, double p) {
    auto const row = scramble(scramble(low, high), static_cast<std::uint32_t>(i));
    return static_cast<double>(scramble(row, static_cast<std::uint32_t>(j)) >> 8) * 0x1p-24 >= p;
}
/// Correlation of two equally long rows of 0 and 1 / (1 - p).
double correlation(std::vector<double> const& a, std::vector<double> const& b) {
    double ma = 0, mb = 0, ab = 0, aa = 0, bb = 0;
    double const n = static_cast<double>(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) ma += a[i] / n, mb += b[i] / n;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - ma) * (b[i] - mb);
        aa += (a[i] - ma) * (a[i] - ma);
        bb += (b[i] - mb) * (b[i] - mb);
    }
    return ab / std::sqrt(aa * bb);
}
/// The elements of a matrix and those so many rows and columns further on.
double correlation_at(ad::tensor<float, dyn, dyn> const& y, std::size_t down, std::size_t right) {
    std::vector<double> a, b;
    for (std::size_t i = 0; i + down < y.extent(0); ++i)
        for (std::size_t j = 0; j + right < y.extent(1); ++j) {
            a.push_back(static_cast<double>(y(i, j)));
            b.push_back(static_cast<double>(y(i + down, j + right)));
        }
    return correlation(a, b);
}
}  // namespace

TEST_CASE("dropout: reference vectors with given masks") {
    run_programs<double>("dropout", flattened, by_mask);
    run_programs<float>("dropout", flattened, by_mask);
}

TEST_CASE("dropout: the keep rate is 1 - p, and neighbours and seeds are independent") {
    auto drop = ad::fused(dropped);
    std::size_t const rows = 300, columns = 331;
    auto const x = ones<float>(rows, columns);
    double const n = static_cast<double>(rows * columns), bound = 4.5 / std::sqrt(n);  // 4.5 standard deviations
    for (float const p : {0.1f, 0.5f, 0.9f}) {
        auto const y = drop(x, 7, p);
        double kept = 0, worst_row = 0;
        std::size_t neither = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            double in_row = 0;
            for (std::size_t j = 0; j < columns; ++j) {
                neither += y(i, j) != 0 && !(std::abs(y(i, j) - 1 / (1 - p)) < 1e-6f);
                in_row += y(i, j) != 0;
            }
            kept += in_row;
            worst_row = std::max(worst_row, std::abs(in_row / static_cast<double>(columns) - (1 - double(p))));
        }
        CHECK(neither == 0);
        double const spread = std::sqrt(double(p) * (1 - double(p)));
        CHECK(std::abs(kept / n - (1 - double(p))) < bound * spread);
        CHECK(worst_row < 5 * spread / std::sqrt(static_cast<double>(columns)));
    }
    auto const y = drop(x, 7, 0.5f);
    for (std::size_t down : {0u, 1u, 2u, 16u})
        for (std::size_t right : {0u, 1u, 2u, 4u, 16u})
            if (down + right > 0) CHECK(std::abs(correlation_at(y, down, right)) < bound);
    for (int seed : {0, 1, 6, 8, -7, 1 << 30}) {
        auto const other = drop(x, seed, 0.5f);
        CHECK(std::abs(correlation(std::vector<double>(y.begin(), y.end()),
                                   std::vector<double>(other.begin(), other.end()))) < bound);
    }
}

TEST_CASE(
    "dropout: what is dropped depends on neither element type, layout nor width of registers, and the gradient drops "
    "the same") {
    auto const x = ones<double>(5, 7);
    auto drop = ad::fused(dropped);
    auto const y = drop(x, std::int64_t{42}, 0.25);
    CHECK(drop(x, std::int64_t{42}, 0.25) == y);
    CHECK_FALSE(drop(x, std::int64_t{42} + (std::int64_t{1} << 32), 0.25) == y);
    auto const in_float = ad::evaluate(dropped, ones<float>(5, 7), 42, 0.25f);
    std::vector<double> storage(7 * 5, 1);
    auto const transposed = ad::evaluate(
        dropped, ad::view<double const, dyn, dyn>(storage.data(), 5, 7, std::array<std::ptrdiff_t, 2>{1, 5}),
        std::int64_t{42}, 0.25);
    auto const fixed =
        ad::evaluate([](auto v, auto) { return dropout(v, 42, 0.25); }, ad::tensor<double, 5, 7>(x), 0.0);
    auto const [value, dx] = ad::value_and_grad<0>(squares)(x, std::int64_t{42}, 0.25);
    double total = 0;
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 7; ++j) {
            CHECK((in_float(i, j) != 0) == (y(i, j) != 0));
            CHECK((y(i, j) != 0) == is_kept(42, 0, i, j, 0.25));  // with registers of any width
            CHECK(transposed(i, j) == y(i, j));
            CHECK(fixed(i, j) == y(i, j));
            CHECK(std::abs(dx(i, j) - 2 * y(i, j) / 0.75) < 1e-14);
            total += y(i, j) * y(i, j);
        }
    CHECK(std::abs(value - total) < 1e-12);
    for (double v : drop(x, std::int64_t{42}, 0.0)) CHECK(v == 1);
    for (double v : drop(x, std::int64_t{42}, 1.0)) CHECK(v == 0);
    CHECK(ad::grad<0>(squares)(x, std::int64_t{42}, 1.0)(2, 3) == 0);
}

TEST_CASE("dropout: value and gradient are one pass without a stored mask") {
    using matrix_512 = ad::tensor<float, 64, 512>;
    constexpr auto plan = decltype(ad::value_and_grad<0>(squares))::plan<matrix_512, int, float>();
    STATIC_REQUIRE(plan.kernels() == 1);
    STATIC_REQUIRE(plan.workspace_bytes() == 0);
}
