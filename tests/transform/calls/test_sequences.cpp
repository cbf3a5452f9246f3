// SPDX-License-Identifier: MIT
// Sequences that loops walk where they are: views of any strides, parts of them, and reshapes of arguments are not
// copied.

#include <tapeless/tapeless.hpp>

#include <array>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr auto discounted = [](auto k, auto xs) {
    return ad::fold([&](auto c, auto x) { return c * k + x; }, 0.0 * ad::select<0>(xs, 0), xs);
};
constexpr auto total = [](auto k, auto xs) { return sum(discounted(k, xs)); };
constexpr auto without_first = [](auto k, auto xs) { return discounted(k, ad::slice<0, 1, ad::to_end>(xs)); };
constexpr auto in_pairs = [](auto k, auto xs) { return discounted(k, ad::reshape<-1, 2>(xs)); };
constexpr auto of_pairs = [](auto k, auto xs) { return discounted(k, xs); };

using matrix = ad::tensor<double, dyn, dyn>;
using strided = ad::view<double, dyn, dyn>;

matrix counted(std::size_t n, std::size_t m) {
    matrix x(n, m);
    for (std::size_t i = 0; i < n * m; ++i) x.data()[i] = static_cast<double>(i % 17) - 3;
    return x;
}
/// "workspace ..." of what explain says.
template <class F, class... A>
std::string workspace_of(F const& f, A const&... a) {
    std::string const text = ad::explain(ad::fused(f), a...);
    std::size_t const at = text.find("workspace");
    return text.substr(at, text.find('\n') - at);
}

}  // namespace

TEST_CASE("sequences: views and parts of views take no more workspace than arrays") {
    matrix x = counted(64, 100);
    strided const view(x.data(), 64, 100);
    CHECK(workspace_of(discounted, 0.5, view) == workspace_of(discounted, 0.5, x));
    CHECK(workspace_of(without_first, 0.5, view) == workspace_of(without_first, 0.5, x));
}

TEST_CASE("sequences: a reshape of an array takes no more than the array of that shape") {
    std::vector<double> const flat(1000);
    ad::tensor<double, dyn, 2> const pairs(500);
    CHECK(workspace_of(in_pairs, 0.5, flat) == workspace_of(of_pairs, 0.5, pairs));
}

TEST_CASE("sequences: every stride, forwards, backwards and transposed, value and gradient") {
    for (std::size_t n : {1u, 2u, 5u, 33u})
        for (std::size_t m : {1u, 3u, 8u, 17u}) {
            matrix x = counted(n, m);
            auto const expected = ad::evaluate(discounted, 0.5, x);
            auto const dense = ad::value_and_grad<0, 1>(total)(0.5, x);
            auto check = [&](strided const& v) {
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < m; ++j) v(i, j) = x(i, j);
                REQUIRE(ad::evaluate(discounted, 0.5, v) == expected);
                auto const [value, gradients] = ad::value_and_grad<0, 1>(total)(0.5, v);
                REQUIRE(value == dense.value);
                REQUIRE(std::get<0>(gradients) == std::get<0>(dense.grad));
                REQUIRE(std::get<1>(gradients) == std::get<1>(dense.grad));
            };
            auto const rows = static_cast<std::ptrdiff_t>(n), columns = static_cast<std::ptrdiff_t>(m);
            std::vector<double> memory(6 * n * m);
            using strides = std::array<std::ptrdiff_t, 2>;
            check(strided(memory.data(), n, m, strides{columns, 1}));
            check(strided(memory.data(), n, m, strides{1, rows}));
            check(strided(memory.data(), n, m, strides{6 * columns, 3}));
            check(strided(memory.data() + n * m - 1, n, m, strides{-columns, -1}));
        }
}
