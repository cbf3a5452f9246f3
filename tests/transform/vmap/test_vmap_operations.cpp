// SPDX-License-Identifier: MIT
// vmap equals the loop over items, for every kind of operation, and so do gradients item by item and through the whole.

#include "items.hpp"
#include "support/catch.hpp"

namespace {
// Items x (2, 3) and w (2, 3).
constexpr auto elementwise_and_reductions = [](auto x, auto w) {
    auto const e = ad::let(tanh(x) * sum<1>(x, ad::keepdims) + max<0>(x) / (2.0 + w));
    return where(x > w, e, prod<1>(x, ad::keepdims)) + norm<1>(x, ad::keepdims) * std_dev<0>(x) + mean(x);
};
constexpr auto rows = [](auto x, auto w) {
    return ad::softmax<0>(x) * ad::logsumexp<1>(x, ad::keepdims) + ad::log_softmax(w * x);
};
constexpr auto products = [](auto x, auto w) {
    auto const v = ad::let(ad::select<0>(w, 1));
    return matmul(matmul(x, transpose(w)), x) + matmul(ad::einsum<"ij,ik->jk">(x, w), v) * dot(ad::select<0>(x, 0), v);
};
constexpr auto views = [](auto x, auto w) {
    auto const a = ad::concat<0>(ad::reshape<3, 2>(x), ad::flip<1>(transpose(w)));  // (6, 2)
    auto const b = ad::pad<1, 0, 0, 1>(ad::slice<0, 1, ad::to_end, 2>(a), 0.5);     // (4, 3)
    return b * ad::tile<2, 1>(ad::roll<0>(x, 1)) + ad::unsqueeze<1>(ad::stack<0>(sum(x), sum(w), max(x), sum(tril(x))));
};
// Items of a few numbers: their sums are written out.
constexpr auto matrix_times_vector = [](auto m, auto v) { return norm(matmul(m, v)) * ad::softmax(v) + max<0>(m); };
// Items x (4, 3) and indices (4, 3) into both axes.
constexpr auto picked = [](auto x, auto i) {
    auto const along = ad::select<1>(i, 0);
    return ad::cumsum<0>(x) * ad::gather<1>(x, i) + ad::index_select<0>(x, along) +
           take(x, i) * ad::embedding(x, along) + ad::scatter_add<0>(x, i, x) * ad::one_hot<3, double>(along);
};
auto pairs = [](std::int64_t n) { return std::tuple(some<double, 2, 3>(n, 1), some<double, 2, 3>(n, 2)); };
}  // namespace

TEST_CASE("vmap equals the loop over items: elementwise operations and reductions") {
    CHECK(worst_with_gradients<false>(elementwise_and_reductions, pairs) < 1e-12);
}
TEST_CASE("vmap equals the loop over items: softmax and log-sum-exp") {
    CHECK(worst_with_gradients(rows, pairs) < 1e-12);
}
TEST_CASE("vmap equals the loop over items: products") { CHECK(worst_with_gradients<false>(products, pairs) < 1e-12); }
TEST_CASE("vmap equals the loop over items: views, and arrays put together") {
    CHECK(worst_with_gradients(views, pairs) < 1e-12);
}
TEST_CASE("vmap equals the loop over items: cumulative sums, and what is picked by indices") {
    auto make = [](std::int64_t n) { return std::tuple(some<double, 4, 3>(n, 1), some<std::int64_t, 4, 3>(n, 2)); };
    CHECK(worst_with_gradients(picked, make) < 1e-12);
}
TEST_CASE("vmap equals the loop over items: a 3 x 3 matrix and a vector") {
    auto make = [](std::int64_t n) { return std::tuple(some<double, 3, 3>(n, 1), some<double, 3>(n, 2)); };
    CHECK(worst_with_gradients(matrix_times_vector, make) < 1e-12);
}
