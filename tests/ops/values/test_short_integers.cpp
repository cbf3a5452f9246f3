// SPDX-License-Identifier: MIT
// Integers of 8 and 16 bits, and unsigned ones of 32, as data: computing on them is computing on the same numbers as
// int32, or as int64.

#include <cstdint>
#include <limits>
#include <tuple>

#include "ops/values/storage.hpp"

using namespace storage;

namespace {

template <class T>
using longer = std::conditional_t<std::is_same_v<T, std::uint32_t>, std::int64_t, std::int32_t>;

/// n integers from all over the range of T, its ends among them.
template <class T>
std::vector<T> integers(std::size_t n) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i)
        x[i] = i == 1   ? std::numeric_limits<T>::max()
               : i == 2 ? std::numeric_limits<T>::min()
                        : static_cast<T>(i * 2654435761u >> 7);
    return x;
}

template <class T>
struct everything {
    constexpr auto operator()(auto x, auto f) const {
        auto y = ad::let(x / 3 - 7);
        return std::tuple(ad::cast<float>(x), ad::cast<double>(x) * 0.5, y, x > 100, where(x == y, f, f + 1.0f),
                          sum(ad::cast<double>(x)), sum(x / 64), ad::cast<T>(y), ad::cast<T>(ad::cast<double>(x)), x,
                          ad::cast<ad::half>(x / 128), ad::cast<T>(f));
    }
};

constexpr auto moved = [](auto x) {
    return std::tuple(ad::cast<float>(transpose(x)), sum<0>(x / 8), ad::slice<1, 0, ad::to_end, 2>(x) + 1,
                      ad::flip<0>(x), ad::flatten(x), ad::cast<float>(ad::concat<0>(x, ad::flip<1>(x))));
};

struct pixel {
    std::uint8_t r, g, b;
};

template <template <class, auto...> class Tensor>
struct Sample {
    Tensor<std::uint8_t, 2, 3> image;
    Tensor<float, 2> weight;
};

}  // namespace

TEMPLATE_TEST_CASE("short integers: they are computed with as longer ones are, at every length", "", std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t, std::uint32_t) {
    auto f = ad::fused(everything<TestType>{});
    for (std::size_t n : lengths) {
        auto const x = integers<TestType>(n);
        auto const scale = numbers<float>(n);
        CHECK(f(x, scale) == f(as<longer<TestType>>(x), scale));
        auto const y = std::get<8>(f(x, scale));
        static_assert(std::is_same_v<decltype(y), ad::tensor<TestType, ad::dyn> const>);
        static_assert(std::is_same_v<std::remove_cvref_t<decltype(std::get<9>(f(x, scale)))>,
                                     ad::tensor<longer<TestType>, ad::dyn>>);
        CHECK(same(y, x));
        for (std::size_t i = 0; i < n; ++i) CHECK(std::get<1>(f(x, scale))(i) == 0.5 * static_cast<double>(x[i]));
    }
}

TEMPLATE_TEST_CASE("short integers: views, strided ones too, are read where they are", "", std::int8_t, std::uint16_t,
                   std::uint32_t) {
    auto f = ad::fused(moved);
    for (auto [n, m] : {std::pair{1, 1}, {2, 3}, {5, 4}, {7, 17}, {33, 9}, {0, 3}}) {
        auto const numbers = integers<TestType>(static_cast<std::size_t>(n * m));
        ad::tensor<longer<TestType>, ad::dyn, ad::dyn> x(n, m), turned(m, n);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < m; ++j) x(i, j) = turned(j, i) = numbers[static_cast<std::size_t>(i * m + j)];
        ad::view<TestType const, ad::dyn, ad::dyn> const here(numbers.data(), n, m);
        ad::view<TestType const, ad::dyn, ad::dyn> const across(numbers.data(), m, n,
                                                                std::array<std::ptrdiff_t, 2>{1, m});
        CHECK(f(here) == f(x));
        CHECK(f(across) == f(turned));
    }
}

TEST_CASE("short integers: a conversion to them keeps the low bits, and fractions are cut off") {
    std::vector<std::int32_t> const x{0, 255, 256, -1, 300, 32768, -32769};
    CHECK(same(ad::evaluate([](auto v) { return ad::cast<std::uint8_t>(v); }, x),
               std::vector<std::uint8_t>{0, 255, 0, 255, 44, 0, 255}));
    CHECK(same(ad::evaluate([](auto v) { return ad::cast<std::int16_t>(v); }, x),
               std::vector<std::int16_t>{0, 255, 256, -1, 300, -32768, 32767}));
    CHECK(same(ad::evaluate([](auto v) { return ad::cast<std::uint32_t>(v); }, x),
               std::vector<std::uint32_t>{0, 255, 256, 4294967295u, 300, 32768, 4294934527u}));
    ad::tensor<std::uint8_t, 3> to;
    ad::fused([](auto v) { return ad::cast<std::uint8_t>(v); })(ad::into(to), ad::tensor<float, 3>{1.9f, 254.99f, 0.5f});
    CHECK(to == ad::tensor<std::uint8_t, 3>{1, 254, 0});
    // what is computed from such an expression sees what was stored
    CHECK(ad::evaluate([](auto v) { return sum(ad::cast<std::uint8_t>(v) + 1); }, x) == 255 + 255 + 44 + 255 + 7);
}

TEST_CASE("short integers: as indices they are checked when they are handed in, and errors name the argument") {
    ad::tensor<double, 4, 2> const table{{0, 1}, {10, 11}, {20, 21}, {30, 31}};
    auto rows = [](auto t, auto i) { return sum(square(ad::index_select<0>(t, i))); };
    CHECK(ad::grad<0>(rows)(table, std::vector<std::uint16_t>{2, 0, 2}) ==
          ad::tensor<double, 4, 2>{{0, 2}, {0, 0}, {80, 84}, {0, 0}});
    ad::tensor<double, 4, 2> untouched;
    ad::fill(untouched, 5);
    auto step = ad::value_and_grad<0>(rows);
    std::vector<std::uint8_t> beyond(40, 3);
    beyond[37] = 200;
    CHECK_THROWS_WITH(step(ad::into(untouched), table, beyond),
                      "index_select: the index 200 at (37) of argument 1 is out of range: 0 ... 3 are valid");
    CHECK_THROWS_WITH(step(ad::into(untouched), table, ad::tensor<std::int8_t, 2>{1, -1}),
                      "index_select: the index -1 at (1) of argument 1 is out of range: 0 ... 3 are valid");
    CHECK(untouched(0, 0) == 5);
    auto loss = [](auto x, auto label) { return ad::loss::cross_entropy(x, label); };
    CHECK(ad::grad<0>(loss)(table, std::vector<std::uint8_t>{1, 0, 1, 0}) ==
          ad::grad<0>(loss)(table, std::vector<std::int64_t>{1, 0, 1, 0}));
    CHECK(ad::evaluate([](auto i) { return ad::one_hot<3, float>(i); }, ad::tensor<std::uint8_t, 2>{2, 0}) ==
          ad::tensor<float, 2, 3>{{0, 0, 1}, {1, 0, 0}});
}

TEST_CASE("short integers: in trees, structs, rows, numbers and constants") {
    auto f = [](auto const& s) { return sum(sum<1>(ad::cast<float>(s.image)) * s.weight); };
    Sample<ad::tensor> const s{{{1, 2, 3}, {253, 254, 255}}, {0.5f, 2}};
    CHECK(ad::evaluate(f, s) == 3 + 2 * 762);
    std::vector<pixel> const image{{1, 2, 3}, {255, 0, 128}};
    CHECK(ad::evaluate([](auto p) { return sum<1>(ad::cast<double>(p)); }, image) ==
          ad::tensor<double, ad::dyn>{6, 383});
    CHECK(ad::evaluate([](auto a, auto b) { return a * b; }, std::array<std::int16_t, 2>{300, -300}, std::uint8_t{200}) ==
          ad::tensor<std::int32_t, 2>{60000, -60000});
    CHECK(ad::grad<0>([](auto x, auto n) { return sum(x) / n; })(std::vector<double>{1, 2}, std::uint8_t{4}) ==
          std::vector<double>{0.25, 0.25});
    constexpr auto weighted = [](auto x) {
        ad::tensor<std::uint8_t, 3> const weights{1, 2, 255};
        return sum(weights * x);
    };
    CHECK(ad::grad<0>(weighted)(ad::tensor<double, 3>{1, 1, 1}) == ad::tensor<double, 3>{1, 2, 255});
    CHECK(ad::evaluate(weighted, ad::tensor<std::uint8_t, 3>{1, 2, 255}) == 1 + 4 + 255 * 255);
}

TEST_CASE("short integers: in loops, branches and maps over items") {
    ad::tensor<std::uint8_t, 3, 2> const frames{{1, 2}, {30, 40}, {250, 251}};
    constexpr auto filter = [](auto k, auto xs) {
        auto const step = [&](auto h, auto x) { return h + k * (ad::cast<double>(x) - h); };
        return sum(ad::fold(step, ad::zeros_like(ad::cast<double>(xs[0])), xs));
    };
    ad::tensor<double, 3, 2> wide;
    for (std::size_t i = 0; i < 6; ++i) wide.data()[i] = frames.data()[i];
    constexpr auto reference = [](auto k, auto xs) {
        return sum(ad::fold([&](auto h, auto x) { return h + k * (x - h); }, ad::zeros_like(xs[0]), xs));
    };
    CHECK(ad::grad<0>(filter)(0.3, frames) == Approx(ad::grad<0>(reference)(0.3, wide)).epsilon(1e-14));
    CHECK(ad::vmap([](auto x) { return sum(ad::cast<float>(x)); })(frames) == ad::tensor<float, 3>{3, 70, 501});
    CHECK(ad::vmap([](auto x) { return ad::cast<std::uint8_t>(x * 2); })(frames) ==
          ad::tensor<std::uint8_t, 3, 2>{{2, 4}, {60, 80}, {244, 246}});
    CHECK(ad::evaluate([](auto x) { return ad::cond(sum(x) > 10, [](auto v) { return v + 1; }, [](auto v) { return v; }, x); },
                       frames)(2, 1) == 252);
}

TEST_CASE("short integers: one loop reads, widens and computes; explain names the type") {
    auto f = [](auto image, auto w) { return sum(ad::cast<float>(image) / 255.0f * w); };
    auto step = ad::value_and_grad<1>(f);
    using images = ad::tensor<std::uint8_t, 30, 28>;
    constexpr auto plan = decltype(step)::plan<images, float>();
    static_assert(plan.kernels() == 1 && plan.workspace_bytes() == 0);
    CHECK(ad::explain(step, images{}, 0.5f).find("reads    argument 0 uint8(30, 28)") != std::string::npos);
    ad::function<float(ad::view<std::uint8_t const, ad::dyn>)> const total =
        ad::fused([](auto x) { return sum(ad::cast<float>(x)); });
    CHECK(total(std::vector<std::uint8_t>{1, 2, 255}) == 258);
}
