// SPDX-License-Identifier: MIT
// What is computed in one pass with its neighbours is what it is by itself: programs in which something nearly fits.

#include "support/agree.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <string>
#include <tuple>

namespace ad = tapeless;
using ad::dyn;
using oracle::agree;

namespace {

using line = ad::tensor<double, dyn>;
using matrix = ad::tensor<double, dyn, dyn>;
using cube = ad::tensor<double, dyn, dyn, dyn>;

template <class A>
A filled(A a) {
    double i = 0;
    for (auto& v : a) v = std::sin(1.7 * ++i);
    return a;
}

}  // namespace

TEST_CASE("fusion: what needs sums of two kinds of rows") {
    for (auto [n, m, k] : {std::tuple{2, 3, 4}, std::tuple{1, 5, 9}, std::tuple{3, 1, 17}}) {
        auto const x = filled(cube(n, m, k));
        CHECK(agree([](auto v) { return v - sum<1, 2>(v, ad::keepdims) * sum<2>(v, ad::keepdims); }, x) == "");
    }
}

TEST_CASE("fusion: a row of two axes beside something that has one of them") {
    for (auto [n, k] : {std::pair{2, 4}, std::pair{3, 9}, std::pair{1, 1}}) {
        auto const x = filled(ad::tensor<double, dyn, 3, dyn>(n, k));
        auto const c = filled(ad::tensor<double, 3, 1>());
        CHECK(agree([](auto v, auto w) { return w * (v - mean<1, 2>(v, ad::keepdims)); }, x, c) == "");
        CHECK(agree([](auto v, auto s) { return sin(ad::expand<3, 1>(s)) * (v - mean<1, 2>(v, ad::keepdims)); }, x,
                    0.3) == "");
    }
}

TEST_CASE("fusion: a sum of everything, used as a number and in the loops") {
    for (auto [n, m] : {std::pair{2, 3}, std::pair{5, 9}, std::pair{1, 17}}) {
        auto const x = filled(matrix(n, m));
        auto const r = filled(line(m));
        auto const f = [](auto v, auto w) {
            auto const t = ad::let(sum(v * w));
            return std::tuple(exp(t), v * t);
        };
        CHECK(agree(f, x, r) == "");
    }
}

TEST_CASE("fusion: a value that is needed under two shapes") {
    for (auto [n, m] : {std::pair{2, 6}, std::pair{5, 3}, std::pair{1, 3}}) {
        auto const x = filled(matrix(n, m));
        auto const w = filled(ad::tensor<double, dyn, 3>(n * m / 3));
        auto const f = [](auto v, auto u) {
            auto const y = ad::let(sin(v));
            return std::tuple(ad::reshape<-1, 3>(y) * u, sum<0>(y));
        };
        CHECK(agree(f, x, w) == "");
    }
}

TEST_CASE("fusion: the last rows of a vector cut into rows") {
    for (int n : {6, 9, 30})
        CHECK(agree([](auto v) { return 2.0 * ad::slice<0, -2, ad::to_end>(ad::reshape<-1, 3>(v)); },
                    filled(line(n))) == "");
}

TEST_CASE("fusion: what is computed from several arrays is stored for the kernels after it") {
    auto const f = [](auto u) {
        auto const slope = [](auto v) {
            auto const l = ad::roll<0>(v, 1), r = ad::roll<0>(v, -1);
            return ad::let(0.3 * (l - 2.0 * v + r) - 0.5 * v * (r - l));
        };
        auto const k = slope(u);
        return slope(ad::let(u + 0.1 * k)) + k;
    };
    for (int n : {1, 2, 3, 7, 8, 9, 16, 17, 33, 100}) CHECK(agree(f, filled(line(n))) == "");
    auto const plan = ad::explain(ad::fused(f), line(100));
    CAPTURE(plan);
    CHECK(plan.find("writes   buffer 0") != std::string::npos);
    CHECK(plan.find("writes   buffer 1") != std::string::npos);
    // of one array it is computed again
    auto const again = ad::explain(ad::fused([](auto u) {
                                       auto const k = ad::let(u * (1.0 - u * u));
                                       auto const v = ad::let(exp(u) * k);
                                       return ad::roll<0>(v, 1) + ad::roll<0>(v, -1) + k;
                                   }),
                                   line(100));
    CAPTURE(again);
    CHECK(again.find("writes   buffer 0") != std::string::npos);
    CHECK(again.find("writes   buffer 1") == std::string::npos);
}

TEST_CASE("fusion: steps written out do not read what all steps before them have left") {
    auto const f = [](auto v) {
        for (int i = 0; i < 8; ++i) {
            auto const left = ad::slice<0, 0, -2>(v);
            auto const here = ad::slice<0, 1, -1>(v);
            auto const right = ad::slice<0, 2, ad::to_end>(v);
            v = ad::let(v + ad::pad<1, 1>(0.25 * (left - 2.0 * here + right)));
        }
        return sum(square(v));
    };
    for (int n : {3, 4, 5, 9, 200}) CHECK(agree<0>(f, filled(line(n))) == "");
    std::string const plan = ad::explain(ad::value_and_grad<0>(f), filled(line(200)));
    int reads = 0, most = 0;
    for (std::size_t at = 0; at < plan.size(); at = plan.find('\n', at) + 1) {
        if (plan.compare(at, 6, "kernel") == 0) reads = 0;
        if (plan.compare(at, 7, "  reads") == 0 && ++reads > most) most = reads;
        if (plan.find('\n', at) == std::string::npos) break;
    }
    CHECK(most <= 12);
}

TEST_CASE("fusion: a number that an array is computed from costs nothing where it is computed again") {
    auto const f = [](auto w, auto x, auto y) { return mean(square(matmul(x, w) - y)); };
    auto const scaled = [](auto w, auto x, auto y) { return sum(square(matmul(x, w) - y)) / (1.0 + sum(y)); };
    for (int n : {1, 2, 3, 4, 7, 9})
        for (int m : {1, 2, 5, 8, 9, 31, 64}) {
            CAPTURE(m, n);
            CHECK(agree<0>(f, filled(line(n)), filled(matrix(m, n)), filled(line(m))) == "");
            CHECK(agree<0>(scaled, filled(line(n)), filled(matrix(m, n)), filled(line(m))) == "");
        }
    // the matrix is read once, for the residuals and for the gradient
    auto const plan = ad::explain(ad::value_and_grad<0>(f), line(9), matrix(31, 9), line(31));
    CAPTURE(plan);
    std::size_t const first = plan.find("argument 1");
    CHECK(first != std::string::npos);
    CHECK(plan.find("argument 1", first + 1) == std::string::npos);
}
