// SPDX-License-Identifier: MIT
// Denormal, tiny and huge elements that are picked, moved, and added up at indices: every one arrives as it is, sums
// are exact where they can be.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "usage/magnitudes.hpp"

namespace ad = tapeless;
using ad::dyn;
using namespace magnitudes;

namespace {

using index_matrix = ad::tensor<std::int64_t, dyn, dyn>;

/// Whole multiples of a scale, up to 8 of either sign, so that sums of a hundred of them are exact.
template <class T>
T multiple(std::size_t i, T scale) { return static_cast<T>(static_cast<int>(i * 7 % 17) - 8) * scale; }

template <class T>
matrix<T> multiples(std::size_t n, std::size_t m, T scale) {
    matrix<T> x(n, m);
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = multiple(i, scale);
    return x;
}
index_matrix some(std::size_t n, std::size_t m, std::size_t limit) {
    index_matrix t(n, m);
    for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = static_cast<std::int64_t>(i * 5 % limit);
    return t;
}
std::size_t at(index_matrix const& t, std::size_t i, std::size_t j) { return static_cast<std::size_t>(t(i, j)); }

/// The smallest numbers there are, the smallest normal ones, and numbers of which a few hundred still have a sum.
template <class T>
std::vector<T> scales() {
    return {limits<T>::denorm_min(), limits<T>::min(), std::ldexp(T(1), limits<T>::max_exponent - 12)};
}

struct size {
    std::size_t n, m;
};
constexpr size sizes[] = {{1, 1}, {3, 5}, {5, 64}, {17, 7}, {33, 3}};

template <class T, class Check>
void sweep(Check check) {
    for (T scale : scales<T>())
        for (auto [n, m] : sizes) {
            CAPTURE(scale, n, m);
            check(multiples(n, m, scale), n, m, scale);
        }
}
/// "" where the two are the same numbers.
template <class A, class B>
std::string difference(A const& is, B const& expected) {
    if (is.size() != expected.size()) return "sizes differ";
    for (std::size_t i = 0; i < is.size(); ++i)
        if (!(is.data()[i] == expected.data()[i]))
            return "element " + std::to_string(i) + " is " + std::to_string(is.data()[i]) + " instead of " +
                   std::to_string(expected.data()[i]);
    return {};
}

}  // namespace

TEMPLATE_TEST_CASE("magnitudes: gather, index_select, take and embedding give the elements themselves", "", float,
                   double) {
    using T = TestType;
    auto f = ad::fused([](auto x, auto down, auto rows, auto flat) {
        return std::tuple(ad::gather<0>(x, down), ad::index_select<0>(x, rows), ad::embedding(x, rows),
                          ad::take(x, flat));
    });
    sweep<T>([&](matrix<T> const& x, std::size_t n, std::size_t m, T) {
        auto const down = some(n + 2, m, n), flat = some(n, 9, n * m);
        std::vector<int> rows(2 * n + 1);
        for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<int>(i * 3 % n);
        matrix<T> gathered(n + 2, m), selected(2 * n + 1, m), taken(n, 9);
        for (std::size_t i = 0; i < n + 2; ++i)
            for (std::size_t j = 0; j < m; ++j) gathered(i, j) = x(at(down, i, j), j);
        for (std::size_t i = 0; i < rows.size(); ++i)
            for (std::size_t j = 0; j < m; ++j) selected(i, j) = x(static_cast<std::size_t>(rows[i]), j);
        for (std::size_t i = 0; i < taken.size(); ++i) taken.data()[i] = x.data()[flat.data()[i]];
        auto const [g, s, e, t] = f(x, down, rows, flat);
        CHECK(difference(g, gathered) == "");
        CHECK(difference(s, selected) == "");
        CHECK(difference(e, selected) == "");
        CHECK(difference(t, taken) == "");
    });
}

TEMPLATE_TEST_CASE("magnitudes: scatter_add and gradients add up exactly at an index", "", float, double) {
    using T = TestType;
    auto scatter = ad::fused([](auto x, auto i, auto s) { return ad::scatter_add<0>(x, i, s); });
    auto gathered = ad::grad<0>([](auto x, auto i, auto c) { return sum(ad::gather<0>(x, i) * c); });
    auto embedded = ad::grad<0>([](auto x, auto i, auto c) { return sum(ad::embedding(x, i) * c); });
    sweep<T>([&](matrix<T> const& x, std::size_t n, std::size_t m, T scale) {
        auto const i = some(2 * n, m, n);
        matrix<T> const s = multiples(2 * n, m, scale);
        matrix<T> sums(n, m), both(n, m), rows(n, m);
        for (std::size_t p = 0; p < 2 * n; ++p)
            for (std::size_t j = 0; j < m; ++j) {
                sums(at(i, p, j), j) += s(p, j);
                rows(p * 3 % n, j) += s(p, j);
            }
        for (std::size_t p = 0; p < x.size(); ++p) both.data()[p] = x.data()[p] + sums.data()[p];
        CHECK(difference(scatter(x, i, s), both) == "");
        CHECK(difference(gathered(x, i, s), sums) == "");
        std::vector<int> which(2 * n);
        for (std::size_t p = 0; p < which.size(); ++p) which[p] = static_cast<int>(p * 3 % n);
        CHECK(difference(embedded(x, which, s), rows) == "");
    });
}

TEMPLATE_TEST_CASE("magnitudes: cumsum and moves of denormal and of huge elements are exact", "", float, double) {
    using T = TestType;
    auto f = ad::fused([](auto x) {
        return std::tuple(ad::cumsum<0>(x), ad::flip<1>(x), ad::concat<0>(x, -x), transpose(x), ad::roll<0>(x, 1));
    });
    sweep<T>([&](matrix<T> const& x, std::size_t n, std::size_t m, T) {
        auto const [sums, flipped, twice, turned, rolled] = f(x);
        matrix<T> so_far = x;
        for (std::size_t i = 1; i < n; ++i)
            for (std::size_t j = 0; j < m; ++j) so_far(i, j) += so_far(i - 1, j);
        CHECK(difference(sums, so_far) == "");
        std::string wrong;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < m; ++j)
                if (!(flipped(i, m - 1 - j) == x(i, j) && twice(i, j) == x(i, j) && twice(n + i, j) == -x(i, j) &&
                      turned(j, i) == x(i, j) && rolled((i + 1) % n, j) == x(i, j)))
                    wrong += "(" + std::to_string(i) + ", " + std::to_string(j) + ") ";
        CHECK(wrong == "");
    });
}

TEMPLATE_TEST_CASE("magnitudes: extremes with their indices tell denormal and huge elements apart", "", float, double) {
    using T = TestType;
    auto f = ad::fused([](auto x) {
        auto const [high, where_high] = ad::max_with_index<1>(x);
        auto const [low, where_low] = ad::min_with_index<1>(x);
        return std::tuple(high, where_high, low, where_low);
    });
    sweep<T>([&](matrix<T> const& x, std::size_t n, std::size_t m, T) {
        auto const [high, where_high, low, where_low] = f(x);
        for (std::size_t i = 0; i < n; ++i) {
            std::size_t most = 0, least = 0;
            for (std::size_t j = 1; j < m; ++j) {
                if (x(i, j) > x(i, most)) most = j;
                if (x(i, j) < x(i, least)) least = j;
            }
            CHECK(high(i) == x(i, most));
            CHECK(where_high(i) == static_cast<std::int64_t>(most));
            CHECK(low(i) == x(i, least));
            CHECK(where_low(i) == static_cast<std::int64_t>(least));
        }
    });
}

TEST_CASE("magnitudes: the denormal numbers of half and bfloat16 are picked as they are") {
    auto f = ad::fused([](auto x, auto i) { return cast<ad::half>(ad::gather<0>(x, i)); });
    auto g = ad::fused([](auto x, auto i) { return cast<ad::bfloat16>(ad::gather<0>(x, i)); });
    ad::tensor<ad::half, dyn> x(100);
    ad::tensor<ad::bfloat16, dyn> y(100);
    std::vector<int> order(100);
    for (std::size_t i = 0; i < 100; ++i) {
        x(i) = static_cast<ad::half>(static_cast<float>(i) * 0x1p-24f);
        y(i) = static_cast<ad::bfloat16>(static_cast<float>(i) * 0x1p-133f);
        order[i] = static_cast<int>(i * 37 % 100);
    }
    auto const a = f(x, order);
    auto const b = g(y, order);
    for (std::size_t i = 0; i < 100; ++i) {
        CAPTURE(i);
        CHECK(static_cast<float>(a(i)) == static_cast<float>(order[i]) * 0x1p-24f);
        CHECK(static_cast<float>(b(i)) == static_cast<float>(order[i]) * 0x1p-133f);
    }
}
