// SPDX-License-Identifier: MIT
// Functions whose loops, or whose rules, are for one item: losses with loops of their own, and with_pullback.

#include "items.hpp"
#include "support/catch.hpp"
#include "support/messages.hpp"

namespace {
// Items: scores (4, 3), classes (4); weight (3, 5), input (4, 5).
constexpr auto of_classes = [](auto x, auto t) {
    return ad::loss::cross_entropy(x, t) + ad::loss::multilabel_margin(x, ad::stack<1>(t, t, t)) +
           ad::loss::nll(x, t, {.ignore_index = 1});
};
constexpr auto of_a_layer = [](auto w, auto x, auto t) { return ad::loss::fused_linear_cross_entropy(x, w, t); };
constexpr auto of_sequences = [](auto x, auto labels, auto lengths) {
    return ad::loss::ctc(ad::log_softmax(x), labels, ad::select<0>(lengths, 0), ad::select<0>(lengths, 1));
};
// Not the derivative: its sums show over what they run.
constexpr auto ruled = ad::with_pullback(
    [](auto x, auto y) { return x * y; },
    [](auto g, auto y, auto a, auto b) { return ad::cotangents(g * sum<0>(b) + sum<0>(y), sum<0>(g * a) * b); });
constexpr auto under_a_rule = [](auto x, auto y) { return ruled(x, y); };
// Over pairs of items: the rule is still that of one.
constexpr auto twice = [](auto x, auto y) { return ad::vmap(ad::grad<0>(weighted<decltype(under_a_rule)>{}))(x, y); };

}  // namespace

TEST_CASE("vmap equals the loop over items: losses of classes") {
    auto make = [](std::int64_t n) { return std::tuple(some<double, 4, 3>(n, 1), some<std::int32_t, 4>(n, 2)); };
    CHECK(worst_with_gradients(of_classes, make) < 1e-12);
}
TEST_CASE("vmap equals the loop over items: a fused linear layer and its loss") {
    auto make = [](std::int64_t n) {
        return std::tuple(some<float, 3, 5>(n, 1), some<float, 4, 5>(n, 3), some<std::int64_t, 4>(n, 2));
    };
    CHECK(worst_with_gradients(of_a_layer, make) < 1e-5);
}
TEST_CASE("vmap equals the loop over items: ctc") {
    auto make = [](std::int64_t n) {
        auto labels = some<std::int64_t, 2, 2>(n, 2, 2);
        auto steps = some<std::int64_t, 2, 2>(n, 5, 2);  // of each item: lengths of inputs, then of labels
        for (auto& l : labels) ++l;
        for (std::size_t i = 0; i < steps.size(); ++i) steps.data()[i] += i % 4 < 2 ? 4 : 1;
        return std::tuple(some<double, 5, 2, 3>(n, 1), labels, steps);
    };
    CHECK(worst_with_gradients(of_sequences, make) < 1e-12);
}
TEST_CASE("with_pullback under vmap: a sum in the rule runs over one item, not over all") {
    auto make = [](std::int64_t n) { return std::tuple(some<double, 3>(n, 1), some<double, 3>(n, 2)); };
    CHECK(worst_with_gradients(under_a_rule, make) < 1e-12);
    auto const x = some<double, 2, 3>(5, 1), y = some<double, 2, 3>(5, 2);
    auto single = ad::fused(twice);
    CHECK(worst_of_items(ad::vmap(twice)(x, y), single, x, y) < 1e-12);
}
TEST_CASE("vmap: indices of all items into one array, and one index into the arrays of all items") {
    auto const x = some<double, 4, 3>(1, 1);
    auto const i = some<std::int64_t, 2>(5, 2);
    ad::tensor<std::int64_t, 2> const fixed{2, 0};
    auto const w = item(x, 0);
    auto picks = [](auto a, auto k) {
        return std::tuple(ad::index_select<0>(a, k), ad::index_select<1>(a, k), take(a, k));
    };
    auto single = ad::fused(picks);
    auto const all = ad::vmap<ad::whole, 0>(picks)(w, i);
    auto const arrays = some<double, 4, 3>(5, 3);
    auto const of_arrays = ad::vmap<0, ad::whole>(picks)(arrays, fixed);
    for (std::size_t k = 0; k < 5; ++k) {
        CHECK(distance(all, single(w, item(i, k)), k) == 0);
        CHECK(distance(of_arrays, single(item(arrays, k), fixed), k) == 0);
    }
    auto const lookup = ad::vmap<ad::whole, 0>([](auto a, auto k) { return ad::embedding(a, k); });
    CHECK(mentions(ad::explain(lookup, w, i), {"1 kernel", "embedding"}));
}
TEST_CASE("vmap: an index of some item that is out of range is named before anything is written") {
    auto x = some<double, 4, 3>(6, 1);
    auto t = some<std::int32_t, 4>(6, 2);
    t(4, 1) = 3;
    auto mapped = ad::vmap(of_classes);
    auto const message = index_message([&] { (void)mapped(x, t); });
    INFO(message);
    CHECK(mentions(message, {"index 3 at (4, 1) of argument 1"}));
}
