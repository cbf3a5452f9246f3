// SPDX-License-Identifier: MIT
// Indexed operations on small arrays whose results are known, and among other operations.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <array>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

using matrix = ad::tensor<double, ad::dyn, ad::dyn>;

matrix counted(std::size_t n, std::size_t m) {
    matrix x(n, m);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<double>(i + 1);
    return x;
}

}  // namespace

TEST_CASE("gather: an element that is picked three times gets three cotangents") {
    auto f = [](auto x, auto i, auto c) { return sum(gather<0>(x, i) * c); };
    auto const g =
        ad::grad(f)(std::vector<double>{5, 6, 7}, std::vector<int>{1, 1, 2, 1}, std::vector<double>{1, 10, 100, 1000});
    CHECK(g == std::vector<double>{0, 1011, 100});
}

TEST_CASE("gather: rows and columns of a matrix, its transpose, and a view with any strides") {
    auto rows = ad::fused([](auto x, auto i) { return gather<0>(x, i); });
    auto columns = ad::fused([](auto x, auto i) { return gather<1>(transpose(x), transpose(i)); });
    matrix const x = counted(4, 3);
    std::vector<double> room(60);
    ad::view<double, ad::dyn, ad::dyn> strided(room.data() + 40, 4, 3, std::array<std::ptrdiff_t, 2>{-10, 3});
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 3; ++j) strided(i, j) = x(i, j);
    ad::tensor<std::int64_t, ad::dyn, ad::dyn> index(5, 2);
    for (std::size_t k = 0; k < 10; ++k) index.data()[k] = static_cast<std::int64_t>(k * 3 % 4);
    auto const a = rows(x, index), b = rows(strided, index);
    auto const t = columns(x, index), u = columns(strided, index);
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 2; ++j) {
            double const expected = x(static_cast<std::size_t>(index(i, j)), j);
            CHECK((a(i, j) == expected && b(i, j) == expected && t(j, i) == expected && u(j, i) == expected));
        }
}

TEST_CASE("index_select, take: whole slices of an array of rank 3, and its elements in order") {
    auto middle = ad::fused([](auto x, auto i) { return index_select<1>(x, i); });
    auto flat = ad::fused([](auto x, auto i) { return take(x, i); });
    auto turned = ad::fused([](auto x, auto i) { return take(ad::permute<2, 0, 1>(x), i); });
    ad::tensor<float, 2, 3, 4> x;
    for (std::size_t i = 0; i < 24; ++i) x.data()[i] = static_cast<float>(i);
    std::vector<int> const order{2, 0, 2, 1, 0};
    auto const y = middle(x, order);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 5; ++j)
            for (std::size_t k = 0; k < 4; ++k) CHECK(y(i, j, k) == x(i, static_cast<std::size_t>(order[j]), k));
    ad::tensor<int, 3, 2> const at{{23, 0}, {7, 7}, {12, 5}};
    auto const z = flat(x, at), w = turned(x, at);
    for (std::size_t i = 0; i < 6; ++i) {
        int const p = at.data()[i];
        CHECK(z.data()[i] == static_cast<float>(p));
        auto const row = static_cast<std::size_t>(p / 3 % 2), column = static_cast<std::size_t>(p % 3);
        CHECK(w.data()[i] == x(row, column, static_cast<std::size_t>(p / 6)));
    }
}

TEMPLATE_TEST_CASE("index_select, embedding: rows of any length, and what flows back to them", "", double, float) {
    auto picked = ad::value_and_grad<0>([](auto x, auto i, auto c) { return sum(index_select<0>(x, i) * c); });
    auto padded = ad::grad<0>([](auto x, auto i, auto c) { return sum(embedding(x, i, 2) * c); });
    std::vector<int> const at{3, 0, 2, 2, 5, 3, 3, 1, 0};
    for (std::size_t columns = 0; columns < 10; ++columns) {
        CAPTURE(columns);
        ad::tensor<TestType, ad::dyn, ad::dyn> x(6, columns), c(at.size(), columns), expected(6, columns);
        for (std::size_t k = 0; k < x.size(); ++k) x.data()[k] = static_cast<TestType>(k + 1);
        double value = 0;
        for (std::size_t i = 0; i < at.size(); ++i)
            for (std::size_t j = 0; j < columns; ++j) {
                c(i, j) = static_cast<TestType>(i * 16 + j);
                value += static_cast<double>(x(static_cast<std::size_t>(at[i]), j) * c(i, j));
                expected(static_cast<std::size_t>(at[i]), j) += c(i, j);
            }
        auto const [y, g] = picked(x, at, c);
        CHECK(static_cast<double>(y) == value);
        CHECK(std::equal(g.begin(), g.end(), expected.begin()));
        for (std::size_t j = 0; j < columns; ++j) expected(2, j) = 0;
        auto const without = padded(x, at, c);
        CHECK(std::equal(without.begin(), without.end(), expected.begin()));
    }
}

TEST_CASE("scatter_add: what meets adds up, and flows back to where it came from") {
    auto down = [](auto x, auto i, auto s) { return scatter_add<0>(x, i, s); };
    ad::tensor<double, 3, 2> const x{{1, 2}, {3, 4}, {5, 6}}, c{{1, 2}, {4, 8}, {16, 32}};
    ad::tensor<std::int64_t, 4, 2> const i{{0, 2}, {0, 2}, {2, 0}, {0, 1}};
    ad::tensor<double, 4, 2> const s{{10, 20}, {100, 200}, {1000, 2000}, {10000, 20000}};
    CHECK(ad::evaluate(down, x, i, s) == ad::tensor<double, 3, 2>{{10111, 2002}, {3, 20004}, {1005, 226}});
    auto weighted = [](auto a, auto k, auto b, auto w) { return sum(scatter_add<0>(a, k, b) * w); };
    auto const [dx, ds] = ad::grad<0, 2>(weighted)(x, i, s, c);
    CHECK(dx == c);
    CHECK(ds == ad::tensor<double, 4, 2>{{1, 32}, {1, 32}, {16, 2}, {1, 8}});
    auto across = [](auto a, auto k, auto b) { return scatter_add<1>(a, k, b * 2.0); };
    ad::tensor<int, 2, 3> const j{{1, 1, 0}, {0, 0, 0}};
    ad::tensor<double, 2, 3> const more{{1, 2, 3}, {4, 5, 6}};
    CHECK(ad::evaluate(across, x, j, more) == ad::tensor<double, 3, 2>{{7, 8}, {33, 4}, {5, 6}});
}

TEST_CASE("indexed operations: indices that are themselves gathered, or computed") {
    auto f = [](auto x, auto order, auto i) { return gather<0>(x, gather<0>(order, i) + 1) + take(x, 2 * i); };
    auto const y =
        ad::evaluate(f, std::vector<double>{0, 1, 2, 3, 4}, std::vector<int>{3, 1, 0}, std::vector<int>{2, 2, 0});
    CHECK(y == ad::tensor<double, ad::dyn>{1.0 + 4, 1.0 + 4, 4.0 + 0});
}

TEST_CASE("embedding: rows of an expression feed a product, and the gradients of both add up") {
    auto f = [](auto w, auto i, auto v) { return sum(matmul(embedding(w * w, i), v)); };
    ad::tensor<double, 3, 2> const w{{1, 2}, {3, 4}, {5, 6}};
    ad::tensor<int, 2, 2> const i{{2, 0}, {2, 2}};
    ad::tensor<double, 2, 2> const v{{1, 10}, {2, 20}};
    auto const [dw, dv] = ad::grad<0, 2>(f)(w, i, v);
    CHECK(dw == ad::tensor<double, 3, 2>{{2 * 1 * 11.0, 2 * 2 * 22.0}, {0, 0}, {3 * 2 * 5 * 11.0, 3 * 2 * 6 * 22.0}});
    CHECK(dv == ad::tensor<double, 2, 2>{{76, 76}, {112, 112}});
}

TEST_CASE("embedding: the gradient in a target with any strides, of indices with any strides") {
    auto f = ad::grad([](auto w, auto i) { return sum(embedding(w, i) * 2.0) + sum(embedding(w, i)); });
    matrix const w(4, 3);
    std::vector<int> const all{3, 9, 9, 0, 9, 9, 3, 9, 9};
    ad::view<int const, ad::dyn> const i(all.data(), 3, std::array<std::ptrdiff_t, 1>{3});
    std::vector<double> room(30, -1.0);
    ad::view<double, ad::dyn, ad::dyn> const target(room.data() + 2, 4, 3, std::array<std::ptrdiff_t, 2>{2, 9});
    f(ad::into(target), w, i);
    for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t c = 0; c < 3; ++c) CHECK(target(r, c) == (r == 3 ? 6 : r == 0 ? 3 : 0));
    CHECK(std::count(room.begin(), room.end(), -1.0) == 18);
}

TEST_CASE("embedding: the same indices twice are two loops, and one is not computed twice") {
    auto f = [](auto a, auto b, auto i) { return sum(embedding(a, i) * embedding(b, i) + embedding(a, i)); };
    using table = ad::tensor<float, 8, 4>;
    constexpr auto plan = decltype(ad::value_and_grad<0, 1>(f))::plan<table, table, std::vector<int>>();
    STATIC_REQUIRE(plan.own_loops() == 4);  // two forwards, two backwards
    STATIC_REQUIRE(plan.kernels() == 5);    // everything in between in one loop
}

TEST_CASE("indexed operations: lengths of zero") {
    auto f = [](auto x, auto i) { return sum(index_select<0>(x, i)) + sum(x); };
    auto g = ad::value_and_grad(f);
    auto const none = g(counted(2, 3), std::vector<int>{});
    CHECK(none.value == 21);
    CHECK(none.grad == matrix{{1, 1, 1}, {1, 1, 1}});
    CHECK(g(matrix(0, 3), std::vector<int>{}).grad.size() == 0);
    auto const narrow = g(matrix(2, 0), std::vector<int>{1, 0, 1});
    CHECK((narrow.value == 0 && narrow.grad.extent(0) == 2 && narrow.grad.extent(1) == 0));
    auto pick = ad::fused([](auto x, auto i) { return gather<1>(x, i); });
    CHECK(pick(matrix(0, 3), ad::tensor<int, ad::dyn, ad::dyn>(0, 5)).extent(1) == 5);
    CHECK(pick(matrix(2, 0), ad::tensor<int, ad::dyn, ad::dyn>(2, 0)).size() == 0);
}

TEST_CASE("one_hot: rows with a single one, for what uses them no array") {
    auto hot = ad::fused([](auto i) { return ad::one_hot<3>(i); });
    ad::tensor<std::int64_t, 2, 2> const i{{0, 2}, {1, 1}};
    CHECK(hot(i) == ad::tensor<float, 2, 2, 3>{{{1, 0, 0}, {0, 0, 1}}, {{0, 1, 0}, {0, 1, 0}}});
    auto computed = ad::fused([](auto k) { return ad::one_hot<2, double>(k - 3); });
    CHECK(computed(std::vector<int>{4, 3}) == ad::tensor<double, ad::dyn, 2>{{0, 1}, {1, 0}});
    auto f = [](auto x, auto k) { return sum(x * ad::one_hot<5, double>(k)); };
    using array = ad::tensor<double, ad::dyn, 5>;
    STATIC_REQUIRE(decltype(ad::grad(f))::plan<array, std::vector<int>>().kernels() == 1);
    CHECK(ad::grad(f)(array(2), std::vector<int>{4, 0}) == array{{0, 0, 0, 0, 1}, {1, 0, 0, 0, 0}});
}

TEST_CASE("cast: a mask of doubles as floats") {
    auto f = ad::fused([](auto x) { return ad::cast<float>(x > 2.0); });
    CHECK(f(std::vector<double>{1, 3, 2, 4, 5, 0}) == ad::tensor<float, ad::dyn>{0, 1, 0, 1, 1, 0});
}

TEST_CASE("explain: a loop of its own is a kernel with its operands") {
    auto const text = ad::explain(ad::grad([](auto x, auto i) { return sum(square(gather<0>(x, i))); }),
                                  std::vector<double>(3), std::vector<int>(5));
    INFO(text);
    CHECK(text.find("kernel 0: gather, a loop of its own over (5)") != std::string::npos);
    CHECK(
        text.find("scatter_add, a loop of its own over (3)\n  reads    the number 0\n  reads    argument 1 int32(5)") !=
        std::string::npos);
}
