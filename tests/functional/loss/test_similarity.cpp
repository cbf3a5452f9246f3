// SPDX-License-Identifier: MIT
// The losses of vectors against vectors: exact small cases, vectors of zeros, kinks, central differences, and how
// many passes over the data they and the losses of margins take.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
namespace loss = ad::loss;

namespace {

using matrix = ad::tensor<double, ad::dyn, ad::dyn>;
using numbers = std::vector<double>;
constexpr auto total = loss::reduction::sum;

template <class Array>
numbers list(Array const& a) {
    return {a.begin(), a.end()};
}

constexpr auto similarity = [](auto p) {
    auto const& [a, b, eps] = p;
    return sum(cosine_similarity(a, b, eps));
};
constexpr auto of_rows = [](auto p, auto t) {
    auto const& [a, b, c] = p;
    return loss::cosine<total>(a, b) + 10.0 * loss::cosine_embedding<total>(a, b, t, 0.25) +
           100.0 * loss::triplet_margin<total>(a, b, c);
};
/// The largest difference, for an infinite p; distances of nothing are not NaN for any p.
constexpr auto of_triplets = [](auto p) {
    auto const& [a, b, c] = p;
    return loss::triplet_margin<total>(a, b, c, {.margin = 2, .p = std::numeric_limits<double>::infinity(), .eps = 0}) +
           10.0 * loss::triplet_margin<total>(a, b, c, {.eps = 0}) +
           100.0 * loss::triplet_margin<total>(a, b, c, {.p = 3, .eps = 0, .swap = true});
};

}  // namespace

TEST_CASE("cosine_similarity: the derivative of what is computed, at vectors of zeros and below eps too") {
    matrix const a{{3, 4}, {0, 0}, {0.3, 0.4}}, b{{4, 3}, {3, 4}, {0, 0}};
    auto const p = std::tuple(a, b, 2.0);  // the last rows are shorter than eps
    CHECK(std::abs(ad::evaluate(similarity, p) - 24 / 25.0) < 1e-15);
    auto const [da, db, de] = ad::grad<0>(similarity)(p);
    numbers const right_a{(4 / 5.0 - 24 * 3 / 125.0) / 5, (3 / 5.0 - 24 * 4 / 125.0) / 5, 3 / 10.0, 4 / 10.0, 0, 0};
    for (std::size_t i = 0; i < 6; ++i) CHECK(std::abs(da.data()[i] - right_a[i]) < 1e-15);
    CHECK((db(1, 0) == 0 && db(1, 1) == 0));
    CHECK((std::abs(db(2, 0) - 0.3 / 4) < 1e-15 && std::abs(db(2, 1) - 0.4 / 4) < 1e-15));
    CHECK(de == 0);  // nothing that is divided by eps is more than 0
    matrix const near{{0.3, 0.4}}, far{{-4, 3}};
    auto const report = ad::check_gradient<0>(similarity, std::tuple(near, matrix{{1, -0.5}}, 0.75));
    CHECK((report.passed && report.checked == 5));
    CHECK(ad::check_gradient<0>(similarity, std::tuple(near, far, 0.25)));
    auto const tiny = ad::grad<0>(similarity)(std::tuple(matrix{{0, 0}}, far, 1e-8));
    CHECK(std::abs(std::get<0>(tiny)(0, 0) + 0.8e8) < 1e-4);
    CHECK(ad::evaluate(similarity, std::tuple(matrix(0, 2), matrix(0, 2), 1e-8)) == 0);
}

TEST_CASE("cosine_similarity: operands of other rank, axes that only one of them has, and static shapes") {
    ad::tensor<float, 2, 3> const a{{1, 2, 2}, {0, 3, 4}};
    auto const [rows, columns, self] = ad::evaluate(
        [](auto x, auto y) {
            return std::tuple(cosine_similarity(x, y), cosine_similarity<0>(x, y), loss::cosine_similarity<-1>(y, y));
        },
        a, ad::tensor<float, 3>{0, 0, -2});
    static_assert(std::is_same_v<std::remove_const_t<decltype(rows)>, ad::tensor<float, 2>>);
    static_assert(std::is_same_v<std::remove_const_t<decltype(columns)>, ad::tensor<float, 3>>);
    CHECK(std::abs(rows(0) + 2 / 3.0f) < 1e-6f);
    CHECK(std::abs(rows(1) + 0.8f) < 1e-6f);
    CHECK((columns(0) == 0 && columns(1) == 0));
    CHECK(std::abs(columns(2) + 12 / (std::sqrt(20.0f) * std::sqrt(8.0f))) < 1e-6f);  // (2, 4) against (-2, -2)
    CHECK(self == 1);
}

TEST_CASE("cosine, cosine_embedding, triplet_margin: central differences, extremes and batches of nothing") {
    matrix const a{{0.4, -1.1, 0.6}, {1.3, 0.2, -0.5}}, b{{0.1, 0.8, 1.1}, {0.9, 0.7, 0.4}},
        c{{-0.3, -0.9, 0.2}, {1.1, -0.6, 0.5}};
    auto const report = ad::check_gradient<0>(of_rows, std::tuple(a, b, c), numbers{1, -1});
    CHECK((report.passed && report.checked == 18));
    auto gradient = ad::grad<0>(of_rows);
    auto value = ad::fused(of_rows);
    matrix const large{{1e4, 0}, {1e4, 1e4}}, against{{-1e4, 0}, {1e4, 1e4}}, zero(2, 2);
    // the angles: 1 - (-1) and 1 - 1; 2 of the pair that is to point the same way, 1 - 0.25 of the other
    CHECK(std::abs(value(std::tuple(large, against, large), numbers{1, -1}) - (2 + 10 * (2 + 0.75) + 100 * (2e4 + 2))) <
          1e-2);
    for (auto const& [x, y] : {std::pair(large, against), std::pair(zero, zero), std::pair(zero, large)}) {
        auto const [dx, dy, dz] = gradient(std::tuple(x, y, x), numbers{1, -1});
        for (std::size_t i = 0; i < 4; ++i)
            CHECK((std::isfinite(dx.data()[i]) && std::isfinite(dy.data()[i]) && std::isfinite(dz.data()[i])));
    }
    auto const nothing = std::tuple(matrix(0, 3), matrix(0, 3), matrix(0, 3));
    CHECK(value(nothing, numbers{}) == 0);
    CHECK(std::get<0>(gradient(nothing, numbers{})).extent(1) == 3);
    auto const means = [](auto x, auto y) { return std::tuple(loss::cosine(x, y), loss::triplet_margin(x, y, x)); };
    auto const [cosine, triplet] = ad::evaluate(means, matrix(0, 3), matrix(0, 3));
    CHECK((std::isnan(cosine) && std::isnan(triplet)));
    CHECK(message_of([&] { value(std::tuple(a, b, c), numbers{1, -1, 1}); }) ==
          "argument 1, axis 0 has length 3, but argument 0, array 0, axis 0 has length 2: where needs them equal");
}

TEST_CASE("triplet_margin: distances of 0 have the gradient 0 for any p, the infinite one too") {
    matrix const a{{1, 2}, {0, 0}}, b{{1, 2}, {3, -4}};
    auto gradient = ad::grad<0>(of_triplets);
    auto const [da, dp, dn] = gradient(std::tuple(a, a, a));
    for (auto const* g : {&da, &dp, &dn}) CHECK(list(*g) == numbers{0, 0, 0, 0});
    CHECK(ad::evaluate(of_triplets, std::tuple(a, a, a)) == 2 * (2 + 10 + 100));
    auto const one = std::get<1>(gradient(std::tuple(a, b, a)));
    CHECK((one(0, 0) == 0 && one(0, 1) == 0));
    CHECK(std::abs(one(1, 0) - (0 + 10 * 0.6 + 100 * std::pow(3 / std::cbrt(91), 2))) < 1e-12);
    CHECK(std::abs(one(1, 1) - (-1 - 10 * 0.8 - 100 * std::pow(4 / std::cbrt(91), 2))) < 1e-12);
    CHECK(
        ad::check_gradient<0>(of_triplets, std::tuple(matrix{{0.4, -1.1}}, matrix{{0.9, 0.2}}, matrix{{-0.3, -0.5}})));
}

TEST_CASE(
    "margin and similarity losses: one pass over the data makes loss and gradient, and nothing of its size is stored") {
    using vector = ad::tensor<float, 4096>;
    using rows = ad::tensor<float, 256, 128>;
    using classes = ad::tensor<std::int64_t, 256>;
    using labels = ad::tensor<std::int64_t, 256, 128>;
    constexpr auto hinge =
        decltype(ad::value_and_grad<0>([](auto x, auto t) { return loss::hinge(x, t); }))::plan<vector, vector>();
    STATIC_REQUIRE(hinge.kernels() == 1);
    constexpr auto embedding = decltype(ad::value_and_grad<0>(
        [](auto x, auto t) { return loss::hinge_embedding(x, t); }))::plan<vector, vector>();
    STATIC_REQUIRE(embedding.kernels() == 1);
    constexpr auto ranking = decltype(ad::value_and_grad<0, 1>([](auto x, auto y, auto t) {
        return loss::margin_ranking(x, y, t);
    }))::plan<vector, vector, vector>();
    STATIC_REQUIRE(ranking.kernels() == 1);

    constexpr auto is_one_pass = [](auto plan) {
        return plan.template passes_over<256, 128>() == 1 && plan.kernels() <= 2 &&
               plan.workspace_bytes() < 256 * 128 * 4 / 8;
    };
    STATIC_REQUIRE(is_one_pass(decltype(ad::value_and_grad<0>([](auto x, auto t) {
        return loss::multi_margin(x, t, {.p = 2});
    }))::plan<rows, classes>()));
    STATIC_REQUIRE(is_one_pass(decltype(ad::value_and_grad<0, 1>([](auto x, auto y) {
        return loss::cosine(x, y);
    }))::plan<rows, rows>()));
    STATIC_REQUIRE(is_one_pass(decltype(ad::value_and_grad<0, 1>([](auto x, auto y, auto t) {
        return loss::cosine_embedding(x, y, t);
    }))::plan<rows, rows, ad::tensor<float, 256>>()));
    STATIC_REQUIRE(is_one_pass(decltype(ad::value_and_grad<0, 1, 2>([](auto x, auto y, auto z) {
        return loss::triplet_margin(x, y, z, {.swap = true});
    }))::plan<rows, rows, rows>()));
    STATIC_REQUIRE(is_one_pass(decltype(ad::value_and_grad<0>([](auto x, auto t) {
        return loss::multilabel_soft_margin(x, t);
    }))::plan<rows, rows>()));
    // values and slopes in one loop; the slopes, stored, are multiplied by the cotangent
    constexpr auto sets = decltype(ad::value_and_grad<0>(
        [](auto x, auto t) { return loss::multilabel_margin(x, t); }))::plan<rows, labels>();
    STATIC_REQUIRE((sets.own_loops() == 1 && sets.kernels() == 3));
    STATIC_REQUIRE(sets.workspace_bytes() < 2 * 256 * 128 * 4);
}
