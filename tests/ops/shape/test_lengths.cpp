// SPDX-License-Identifier: MIT
// Run-time lengths that are made from others meet those of arguments, and what is said where they do not fit.

#include "ops/shape/places.hpp"
#include "support/messages.hpp"

using namespace moves;

namespace {

using vector = ad::tensor<double, dyn>;
vector counted(int n) { return filled<double, dyn>({n}, 1); }

}  // namespace

TEST_CASE("lengths: of joined arrays meet that of a third, and nothing is written where they differ") {
    auto f = ad::value_and_grad<0, 1, 2>([](auto a, auto b, auto c) { return sum(square(ad::concat<0>(a, b) + c)); });
    auto const [value, grads] = f(counted(2), counted(3), counted(5));
    CHECK(value == 4 + 16 + 16 + 36 + 64);
    CHECK(numbers(std::get<0>(grads)) == std::vector<double>{4, 8});
    CHECK(numbers(std::get<1>(grads)) == std::vector<double>{8, 12, 16});
    CHECK(numbers(std::get<2>(grads)) == std::vector<double>{4, 8, 8, 12, 16});

    vector da(2), db(3), dc(6);
    ad::fill(da, -7);
    ad::fill(db, -7);
    ad::fill(dc, -7);
    auto const said = message_of([&] { f(ad::into(da, db, dc), counted(2), counted(3), counted(6)); });
    INFO(said);
    CHECK(mentions(said, {"argument 0, axis 0", "argument 1, axis 0", "5", "argument 2, axis 0", "6"}));
    CHECK(numbers(da) == std::vector<double>(2, -7));
    CHECK(numbers(db) == std::vector<double>(3, -7));
    CHECK(numbers(dc) == std::vector<double>(6, -7));
    auto const target = message_of([&] { f(ad::into(da, db, dc), counted(2), counted(3), counted(5)); });
    INFO(target);
    CHECK(mentions(target, {"target 2, axis 0", "6", "5"}));
    CHECK(numbers(da) == std::vector<double>(2, -7));
}

TEST_CASE("lengths: of slices meet that of an argument; of an array cut in rows they must be a multiple") {
    auto product = [](int n, int m) {
        return ad::evaluate([](auto x, auto y) { return ad::slice<0, 1, ad::to_end, 2>(x) * y; }, counted(n),
                            counted(m));
    };
    CHECK(numbers(product(7, 3)) == std::vector<double>{2, 8, 18});
    auto const said = message_of([&] { product(7, 4); });
    INFO(said);
    CHECK(mentions(said, {"argument 0, axis 0", "3", "argument 1, axis 0", "4"}));

    auto rows = [](int n) { return ad::evaluate([](auto x) { return sum<0>(ad::reshape<-1, 3>(x)); }, counted(n)); };
    CHECK(numbers(rows(6)) == std::vector<double>{5, 7, 9});
    CHECK(numbers(rows(0)) == std::vector<double>{0, 0, 0});
    auto const cut = message_of([&] { rows(7); });
    INFO(cut);
    CHECK(mentions(cut, {"argument 0, axis 0", "7", "multiple of 3"}));
}

TEST_CASE(
    "lengths: an axis is too short for narrow and select, not 1 for squeeze, not the sum for split, not the number for "
    "reshape") {
    auto at = [](auto f, int n) { return message_of([&] { (void)ad::evaluate(f, counted(n)); }); };
    auto narrow = [](auto x) { return ad::narrow<0, 1, 3>(x); };
    auto select = [](auto x) { return ad::select<0>(x, -3); };
    auto squeeze = [](auto x) { return ad::squeeze<0>(x); };
    auto split = [](auto x) { return std::get<1>(ad::split<0, 2, 3>(x)); };
    auto reshape = [](auto x) { return ad::reshape<2, 3>(x); };
    CHECK(at(narrow, 4) == "nothing was thrown");
    CHECK(at(narrow, 3) == "argument 0, axis 0 has length 3, but narrow needs at least 4");
    CHECK(at(select, 3) == "nothing was thrown");
    CHECK(at(select, 2) == "argument 0, axis 0 has length 2, but select needs at least 3");
    CHECK(at(squeeze, 1) == "nothing was thrown");
    CHECK(at(squeeze, 2) == "argument 0, axis 0 has length 2, but squeeze needs 1");
    CHECK(at(split, 5) == "nothing was thrown");
    CHECK(at(split, 6) == "argument 0, axis 0 has length 6, but split needs 5");
    CHECK(at(reshape, 6) == "nothing was thrown");
    CHECK(at(reshape, 7) == "argument 0, axis 0 has length 7, but reshape needs 6");
}

TEST_CASE("lengths: the operation that needs two of them equal is named, and of a tree the array") {
    using matrix = ad::tensor<double, dyn, dyn>;
    auto at = [](auto f, auto const&... x) { return message_of([&] { (void)ad::evaluate(f, x...); }); };
    CHECK(at([](auto x, auto y) { return x * y + x; }, counted(3), counted(4)) ==
          "argument 0, axis 0 has length 3, but argument 1, axis 0 has length 4: mul needs them equal");
    CHECK(at([](auto x, auto y) { return matmul(x, y); }, matrix(2, 3), matrix(4, 2)) ==
          "argument 0, axis 1 has length 3, but argument 1, axis 0 has length 4: matmul needs them equal");
    CHECK(at([](auto x, auto y) { return ad::concat<0>(x, y); }, matrix(2, 3), matrix(4, 2)) ==
          "argument 0, axis 1 has length 3, but argument 1, axis 1 has length 2: concat needs them equal");
    CHECK(at([](auto x, auto y) { return ad::stack<0>(x, y); }, counted(3), counted(4)) ==
          "argument 0, axis 0 has length 3, but argument 1, axis 0 has length 4: stack needs them equal");
    CHECK(at([](auto p, auto y) { return std::get<1>(p) - y; }, std::tuple(counted(2), counted(3)), counted(4)) ==
          "argument 0, array 1, axis 0 has length 3, but argument 1, axis 0 has length 4: sub needs them equal");
}

TEST_CASE("lengths: an axis made by the function is described by what it was made from") {
    auto at = [](int n, int m) {
        return message_of([&] {
            (void)ad::evaluate(
                [](auto a, auto b) { return ad::reshape<2, 4>(ad::concat<0>(a, ad::slice<0, 1, ad::to_end>(b))); },
                counted(n), counted(m));
        });
    };
    CHECK(at(5, 4) == "nothing was thrown");
    auto const said = at(5, 6);
    INFO(said);
    CHECK(mentions(said, {"argument 0, axis 0", "argument 1, axis 0", "10", "8"}));
}
TEST_CASE("cross: of vectors whose lengths run time knows, which are three numbers") {
    auto const f = [](auto a, auto b) { return cross(a, b); };
    CHECK(numbers(ad::evaluate(f, counted(3), filled<double, dyn>({3}, 4))) == std::vector<double>{-3, 6, -3});
    for (int n : {0, 1, 2, 4, 5}) {
        auto const said = message_of([&] { (void)ad::evaluate(f, counted(n), counted(n)); });
        INFO(said);
        CHECK(mentions(said, {"cross", "axis 0", "3"}));
    }
}
