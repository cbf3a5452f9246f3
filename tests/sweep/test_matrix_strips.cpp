// SPDX-License-Identifier: MIT
// Products of matrices of one batch, which run matrix by matrix together with what is between them: beside the oracle, for all
// numbers of matrices, and on several threads.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::same_on_threads;
using oracle::sweep;
namespace ad = tapeless;

namespace {

constexpr auto options = oracle::sweep_options{.differences = false, .most = 12000, .longest = 70};

constexpr auto attention = [](auto q, auto k, auto v) { return sum(square(ad::attention(q, k, v))); };
constexpr auto heads_of = [](auto x, auto w) {
    return ad::let(ad::swap_axes<1, 2>(ad::reshape<-1, 5, 2, 4>(matmul(x, w))));
};
/// Two heads, which lie side by side in each row.
constexpr auto multi_head = [](auto x, auto q, auto k, auto v) {
    auto const y = ad::attention(heads_of(x, q), heads_of(x, k), heads_of(x, v));
    return sum(square(ad::reshape<-1, 5, 8>(ad::swap_axes<1, 2>(y)) + x));
};
/// A number for each matrix goes from one product to the next; and one for each column, of all matrices.
constexpr auto numbers_between = [](auto x, auto y, auto z, auto s) {
    auto const p = ad::let(matmul(x, y));
    auto const scale = ad::let(1.0 / (1.0 + sum<1, 2>(square(p), ad::keepdims)));
    auto const r = ad::let(matmul(tanh(p) * scale, z) * s);
    return sum(sin(r)) + sum(sum<0>(p) * sum<0>(p));
};
constexpr auto chain = [](auto x, auto y, auto z) {
    auto const a = ad::let(matmul(x, y));
    auto const b = ad::let(matmul(exp(0.1 * a), z));
    return sum(square(matmul(b, ad::swap_axes<2, 3>(b)))) + sum(a);
};

}  // namespace

TEST_CASE("sweep: matrix strips: attention") {
    CHECK(sweep<"n53,n63,n64", 0, 1, 2>(attention, options) == "");
    CHECK(same_on_threads<double, "n53,n63,n64", 0, 1, 2>(attention, 300, 30) == "");
}
TEST_CASE("sweep: matrix strips: heads beside each other") {
    CHECK(sweep<"b58,88,88,88", 0, 1, 2, 3>(multi_head, options) == "");
    CHECK(same_on_threads<float, "b58,88,88,88", 0, 1, 2, 3>(multi_head, 200, 20) == "");
}
TEST_CASE("sweep: matrix strips: numbers of each matrix and of all") {
    CHECK(sweep<"n45,n53,n37,7", 0, 1, 2, 3>(numbers_between, options) == "");
    CHECK(same_on_threads<double, "n45,n53,n37,7", 0, 1, 2, 3>(numbers_between, 300, 30) == "");
}
TEST_CASE("sweep: matrix strips: batches of two axes") {
    CHECK(sweep<"ab43,ab35,ab52", 0, 1, 2>(chain, options) == "");
    CHECK(sweep<"a343,a335,a352", 0, 1, 2>(chain, options) == "");
    CHECK(same_on_threads<float, "a343,a335,a352", 0, 1, 2>(chain, 200, 20) == "");
}
TEST_CASE("sweep: matrix strips: what products alone make is read by other matrices") {
    constexpr auto neighbours = [](auto x, auto y) {
        auto const a = ad::let(matmul(x, y));
        auto const b = ad::let(matmul(a, ad::swap_axes<1, 2>(ad::flip<0>(a))));
        return sum(square(matmul(b, a)));
    };
    CHECK(sweep<"n43,n35", 0, 1>(neighbours, options) == "");
    constexpr auto rolled = [](auto x, auto y) {
        auto const a = ad::let(matmul(x, y));
        auto const b = ad::let(matmul(a, ad::swap_axes<1, 2>(y)));
        return sum(square(matmul(ad::swap_axes<1, 2>(ad::roll<0>(a, 1)), b)));
    };
    CHECK(sweep<"n43,n35", 0, 1>(rolled, options) == "");
}
