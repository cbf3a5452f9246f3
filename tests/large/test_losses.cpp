// SPDX-License-Identifier: MIT
// Losses over many rows.

#include "large/run_large.hpp"

using namespace reference;

namespace {

namespace loss = ad::loss;
using loss::reduction;

template <reduction R>
constexpr auto fused = [](auto x, auto w, auto b, auto t) { return loss::fused_linear_cross_entropy<R>(x, w, b, t); };
constexpr auto smoothed = [](auto x, auto w, auto b, auto t) {
    return loss::fused_linear_cross_entropy(x, w, b, t, {.label_smoothing = 0.1});
};
constexpr auto smoothed_cases = [](test_case const& c) {
    return c.number("label_smoothing") == 0.1 && c.word("reduction") == "mean";
};
auto plain_cases(std::string const& reduced) {
    return [reduced](test_case const& c) { return c.number("label_smoothing") == 0 && c.word("reduction") == reduced; };
}
/// All of the double ones; of the float ones there are fewer.
template <class T, class Out, class F, class Accept>
std::size_t run_fused(F f, Accept accept) {
    return run_large_if<T, Out, matrix, matrix, vector, integers<vector>>(f, "fused_linear_cross_entropy", accept);
}
template <class T, reduction R>
std::size_t run_cross_entropy(std::string const& reduced) {
    auto f = [](auto x, auto t) { return loss::cross_entropy<R>(x, t); };
    return run_large_if<T, scalar, matrix, integers<vector>>(f, "cross_entropy", plain_cases(reduced));
}

}  // namespace

TEST_CASE("large: fused_linear_cross_entropy, by every reduction") {
    CHECK(run_fused<double, scalar>(fused<reduction::mean>, plain_cases("mean")) +
              run_fused<double, scalar>(fused<reduction::sum>, plain_cases("sum")) +
              run_fused<double, vector>(fused<reduction::none>, plain_cases("none")) +
              run_fused<double, scalar>(smoothed, smoothed_cases) ==
          count_in_file("large", "fused_linear_cross_entropy"));
    CHECK(run_fused<float, scalar>(fused<reduction::mean>, plain_cases("mean")) +
              run_fused<float, scalar>(fused<reduction::sum>, plain_cases("sum")) ==
          count_in_file("large_f32", "fused_linear_cross_entropy"));
}

TEST_CASE("large: cross_entropy, as a mean and as a sum") {
    CHECK(run_cross_entropy<double, reduction::mean>("mean") + run_cross_entropy<double, reduction::sum>("sum") ==
          count_in_file("large", "cross_entropy"));
    CHECK(run_cross_entropy<float, reduction::mean>("mean") == count_in_file("large_f32", "cross_entropy"));
}

TEMPLATE_TEST_CASE("large: mse, and the cosines of rows", "", double, float) {
    run_large<TestType, scalar, matrix, matrix>([](auto x, auto t) { return loss::mse(x, t); }, "mse",
                                                [](test_case& c) { REQUIRE(c.word("reduction") == "mean"); });
    run_large<TestType, vector, matrix, matrix>([](auto a, auto b) { return loss::cosine_similarity(a, b); },
                                                "cosine_similarity");
}
