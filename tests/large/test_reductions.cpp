// SPDX-License-Identifier: MIT
// Reductions of matrices, by columns, by rows and as a whole.

#include "large/run_large.hpp"

using namespace reference;

namespace {

/// A reduction of a matrix along an axis (none: all of it), by the cases with that axis.
template <class T, int... Axis, class F>
std::size_t along(F f, std::string const& op) {
    using out = std::conditional_t<sizeof...(Axis) == 0, scalar, vector>;
    return run_large_if<T, out, matrix>(f, op, [](test_case const& c) {
        return c.has_parameter("axes") ? c.integers("axes") == std::vector<std::int64_t>{Axis...}
                                       : sizeof...(Axis) == 0;
    });
}

template <class T>
std::size_t columns_logsumexp() {
    return along<T, 0>([](auto x) { return logsumexp<0>(x); }, "logsumexp") +
           run_large_if<T, scalar, vector>([](auto x) { return logsumexp(x); }, "logsumexp");
}
template <class T>
std::size_t columns_mean() {
    return along<T, 0>([](auto x) { return mean<0>(x); }, "mean") +
           run_large_if<T, shape_pattern<1, run, 1>, cube>([](auto x) { return mean<0, 2>(x, ad::keepdims); }, "mean");
}
template <class T>
std::size_t columns_max() {
    return along<T, 0>([](auto x) { return max<0>(x); }, "max");
}
template <class T>
std::size_t columns_var() {
    return along<T, 0>([](auto x) { return var<0>(x); }, "var");
}
template <class T>
std::size_t columns_std() {
    return along<T, 0>([](auto x) { return std_dev<0>(x, {.correction = 0}); }, "std");
}
template <class T>
std::size_t columns_norm() {
    return along<T, 0>([](auto x) { return norm<0>(x); }, "norm");
}

}  // namespace

TEST_CASE("large: logsumexp") {
    CHECK(columns_logsumexp<double>() + along<double, 1>([](auto x) { return logsumexp<1>(x); }, "logsumexp") +
              along<double>([](auto x) { return logsumexp(x); }, "logsumexp") ==
          count_in_file("large", "logsumexp"));
    CHECK(columns_logsumexp<float>() == count_in_file("large_f32", "logsumexp"));
}

TEST_CASE("large: mean") {
    CHECK(columns_mean<double>() + along<double, 1>([](auto x) { return mean<1>(x); }, "mean") +
              along<double>([](auto x) { return mean(x); }, "mean") ==
          count_in_file("large", "mean"));
    CHECK(columns_mean<float>() == count_in_file("large_f32", "mean"));
}

TEST_CASE("large: max") {
    CHECK(columns_max<double>() + along<double, 1>([](auto x) { return max<1>(x); }, "max") +
              along<double>([](auto x) { return max(x); }, "max") ==
          count_in_file("large", "max"));
    CHECK(columns_max<float>() == count_in_file("large_f32", "max"));
}

TEST_CASE("large: var") {
    CHECK(columns_var<double>() + along<double, 1>([](auto x) { return var<1>(x); }, "var") +
              along<double>([](auto x) { return var(x); }, "var") ==
          count_in_file("large", "var"));
    CHECK(columns_var<float>() == count_in_file("large_f32", "var"));
}

TEST_CASE("large: std_dev") {
    CHECK(columns_std<double>() + along<double, 1>([](auto x) { return std_dev<1>(x, {.correction = 0}); }, "std") +
              along<double>([](auto x) { return std_dev(x, {.correction = 0}); }, "std") ==
          count_in_file("large", "std"));
    CHECK(columns_std<float>() == count_in_file("large_f32", "std"));
}

TEST_CASE("large: norm") {
    CHECK(columns_norm<double>() + along<double, 1>([](auto x) { return norm<1>(x); }, "norm") +
              along<double>([](auto x) { return norm(x); }, "norm") ==
          count_in_file("large", "norm"));
    CHECK(columns_norm<float>() == count_in_file("large_f32", "norm"));
}

TEMPLATE_TEST_CASE("large: sum over the middle of three axes", "", double, float) {
    run_large<TestType, matrix, cube>([](auto x) { return sum<1>(x); }, "sum");
}

TEMPLATE_TEST_CASE("large: max_with_index", "", double, float) {
    auto gradient = ad::value_and_grad<0>([](auto x, auto cot) {
        auto [values, indices] = max_with_index<1>(x);
        return std::tuple(sum(values * cot), values, indices);
    });
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<TestType>("large"), "max_with_index")) {
        auto const [value, dx] = gradient(matrix::make<TestType>(c.in("x")), vector::make<TestType>(c.cot("values")));
        CHECK(check_close(c.out("values"), std::get<1>(value), c, "values") == "");
        CHECK(check_close(c.out("indices"), std::get<2>(value), c, "indices") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        ++n;
    }
    CHECK(n == count_in_file(file_of<TestType>("large"), "max_with_index"));
}
