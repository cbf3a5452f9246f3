// SPDX-License-Identifier: MIT
// Indices out of range, and index arrays that do not fit: what is said, and that nothing is written.

#include <tapeless/tapeless.hpp>

#include <array>
#include <limits>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;

namespace {

using matrix = ad::tensor<double, ad::dyn, ad::dyn>;

}  // namespace

TEST_CASE("index_error: operation, argument, position, value and what is valid; targets are left alone") {
    auto f = ad::value_and_grad<0, 1>([](auto x, auto scale, auto i) { return sum(square(gather<1>(x, i)) * scale); });
    matrix const x(3, 4);
    ad::tensor<std::int64_t, 3, 6> i;
    matrix dx(3, 4);
    double ds = -7;
    for (auto& v : dx) v = -7;
    i(2, 5) = 4;
    CHECK(index_message([&] { f(ad::into(dx, ds), x, 2.0, i); }) ==
          "gather: the index 4 at (2, 5) of argument 2 is out of range: 0 ... 3 are valid");
    i(0, 1) = -1;  // the first is named
    CHECK(index_message([&] { f(ad::into(dx, ds), x, 2.0, i); }) ==
          "gather: the index -1 at (0, 1) of argument 2 is out of range: 0 ... 3 are valid");
    CHECK(ds == -7);
    CHECK(std::count(dx.begin(), dx.end(), -7.0) == 12);
    i(0, 1) = i(2, 5) = 3;
    f(ad::into(dx, ds), x, 2.0, i);
    CHECK((ds == 0 && std::count(dx.begin(), dx.end(), 0.0) == 12));
}

TEST_CASE("index_error: whatever the position, for 32 and 64 bits, dense and strided") {
    auto f = ad::fused([](auto x, auto i) { return take(x, i); });
    auto wrong = [&]<class I>(I bad, std::ptrdiff_t stride) {
        bool all = true;
        for (std::size_t n = 1; n < 40; ++n)
            for (std::size_t at = 0; at < n; ++at) {
                std::vector<I> room(3 * n);
                room[static_cast<std::size_t>(stride) * at] = bad;
                auto const said = index_message([&] {
                    f(std::vector<double>(3),
                      ad::view<I const, ad::dyn>(room.data(), n, std::array<std::ptrdiff_t, 1>{stride}));
                });
                auto const where = "at (" + std::to_string(at) + ")";
                all = all && mentions(said, {"take", "argument 1", "0 ... 2", where.c_str()});
                room[static_cast<std::size_t>(stride) * at] = 2;
                f(std::vector<double>(3),
                  ad::view<I const, ad::dyn>(room.data(), n, std::array<std::ptrdiff_t, 1>{stride}));
            }
        return all;
    };
    CHECK(wrong(std::int32_t{3}, 1));
    CHECK(wrong(std::numeric_limits<std::int32_t>::min(), 3));
    CHECK(wrong(std::numeric_limits<std::int32_t>::max(), 1));
    CHECK(wrong(std::int64_t{-1}, 1));
    CHECK(wrong(std::int64_t{1} << 32, 2));  // whose lower half is 0
}

TEST_CASE("index_error: arguments are counted, not their arrays") {
    auto f = ad::fused([](auto both, auto i) { return embedding(std::get<1>(both), i) + std::get<0>(both); });
    ad::tensor<float, 2, 3> const w;
    CHECK(index_message([&] { f(std::tuple(1.0f, w), 2); }) ==
          "embedding: the index 2 of argument 1 is out of range: 0 ... 1 are valid");
}

TEST_CASE("index_error: computed indices are looked at before they are used") {
    auto f = ad::fused([](auto x, auto i) { return index_select<0>(x, i + 1); });
    CHECK(f(std::vector<double>{1, 2}, std::vector<int>{0, -1})(0) == 2);
    CHECK(index_message([&] { f(std::vector<double>{1, 2}, std::vector<int>{-1, 0, 1}); }) ==
          "index_select: the index 2 at (2) of the computed indices is out of range: 0 ... 1 are valid");
    auto hot = ad::fused([](auto i) { return ad::one_hot<3>(i) * ad::one_hot<3>(i * i); });
    CHECK(index_message([&] { hot(std::vector<int>{0, 3}); }) ==
          "one_hot: the index 3 at (1) of argument 0 is out of range: 0 ... 2 are valid");
    CHECK(index_message([&] { hot(std::vector<int>{0, 1, 2}); }) ==
          "one_hot: the index 4 at (2) of the computed indices is out of range: 0 ... 2 are valid");
}

TEST_CASE("index_error: elements are named as they are written") {
    std::vector<double> const x{1, 2};
    auto element = ad::fused([](auto v, auto i) { return v[i]; });
    CHECK(element(x, 1) == 2);
    CHECK(index_message([&] { element(x, 2); }) == "x[i]: the index 2 of argument 1 is out of range: 0 ... 1 are valid");
    CHECK(index_message([&] { ad::evaluate([](auto v, auto i) { return v[i + 1]; }, x, 2); }) ==
          "x[i]: the index 3 of the computed indices is out of range: 0 ... 1 are valid");
    CHECK(index_message([&] { ad::evaluate([](auto a, auto i) { return a(1, i); }, matrix(2, 3), -1); }) ==
          "x(i, j): the index -1 of argument 1 is out of range: 0 ... 2 are valid");
    CHECK(index_message([&] { ad::evaluate([](auto a, auto i) { return ad::select<1>(a, i); }, matrix(2, 3), 3); }) ==
          "select: the index 3 of argument 1 is out of range: 0 ... 2 are valid");
}

TEST_CASE("index_error: an index into an empty axis") {
    auto f = ad::fused([](auto x, auto i) { return index_select<0>(x, i); });
    CHECK(index_message([&] { f(matrix(0, 3), std::vector<int>{0}); }) ==
          "index_select: the index 0 at (0) of argument 1 is out of range: there is nothing to index");
    CHECK(f(matrix(0, 3), std::vector<int>{}).size() == 0);
}

TEST_CASE("index_error: scatter_add looks at its indices too") {
    auto f = ad::fused([](auto x, auto i, auto s) { return scatter_add<0>(x, i, s); });
    std::vector<double> target{1, 2, 3};
    std::vector<double> const x{5, 5, 5}, source{1, 1};
    CHECK(index_message([&] { f(ad::into(target), x, std::vector<int>{0, 5}, source); }) ==
          "scatter_add: the index 5 at (1) of argument 1 is out of range: 0 ... 2 are valid");
    CHECK(target == std::vector<double>{1, 2, 3});
    CHECK(mentions(message_of([&] { f(std::vector<double>{5}, std::vector<int>{0, 0}, std::vector<double>{1, 1, 1}); }),
                   {"argument 1", "argument 2", "length 2", "length 3"}));
}

TEST_CASE("shape_error: an index array that is longer than what it indexes along another axis") {
    auto f = ad::fused([](auto x, auto i) { return gather<1>(x, i); });
    using indices = ad::tensor<int, ad::dyn, ad::dyn>;
    CHECK(message_of([&] { f(matrix(2, 3), indices(3, 1)); }) ==
          "argument 1, axis 0 has length 3, but what it indexes has length 2 there (argument 0, axis 0)");
    CHECK(message_of([&] { f(matrix(2, 3), ad::tensor<int, 4, 1>{}); }) ==
          "argument 0, axis 0 has length 2, but gather needs at least 4");
    CHECK(message_of([&] { f(ad::tensor<double, 2, 3>{}, indices(3, 1)); }) ==
          "argument 1, axis 0 has length 3, but what it indexes has length 2 there");
    CHECK(f(matrix(2, 3), indices(1, 7)).extent(1) == 7);
}
