// SPDX-License-Identifier: MIT
// The reference cases of what is made of one square matrix by the factors of Cholesky and of Gauss.

#include "ops/linalg/linalg_cases.hpp"

using namespace reference;

TEMPLATE_TEST_CASE("cholesky: the reference cases", "", double, float) {
    run_matrices<TestType, 2>([](auto a) { return la::cholesky(a); }, "cholesky");
}

TEMPLATE_TEST_CASE("cholesky: the reference cases of a product", "", double, float) {
    using T = TestType;
    auto gradient = ad::grad<0, 1>([](auto a, auto cot, auto shift, auto eye) {
        return sum(la::cholesky(matmul(a, ad::transpose(a)) + shift * eye) * cot);
    });
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("linalg"), "cholesky_gram")) {
        auto const a = batch_of<2>::make<T>(c.in("a"));
        ad::tensor<T, ad::dyn, ad::dyn> eye(a.extent(1), a.extent(1));
        for (std::size_t i = 0; i < a.extent(1); ++i) eye(i, i) = 1;
        auto const [da, out] = gradient(a, batch_of<2>::make<T>(c.cot()), static_cast<T>(c.number("shift")), eye);
        CHECK(check_close(c.out(), out, c, "out") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("linalg"), "cholesky_gram"));
}

TEMPLATE_TEST_CASE("inverse, det, logdet: the reference cases", "", double, float) {
    run_matrices<TestType, 2>([](auto a) { return la::inverse(a); }, "inverse");
    run_matrices<TestType, 0>([](auto a) { return la::det(a); }, "det");
    run_matrices<TestType, 0>([](auto a) { return la::logdet(a); }, "logdet");
}

TEMPLATE_TEST_CASE("slogdet: the reference cases", "", double, float) {
    using T = TestType;
    auto program = ad::fused([](auto x, auto weight) {
        auto first = ad::value_and_grad<0>([](auto a, auto cot) {
            auto [sign, log] = la::slogdet(a);
            return sum(log * cot) + 0 * sum(sign);
        })(x, weight);
        auto [sign, log] = la::slogdet(x);
        return std::tuple(sign, log, first.grad);
    });
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("linalg"), "slogdet")) {
        auto const [sign, log, da] = program(batch_of<2>::make<T>(c.in("a")), batch_of<0>::make<T>(c.cot("logabsdet")));
        CHECK(check_close(c.out("sign"), sign, c, "sign") == "");
        CHECK(check_close(c.out("logabsdet"), log, c, "logabsdet") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("linalg"), "slogdet"));
}

TEMPLATE_TEST_CASE("matrix_power: the reference cases", "", double, float) {
    using T = TestType;
    auto gradient = ad::grad<0, 1>([](auto a, auto cot, auto chosen) {
        return sum(cot * weighted_sum(chosen, la::matrix_power(a, -2), la::matrix_power(a, -1), la::matrix_power(a, 0),
                                      la::matrix_power(a, 1), la::matrix_power(a, 2), la::matrix_power(a, 3),
                                      la::matrix_power(a, 4), la::matrix_power(a, 5)));
    });
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("linalg"), "matrix_power")) {
        auto const [da, out] = gradient(batch_of<2>::make<T>(c.in("a")), batch_of<2>::make<T>(c.cot()),
                                        choice<T, 8>(static_cast<std::size_t>(c.integer("exponent") + 2)));
        CHECK(check_close(c.out(), out, c, "out") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("linalg"), "matrix_power"));
}
