// SPDX-License-Identifier: MIT
// The reference cases of orthogonal factors: qr, eigh, svd.

#include "ops/linalg/linalg_cases.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

using namespace reference;

namespace {
std::size_t place_in(std::vector<std::string> const& names, std::string const& name) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return i;
    throw std::runtime_error("no function " + name);
}
}  // namespace

TEMPLATE_TEST_CASE("qr: the reference cases, of q and r at once", "", double, float) {
    using T = TestType;
    auto gradient = ad::grad<0, 1, 2>([](auto a, auto cot_q, auto cot_r) {
        auto [q, r] = la::qr(a);
        return sum(q * cot_q) + sum(r * cot_r);
    });
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("linalg"), "qr")) {
        auto const [da, q, r] = gradient(batch_of<2>::make<T>(c.in("a")), batch_of<2>::make<T>(c.cot("q")),
                                         batch_of<2>::make<T>(c.cot("r")));
        CHECK(check_close(c.out("q"), q, c, "q") == "");
        CHECK(check_close(c.out("r"), r, c, "r") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("linalg"), "qr"));
}

TEMPLATE_TEST_CASE("eigvalsh, svdvals: the reference cases", "", double, float) {
    run_matrices<TestType, 1>([](auto a) { return la::eigvalsh(a); }, "eigvalsh");
    run_matrices<TestType, 1>([](auto a) { return la::svdvals(a); }, "svdvals");
    run_matrices<TestType, 2>([](auto a) { return square(std::get<1>(la::eigh(a))); }, "eigh_squares");
}

TEMPLATE_TEST_CASE("eigh: functions of symmetric matrices, of the reference", "", double, float) {
    using T = TestType;
    auto gradient = ad::grad<0, 1, 2>([](auto a, auto cot_w, auto cot_m, auto chosen) {
        auto [w, v] = la::eigh(a);
        auto f = weighted_sum(chosen, w * w * w, exp(-w), sin(w), softplus(w), square(w), tanh(w));
        return sum(w * cot_w) + sum(matmul(v * ad::unsqueeze<1>(f), ad::transpose(v)) * cot_m);
    });
    std::vector<std::string> const names{"cube", "exp_neg", "sin", "softplus", "square", "tanh"};
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("linalg"), "eigh_function")) {
        auto const [da, w, m] =
            gradient(batch_of<2>::make<T>(c.in("a")), batch_of<1>::make<T>(c.cot("w")),
                     batch_of<2>::make<T>(c.cot("m")), choice<T, 6>(place_in(names, c.word("function"))));
        CHECK(check_close(c.out("w"), w, c, "w") == "");
        CHECK(check_close(c.out("m"), m, c, "m") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("linalg"), "eigh_function"));
}

TEMPLATE_TEST_CASE("svd: functions of singular values, of the reference", "", double, float) {
    using T = TestType;
    auto gradient = ad::grad<0, 1>([](auto a, auto cot, auto chosen) {
        auto [u, s, v] = la::svd(a);
        auto f = weighted_sum(chosen, s * s * s, log1p(s), s / s, sin(s), square(s), tanh(s));
        return sum(matmul(u * ad::unsqueeze<1>(f), ad::transpose(v)) * cot);
    });
    std::vector<std::string> const names{"cube", "log1p", "one", "sin", "square", "tanh"};
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("linalg"), "svd_function")) {
        auto const [da, out] = gradient(batch_of<2>::make<T>(c.in("a")), batch_of<2>::make<T>(c.cot()),
                                        choice<T, 6>(place_in(names, c.word("function"))));
        CHECK(check_close(c.out(), out, c, "out") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("linalg"), "svd_function"));
}

TEMPLATE_TEST_CASE("eigh, svd: of a matrix with NaN or infinity all are NaN, of the others of a batch none", "", double,
                   float) {
    using T = TestType;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    auto const missing = [](auto const& x) {
        return std::count_if(x.begin(), x.end(), [](T v) { return v != v; });
    };
    for (std::size_t n : {1u, 2u, 3u, 5u, 16u, 17u, 40u})
        for (T const wrong : {nan, std::numeric_limits<T>::infinity()})
            for (std::size_t column : {std::size_t{0}, n - 1}) {
                ad::tensor<T, 2, ad::dyn, ad::dyn> a(n, n);
                for (std::size_t i = 0; i < n; ++i) a(0, i, i) = a(1, i, i) = static_cast<T>(i + 1);
                a(0, 0, column) = a(0, column, 0) = wrong;
                CAPTURE(n, column);
                auto const [w, v] = ad::evaluate([](auto x) { return la::eigh(x); }, a);
                auto const [u, s, z] = ad::evaluate([](auto x) { return la::svd(x); }, a);
                auto const count = static_cast<std::ptrdiff_t>(n);
                CHECK(missing(w) == count);
                CHECK(missing(v) == count * count);
                CHECK(missing(s) == count);
                CHECK(missing(u) == count * count);
                CHECK(missing(z) == count * count);
                CHECK(missing(ad::evaluate([](auto x) { return la::eigvalsh(x); }, a)) == count);
                CHECK(missing(ad::evaluate([](auto x) { return la::svdvals(x); }, a)) == count);
                CHECK(w(1, n - 1) == static_cast<T>(n));
            }
}
