// SPDX-License-Identifier: MIT
// cumsum: the reference vectors, long sums, integers, strides.

#include "ops/indexed/indexed_cases.hpp"

using namespace reference;

namespace {

template <int Rank, int... Axis>
struct cumulated {
    template <int A>
    static constexpr auto weighted = [](auto x, auto cot) { return sum(cumsum<A>(x) * cot); };
    template <class T, int A>
    static bool run_along(test_case const& c) {
        if (c.in("x").rank() != Rank || c.integers("axis").at(0) != A) return false;
        auto const [dx, out] =
            ad::grad<0, 1>(weighted<A>)(array_of_rank<T, Rank>(c.in("x")), array_of_rank<T, Rank>(c.cot()));
        CHECK(check_close(c.out(), out, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        return true;
    }
    template <class T>
    static bool run(test_case const& c) {
        return (run_along<T, Axis>(c) || ...);
    }
};
template <class T, class... Pattern>
void run_cumsum() {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("reduce"), "cumsum")) {
        bool const found = (Pattern::template run<T>(c) || ...);
        if (!found) FAIL_CHECK(c.id << ": no pattern for it");
        n += found;
    }
    CHECK(n == count_in_file(file_of<T>("reduce"), "cumsum"));
}

}  // namespace

TEST_CASE("cumsum: the reference cases in double") {
    run_cumsum<double, cumulated<1, 0, -1>, cumulated<2, 0, 1, -1>, cumulated<3, 0, 1, 2, -1>>();
}
TEST_CASE("cumsum: the reference cases in float") {
    run_cumsum<float, cumulated<1, 0>, cumulated<2, 1>, cumulated<3, 1>>();
}

TEST_CASE("cumsum: a million floats keep their digits, forwards and backwards") {
    std::size_t const n = 1000003;
    std::vector<float> x(n), w(n);
    for (std::size_t i = 0; i < n; ++i) {
        x[i] = static_cast<float>(0.1 + 1e-3 * static_cast<double>(i % 7));
        w[i] = static_cast<float>(0.3 + 1e-3 * static_cast<double>(i % 5));
    }
    auto const [dx, y] = ad::grad<0, 1>([](auto a, auto b) { return sum(cumsum<0>(a) * b); })(x, w);
    double sum = 0, worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += static_cast<double>(x[i]);
        worst = std::max(worst, std::abs(static_cast<double>(y[i]) - sum) / sum);
    }
    CHECK(worst < 1e-7);
    sum = worst = 0;
    for (std::size_t i = n; i-- > 0;) {
        sum += static_cast<double>(w[i]);
        worst = std::max(worst, std::abs(static_cast<double>(dx[i]) - sum) / sum);
    }
    CHECK(worst < 1e-7);
}

TEST_CASE("cumsum: along both axes, of every length around a block, dense and transposed") {
    auto rows = ad::fused([](auto x) { return cumsum<1>(x); });
    auto columns = ad::fused([](auto x) { return cumsum<0>(x); });
    auto turned = ad::fused([](auto x) { return cumsum<0>(transpose(x)); });
    for (std::size_t n : {0u, 1u, 2u, 3u, 4u, 5u, 31u, 32u, 33u, 65u})
        for (std::size_t m : {0u, 1u, 3u, 4u, 7u, 32u, 35u}) {
            ad::tensor<int, ad::dyn, ad::dyn> x(n, m);
            for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<int>(i * 7 % 11) - 5;
            auto const r = rows(x), c = columns(x), t = turned(x);
            bool same = true;
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < m; ++j) {
                    same = same && r(i, j) == x(i, j) + (j ? r(i, j - 1) : 0);
                    same = same && c(i, j) == x(i, j) + (i ? c(i - 1, j) : 0);
                    same = same && t(j, i) == r(i, j);
                }
            INFO(n << " x " << m);
            CHECK(same);
        }
}

TEST_CASE("cumsum: a strided view, and strided targets") {
    std::vector<double> memory(60);
    for (std::size_t i = 0; i < 60; ++i) memory[i] = static_cast<double>(i);
    ad::view<double, ad::dyn, 4> every_second(memory.data(), 5, std::array<std::ptrdiff_t, 2>{12, 2});
    auto square_sum = [](auto x) {
        auto y = ad::let(cumsum<0>(x));
        return sum(y * y);
    };
    auto const dense = ad::grad(square_sum)(every_second);
    for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t i = 0; i < 5; ++i) {
            double expected = 0, y = 0;
            for (std::size_t k = 0; k < 5; ++k) {
                y += every_second(k, j);
                if (k >= i) expected += 2 * y;
            }
            CHECK(dense(i, j) == expected);
        }
    std::vector<double> target(60, -1.0);
    ad::view<double, ad::dyn, 4> gradient(target.data() + 19, 5, std::array<std::ptrdiff_t, 2>{-4, 10});
    ad::grad(square_sum)(ad::into(gradient), every_second);
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 4; ++j) CHECK(gradient(i, j) == dense(i, j));
    CHECK(std::count(target.begin(), target.end(), -1.0) == 40);
}

TEST_CASE("cumsum: the second derivative is that of differences") {
    auto f = [](auto x) {
        auto y = ad::let(cumsum<0>(x));
        return sum(y * y * y);
    };
    // H = sum over i of 6 y(i) e e', e = 1 up to i
    std::vector<double> const x{1, -2, 3, 0.5}, v{0.5, 1, -1, 2};
    auto const h = ad::hvp(f)(x, v);
    for (std::size_t a = 0; a < 4; ++a) {
        double expected = 0;
        for (std::size_t i = a; i < 4; ++i) {
            double y = 0, along = 0;
            for (std::size_t k = 0; k <= i; ++k) y += x[k], along += v[k];
            expected += 6 * y * along;
        }
        CHECK(h[a] == expected);  // small multiples of 1/4
    }
}
