// SPDX-License-Identifier: MIT
// Recurrences of many steps, by scan.

#include "large/run_large.hpp"

using namespace reference;

namespace {

/// The logarithms of the sums of exponentials so far, along the first axis.
constexpr auto logcumsumexp = [](auto x) {
    auto step = [](auto const& so_far, auto const& next) {
        auto y = ad::let(logaddexp(so_far, next));
        return std::pair(y, y);
    };
    auto first = ad::let(ad::select<0>(x, 0));
    auto [last, rest] = ad::scan(step, first, ad::slice<0, 1, ad::to_end>(x));
    return ad::concat<0>(ad::unsqueeze<0>(first), rest);
};
auto along(int axis) {
    return [axis](test_case const& c) { return c.integer("axis") == axis; };
}

}  // namespace

TEST_CASE("large: logcumsumexp of a vector, of columns and of rows") {
    auto of_rows = [](auto x) { return transpose(logcumsumexp(transpose(x))); };
    CHECK(run_large_if<double, vector, vector>(logcumsumexp, "logcumsumexp") +
              run_large_if<double, matrix, matrix>(logcumsumexp, "logcumsumexp", along(0)) +
              run_large_if<double, matrix, matrix>(of_rows, "logcumsumexp", along(1)) ==
          count_in_file("large", "logcumsumexp"));
    CHECK(run_large_if<float, vector, vector>(logcumsumexp, "logcumsumexp") ==
          count_in_file("large_f32", "logcumsumexp"));
}

TEMPLATE_TEST_CASE("large: a linear recurrence", "", double, float) {
    run_large<TestType, matrix, matrix, vector>(
        [](auto x, auto a) {
            auto keep = ad::let(tanh(a));
            auto step = [&](auto const& h, auto const& now) {
                auto y = ad::let(keep * h + now);
                return std::pair(y, y);
            };
            auto [last, all] = ad::scan(step, 0.0 * a, x);
            return all;
        },
        "linear_recurrence");
}
