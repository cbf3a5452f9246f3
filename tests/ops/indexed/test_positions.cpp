// SPDX-License-Identifier: MIT
// Positions along an axis that are read backwards or in steps, indices that are constants, and parts written to
// strided targets.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

TEST_CASE("one_hot: read backwards, and every second class") {
    for (std::size_t n : {0u, 1u, 4u, 33u}) {
        std::vector<int> index(n);
        for (std::size_t i = 0; i < n; ++i) index[i] = static_cast<int>(i * 7 % 19);
        auto const [backwards, second] = ad::evaluate(
            [](auto i) {
                auto const rows = ad::one_hot<19>(i);
                return std::tuple(2.0f * ad::flip<1>(rows), 3.0f * ad::slice<1, 0, ad::to_end, 2>(rows));
            },
            index);
        for (std::size_t i = 0; i < n; ++i)
            for (int c = 0; c < 19; ++c) {
                CAPTURE(i, c);
                auto const at = static_cast<std::size_t>(c);
                CHECK(backwards(i, 18 - at) == (c == index[i] ? 2.0f : 0.0f));
                if (c % 2 == 0) CHECK(second(i, at / 2) == (c == index[i] ? 3.0f : 0.0f));
            }
    }
}

TEST_CASE("index_select: every index the same constant") {
    ad::tensor<double, 3, 2> const x{{1, 2}, {3, 4}, {5, 6}};
    auto f = [](auto v, auto y) {
        return std::tuple(ad::index_select<0>(v, cast<std::int32_t>(pow(y, 0.0))),
                          ad::index_select<0>(v, cast<std::int64_t>(pow(y, 0.0))));
    };
    auto const [a, b] = ad::evaluate(f, x, std::vector<double>{7, 8, 9, 10});
    REQUIRE(a.size() == 8);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 2; ++j) {
            CHECK(a(i, j) == x(1, j));
            CHECK(b(i, j) == x(1, j));
        }
}

TEST_CASE("pad: to a target with any strides, and nothing beside it is written") {
    auto f = ad::fused([](auto x) { return ad::pad<1, 2, 0, 1>(x, 7.0f); });
    using strides = std::array<std::ptrdiff_t, 2>;
    for (auto const& s : {strides{30, 3}, strides{1, 20}, strides{40, 1}, strides{-30, -2}}) {
        CAPTURE(s[0], s[1]);
        ad::tensor<float, dyn, dyn> const x{{1, 2, 3}, {4, 5, 6}};
        std::vector<float> room(400, -1.0f);
        ad::view<float, dyn, dyn> const to(room.data() + 200, 5, 4, s);
        f(ad::into(to), x);
        std::size_t written = 0;
        for (float v : room) written += v != -1.0f;
        CHECK(written == 20);
        for (std::size_t i = 0; i < 5; ++i)
            for (std::size_t j = 0; j < 4; ++j)
                CHECK(to(i, j) == (i >= 1 && i < 3 && j < 3 ? x(i - 1, j) : 7.0f));
    }
}
