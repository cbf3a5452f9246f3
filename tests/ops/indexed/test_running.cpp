// SPDX-License-Identifier: MIT
// Running products and sums of exponentials, sorting, sums by index and arrangements: exact small cases, lengths,
// derivatives, errors.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

std::vector<double> some(int n) {
    std::vector<double> x(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = (i * 37 % 23) / 8.0 - 1;  // with ties
    return x;
}

}  // namespace

TEST_CASE("cumprod, logcumsumexp: at every length, and their gradients by central differences") {
    auto step = ad::value_and_grad<0>(
        [](auto x, auto c) { return sum(ad::cumprod<0>(x) * c) + sum(ad::logcumsumexp<0>(x) * c); });
    for (int n : {0, 1, 2, 3, 17}) {
        auto x = some(n);
        std::vector<double> c(x.size());
        for (std::size_t i = 0; i < c.size(); ++i) c[i] = std::cos(1.0 + static_cast<double>(i));
        auto value = [&](std::vector<double> const& v) {
            double y = 0, p = 1, s = 0;
            for (std::size_t i = 0; i < v.size(); ++i) p *= v[i], s += std::exp(v[i]), y += c[i] * (p + std::log(s));
            return y;
        };
        auto const [y, g] = step(x, c);
        CHECK(y == Approx(value(x)).margin(1e-14));
        for (std::size_t i = 0; i < x.size(); ++i) {
            auto up = x, down = x;
            up[i] += 1e-6, down[i] -= 1e-6;
            CHECK(g[i] == Approx((value(up) - value(down)) / 2e-6).epsilon(1e-6).margin(1e-8));
        }
    }
    CHECK(ad::check_gradient<0>([](auto x) { return sum(square(ad::cumprod<-1>(x)) + ad::logcumsumexp<0>(x)); },
                                ad::tensor<double, 2, 3>{{0.5, -2, 1.5}, {0, 3, 0}}).passed);
}

TEST_CASE("cumprod, logcumsumexp: second derivatives, many items, zeros and infinities") {
    ad::tensor<double, 4> x{0.5, -2, 0, 1.5};
    auto const h = ad::hessian<0>([](auto v) { return sum(ad::cumprod<0>(v)); })(x);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            double want = 0;
            for (int k = std::max(i, j); k < 4 && i != j; ++k) {
                double p = 1;
                for (int m = 0; m <= k; ++m) p *= m == i || m == j ? 1 : x(m);
                want += p;
            }
            CHECK(h(i, j) == Approx(want).margin(1e-14));
        }
    auto const l = ad::hessian<0>([](auto v) { return sum(ad::logcumsumexp<0>(v)); })(x);
    auto gradient = ad::grad<0>([](auto v) { return sum(ad::logcumsumexp<0>(v)); });
    for (int j = 0; j < 4; ++j) {
        auto up = x, down = x;
        up(j) += 1e-5, down(j) -= 1e-5;
        auto const gu = gradient(up), gd = gradient(down);
        for (int i = 0; i < 4; ++i) CHECK(l(i, j) == Approx((gu(i) - gd(i)) / 2e-5).margin(1e-8));
    }
    auto const y = ad::evaluate([](auto v) { return ad::logcumsumexp<0>(v); },
                                ad::tensor<double, 4>{-infinity, -infinity, 1, 1000});
    CHECK(y(1) == -infinity);
    CHECK(y(2) == 1);
    CHECK(y(3) == 1000);
    auto const g = gradient(ad::tensor<double, 4>{-infinity, 2, -800, 900});
    CHECK(g(0) == 1);  // y(0) = x(0)
    CHECK(g(1) == 2);
    CHECK(g(3) == 1);
    ad::tensor<float, 3, 2> m{{1, 2}, {3, 4}, {5, 6}};
    auto const many = ad::evaluate([](auto a) { return ad::vmap([](auto row) { return ad::cumprod<0>(row); })(a); }, m);
    for (int i = 0; i < 3; ++i) CHECK(many(i, 1) == m(i, 0) * m(i, 1));
    ad::tensor<int, 3> whole{2, 3, 4};
    CHECK(ad::evaluate([](auto a) { return ad::cumprod<0>(a); }, whole)(2) == 24);
}

TEST_CASE("cummax, cummin: the first of several gets the gradient, NaN stays") {
    ad::tensor<double, 5> x{1, 3, 3, 2, 4};
    auto const g = ad::grad<0>([](auto v) { return sum(ad::cummax<0>(v).values); })(x);
    CHECK(g == ad::tensor<double, 5>{1, 3, 0, 0, 1});
    auto const i = ad::evaluate([](auto v) { return ad::cummin<0>(v).indices; },
                                ad::tensor<double, 5>{2, not_a_number, 1, not_a_number, 0});
    CHECK(i == ad::tensor<std::int64_t, 5>{0, 1, 1, 1, 1});
}

TEST_CASE("sort, argsort, topk: at every length, stable, NaN last") {
    auto up = ad::fused([](auto x) { return ad::argsort(x); });
    auto down = ad::fused([](auto x) { return ad::argsort(x, ad::descending); });
    for (int n : {0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 100, 1000}) {
        auto const x = some(n);
        std::vector<std::int64_t> want(x.size());
        std::iota(want.begin(), want.end(), 0);
        auto at = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
        std::stable_sort(want.begin(), want.end(), [&](auto i, auto j) { return at(i) < at(j); });
        auto const a = up(x);
        CHECK(std::equal(want.begin(), want.end(), a.begin(), a.end()));
        std::iota(want.begin(), want.end(), 0);
        std::stable_sort(want.begin(), want.end(), [&](auto i, auto j) { return at(i) > at(j); });
        auto const d = down(x);
        CHECK(std::equal(want.begin(), want.end(), d.begin(), d.end()));
        if (n < 17) continue;
        auto const few = ad::evaluate([](auto v) { return ad::topk<0, 3>(v).indices; }, x);
        auto const more = ad::evaluate([](auto v) { return ad::topk<0, 17>(v).indices; }, x);
        CHECK(std::equal(few.begin(), few.end(), want.begin()));
        CHECK(std::equal(more.begin(), more.end(), want.begin()));
    }
    ad::tensor<double, 5> x{2, not_a_number, -infinity, 2, 1};
    CHECK(ad::evaluate([](auto v) { return ad::argsort(v); }, x) == ad::tensor<std::int64_t, 5>{2, 4, 0, 3, 1});
    CHECK(ad::evaluate([](auto v) { return ad::argsort(v, ad::descending); }, x) ==
          ad::tensor<std::int64_t, 5>{1, 0, 3, 4, 2});
    ad::tensor<float, 2, 3> m{{3, 1, 2}, {1, 5, 0}};
    auto const [value, g] = ad::value_and_grad<0>([](auto v) {
        return sum(ad::sort<0>(v).values[0] * ad::tensor<float, 3>{1, 10, 100});
    })(m);
    CHECK(value == 1 + 10 + 0);
    CHECK(g == ad::tensor<float, 2, 3>{{0, 10, 0}, {1, 0, 100}});
    CHECK_THROWS_AS(ad::evaluate([](auto v) { return ad::topk<0, 3>(v).values; }, std::vector<double>{1, 2}),
                    ad::shape_error);
    auto const many =
        ad::evaluate([](auto a) { return ad::vmap([](auto row) { return ad::sort(row).values; })(a); }, m);
    CHECK(many == ad::tensor<float, 2, 3>{{1, 2, 3}, {0, 1, 5}});
}

TEST_CASE("index_add, segment_sum: repeated and missing rows, indices out of range") {
    ad::tensor<double, 3, 2> x{{1, 2}, {3, 4}, {5, 6}};
    std::vector<std::int64_t> index{2, 0, 2};
    auto const y = ad::evaluate([](auto a, auto i) { return ad::segment_sum<4>(a, i); }, x, index);
    CHECK(y == ad::tensor<double, 4, 2>{{3, 4}, {0, 0}, {6, 8}, {0, 0}});
    auto const z = ad::evaluate([](auto a, auto i) { return ad::index_add<0>(a, i, 10.0 * a); }, x, index);
    CHECK(z == ad::tensor<double, 3, 2>{{31, 42}, {3, 4}, {65, 86}});
    std::string text;
    try {
        (void)ad::evaluate([](auto a, auto i) { return ad::segment_sum<2>(a, i); }, x, index);
    } catch (ad::index_error const& e) {
        text = e.what();
    }
    CHECK(text.find("the index 2 at (0) of argument 1") != std::string::npos);
    CHECK(ad::check_gradient<0>([](auto a, auto i) { return sum(square(ad::segment_sum<3>(a, i))); }, x, index).passed);
}

TEST_CASE("swap_axes, lower_triangle, cross: elements go where they belong, and back") {
    ad::tensor<double, 2, 3, 4> x;
    for (int i = 0; i < 24; ++i) x.data()[i] = i;
    auto const y = ad::evaluate([](auto a) { return ad::swap_axes<0, -1>(a); }, x);
    static_assert(std::is_same_v<std::remove_const_t<decltype(y)>, ad::tensor<double, 4, 3, 2>>);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 4; ++k) CHECK(y(k, j, i) == x(i, j, k));
    auto triangle = ad::value_and_grad<0>([](auto v) {
        return sum(square(ad::lower_triangle<3>(v)) * ad::tensor<double, 3, 3>{{1, 9, 9}, {2, 3, 9}, {4, 5, 6}});
    });
    auto const [value, g] = triangle(ad::tensor<double, 6>{1, 2, 3, 4, 5, 6});
    CHECK(value == 1 + 8 + 27 + 64 + 125 + 216);
    CHECK(g == ad::tensor<double, 6>{2, 8, 18, 32, 50, 72});
    auto const many = ad::evaluate([](auto v) { return ad::lower_triangle<2>(v); },
                                   ad::tensor<float, ad::dyn, 3>{{1, 2, 3}, {4, 5, 6}});
    CHECK(many(1, 1, 0) == 5);
    CHECK(many(1, 0, 1) == 0);
    CHECK(many(0, 1, 1) == 3);
    CHECK(ad::evaluate([](auto v) { return ad::lower_triangle<70>(v); }, std::vector<double>(70 * 71 / 2, 1.5))(
              69, 69) == 1.5);
    CHECK_THROWS_AS(ad::evaluate([](auto v) { return ad::lower_triangle<3>(v); }, std::vector<double>(5)),
                    ad::shape_error);
    CHECK(ad::evaluate([](auto a, auto b) { return cross(a, b); }, ad::tensor<double, 3>{1, 2, 3},
                       ad::tensor<double, 3>{4, 5, 6}) == ad::tensor<double, 3>{-3, 6, -3});
}
