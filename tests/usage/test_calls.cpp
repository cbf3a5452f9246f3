// SPDX-License-Identifier: MIT
// A callable between its calls: copied, moved, handed to a thread, called again after an error or with other lengths.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

using matrix = ad::tensor<double, dyn, dyn>;
using vector = ad::tensor<double, dyn>;

matrix numbers(std::size_t rows, std::size_t columns, double first = 0) {
    matrix x(rows, columns);
    for (auto& v : x) v = std::sin(first++);
    return x;
}

// Stored intermediates, a product, a reduction and long column sums: all that a workspace holds.
constexpr auto loss = [](auto x, auto w, auto b) {
    auto h = ad::let(tanh(matmul(x, w) + b));
    return mean(square(softmax(h) - cumsum<1>(h))) + sum(norm<0>(h));
};
using step = decltype(ad::value_and_grad<1, 2>(loss));

struct outcome {
    double value;
    matrix dw;
    vector db;
    bool operator==(outcome const&) const = default;
};
outcome call(step& f, std::size_t rows, std::size_t inner, std::size_t columns) {
    matrix const x = numbers(rows, inner), w = numbers(inner, columns, 1);
    vector b(columns);
    ad::fill(b, 0.125);
    auto [value, grads] = f(x, w, b);
    auto& [dw, db] = grads;
    return {value, std::move(dw), std::move(db)};
}
outcome afresh(std::size_t rows, std::size_t inner, std::size_t columns) {
    step f = ad::value_and_grad<1, 2>(loss);
    return call(f, rows, inner, columns);
}

}  // namespace

TEST_CASE("calls: other lengths than before, longer and shorter, give what a fresh callable gives") {
    step f = ad::value_and_grad<1, 2>(loss);
    for (auto const& [n, k, m] :
         {std::tuple{3, 2, 5}, std::tuple{130, 9, 65}, std::tuple{1, 1, 1}, std::tuple{300, 3, 2},
          std::tuple{2, 40, 300}, std::tuple{130, 9, 65}, std::tuple{4, 0, 3}, std::tuple{3, 2, 5}}) {
        auto const rows = static_cast<std::size_t>(n), inner = static_cast<std::size_t>(k),
                   columns = static_cast<std::size_t>(m);
        CAPTURE(rows, inner, columns);
        CHECK(call(f, rows, inner, columns) == afresh(rows, inner, columns));
    }
}

TEST_CASE(
    "calls: a copy and the original know nothing of each other, and what was moved from can be assigned and called") {
    outcome const small = afresh(3, 2, 5), large = afresh(130, 9, 65);
    step f = ad::value_and_grad<1, 2>(loss);
    CHECK(call(f, 130, 9, 65) == large);
    step copy = f;
    CHECK(call(copy, 3, 2, 5) == small);
    CHECK(call(f, 130, 9, 65) == large);
    step moved = std::move(f);
    CHECK(call(moved, 130, 9, 65) == large);
    CHECK(call(f, 3, 2, 5) == small);  // NOLINT: it has no workspace any more, and makes one
    f = copy;
    CHECK(call(f, 130, 9, 65) == large);
    f = std::move(copy);
    CHECK(call(f, 3, 2, 5) == small);
    auto& same = f;
    f = same;
    CHECK(call(f, 130, 9, 65) == large);
    std::vector<step> several(3, f);
    several.emplace_back(std::move(f));
    for (auto& s : several) CHECK(call(s, 3, 2, 5) == small);
}

TEST_CASE("calls: a copy for each thread, and a callable that outlives the thread that first called it") {
    outcome const expected = afresh(130, 9, 65);
    step f = ad::value_and_grad<1, 2>(loss);
    std::vector<std::unique_ptr<outcome>> results(4);
    {
        std::vector<std::thread> threads;
        for (auto& r : results)
            threads.emplace_back([own = f, &r]() mutable {
                for (int i = 0; i < 3; ++i) r = std::make_unique<outcome>(call(own, 130, 9, 65));
            });
        for (auto& t : threads) t.join();
    }
    for (auto const& r : results) CHECK(*r == expected);

    std::thread([&] { CHECK_NOTHROW(call(f, 300, 3, 2)); }).join();
    CHECK(call(f, 130, 9, 65) == expected);
}

TEST_CASE(
    "calls: after lengths or targets that do not fit, or an index out of range, the next call is as if nothing was") {
    outcome const expected = afresh(3, 2, 5);
    step f = ad::value_and_grad<1, 2>(loss);
    CHECK(call(f, 3, 2, 5) == expected);
    matrix const x = numbers(3, 2), w = numbers(4, 5, 1);
    vector b(5), short_b(4);
    CHECK_THROWS_AS(f(x, w, b), ad::shape_error);
    CHECK(call(f, 3, 2, 5) == expected);
    matrix dw(2, 5), narrow(2, 4), transposed(5, 2);
    vector db(5);
    matrix const fits = numbers(2, 5, 1);
    for (auto* wrong : {&narrow, &transposed}) {
        ad::fill(*wrong, -7);
        ad::fill(db, -7);
        CHECK_THROWS_AS(f(ad::into(*wrong, db), x, fits, b), ad::shape_error);
        for (double v : *wrong) CHECK(v == -7);
        for (double v : db) CHECK(v == -7);
    }
    CHECK_THROWS_AS(f(ad::into(dw, short_b), x, fits, b), ad::shape_error);
    for (double v : dw) CHECK(v == 0);
    CHECK(call(f, 3, 2, 5) == expected);

    auto rows = ad::value_and_grad<0>([](auto t, auto i) { return sum(square(ad::index_select<0>(t, i))); });
    matrix const table{{1, 2}, {3, 4}};
    CHECK_THROWS_AS(rows(table, std::vector<int>{0, 2}), ad::index_error);
    auto const [value, g] = rows(table, std::vector<int>{1, 1});
    CHECK(value == 50);
    CHECK(g == matrix{{0, 0}, {12, 16}});
}

TEST_CASE("calls: arrays without elements may be null pointers, as arguments and as targets") {
    auto f = ad::value_and_grad<0, 1>([](auto x, auto y) { return sum(square(x)) + sum(exp(y)); });
    double* const nowhere = nullptr;
    std::vector<double> const y{0, 0};
    auto const [value, grads] = f(std::span<double const>{}, y);
    CHECK(value == 2);
    CHECK(std::get<0>(grads).size() == 0);
    std::vector<double> dy(2);
    CHECK(f(ad::into(std::span<double>{}, dy), std::span<double const>(nowhere, std::size_t{0}), y) == 2);
    CHECK(dy == std::vector<double>{1, 1});

    auto g = ad::value_and_grad<0>([](auto x) { return sum(max<1>(x)) + sum(softmax(x)) + sum(x); });
    for (std::size_t columns : {1u, 5u, 64u}) {
        auto const [none, dx] = g(ad::view<double const, dyn, dyn>(nowhere, std::size_t{0}, columns));
        CHECK(none == 0);
        CHECK(dx.size() == 0);
    }
    auto product = ad::fused([](auto a, auto b) { return matmul(a, b); });
    auto const p = product(ad::view<double const, dyn, dyn>(nowhere, std::size_t{2}, std::size_t{0}),
                           ad::view<double const, dyn, dyn>(nowhere, std::size_t{0}, std::size_t{3}));
    CHECK(p == matrix{{0, 0, 0}, {0, 0, 0}});
    std::vector<double> const empty;
    CHECK(ad::evaluate([](auto a, auto b) { return ad::concat<0>(a, b); }, empty, empty).size() == 0);
}

TEST_CASE("calls: numbers in, numbers out: results of rank 0 are numbers, whatever they were made of") {
    auto f = ad::value_and_grad<0, 1>([](auto a, auto b) { return a * sin(b); });
    auto const [value, grads] = f(2.0, 0.5);
    static_assert(std::is_same_v<std::remove_const_t<decltype(value)>, double>);
    CHECK(value == 2.0 * std::sin(0.5));
    CHECK(std::get<0>(grads) == std::sin(0.5));
    CHECK(std::abs(std::get<1>(grads) - 2.0 * std::cos(0.5)) < 1e-15);

    auto const [total, least, place, flag] =
        ad::evaluate([](auto x) { return std::tuple(sum(x), ad::select<0>(x, 0), argmax(x), any(x > 2.0)); },
                     std::vector<double>{1, 3, 2});
    static_assert(std::is_same_v<std::remove_const_t<decltype(least)>, double>);
    static_assert(std::is_same_v<std::remove_const_t<decltype(place)>, std::int64_t>);
    static_assert(std::is_same_v<std::remove_const_t<decltype(flag)>, bool>);
    CHECK(total == 6);
    CHECK(least == 1);
    CHECK(place == 1);
    CHECK(flag);

    double da = -1, db = -1;
    CHECK(f(ad::into(da, db), 2.0, 0.5) == value);
    CHECK(da == std::get<0>(grads));
    CHECK(db == std::get<1>(grads));
    ad::tensor<double> t;  // of rank 0
    t() = 0.5;
    auto const [again, dt] = ad::value_and_grad<0>([](auto x) { return square(x); })(t);
    CHECK(again == 0.25);
    CHECK(dt() == 1);
}
