// SPDX-License-Identifier: MIT
// Kernels of many steps, as whole programs and as bodies of loops, at lengths around lanes, tiles and strips: compared
// with the same in plain loops.

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

namespace {

constexpr double bend = 0.125, push = 0.0625;
/// Another number for each link, so that no two are alike.
constexpr double rate(int link) { return 0.75 + 0.015625 * (link % 16); }

/// y <- y (rate - bend y²) + push x, so many times: four steps each, and as many backwards.
template <int Links, class Y, class X>
constexpr auto chained(Y const& from, X const& x) {
    auto const next = [&](auto const& y, int i) { return ad::let(y * (rate(i) - bend * (y * y)) + push * x); };
    auto y = next(from, 0);
    for (int i = 1; i < Links; ++i) y = next(y, i);
    return y;
}
/// Several of them side by side: one alone would be cut.
constexpr double scales[] = {1, -0.5, 0.25, 0.75, -0.875};
template <int Links>
constexpr auto chains = [](auto x, auto w) {
    auto const one = [&](double s) {
        auto const scaled = ad::let(s * x);
        return chained<Links>(scaled, scaled);
    };
    return sum(w * (one(scales[0]) + one(scales[1]) + one(scales[2]) + one(scales[3]) + one(scales[4])));
};
/// The same as the step of a loop.
template <int Links>
constexpr auto looped = [](auto x, auto w, auto shifts) {
    auto const step = [&](auto y, auto s) { return ad::let(chained<Links>(y, x) + s); };
    return sum(w * ad::fold(step, x, shifts));
};

template <class T>
struct expected {
    double value = 0;
    std::vector<double> by_x, by_w;
    /// `shifts`: a round of links each; none: one round alone.
    expected(int links, std::vector<T> const& x, std::vector<T> const& w, std::vector<T> const& shifts, int rounds)
        : by_x(x.size()), by_w(x.size()) {
        std::vector<double> y(static_cast<std::size_t>(links * rounds) + 1);
        for (std::size_t i = 0; i < x.size(); ++i) {
            std::size_t k = 0;
            y[0] = static_cast<double>(x[i]);
            for (int r = 0; r < rounds; ++r)
                for (int l = 0; l < links; ++l, ++k) {
                    y[k + 1] = y[k] * (rate(l) - bend * y[k] * y[k]) + push * y[0];
                    if (l == links - 1 && !shifts.empty())
                        y[k + 1] += static_cast<double>(shifts[static_cast<std::size_t>(r)]);
                }
            value += static_cast<double>(w[i]) * y[k];
            by_w[i] = y[k];
            double g = static_cast<double>(w[i]);
            while (k-- > 0) {
                by_x[i] += push * g;
                g *= rate(static_cast<int>(k) % links) - 3 * bend * y[k] * y[k];
            }
            by_x[i] += g;
        }
    }
};

template <class T>
std::vector<T> numbers(int n, double scale) {
    std::vector<T> x(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(scale * (static_cast<double>(i % 37) / 19 - 0.9));
    return x;
}
template <class T>
bool is_close(T a, double b, double size = 1) {
    return std::abs(static_cast<double>(a) - b) <= (sizeof(T) == 4 ? 2e-5 : 1e-13) * size * (1 + std::abs(b));
}
/// Where a result is wrong, or -1.
template <class A>
int find_wrong(A const& a, std::vector<double> const& b) {
    for (std::size_t i = 0; i < b.size(); ++i)
        if (!is_close(a.data()[i], b[i])) return static_cast<int>(i);
    return static_cast<std::size_t>(a.size()) == b.size() ? -1 : static_cast<int>(b.size());
}
/// The steps of the longest kernel.
int longest_kernel(std::string const& plan) {
    int longest = 0;
    for (std::size_t at = plan.find("computes "); at != std::string::npos; at = plan.find("computes ", at + 1)) {
        std::size_t const end = plan.find('\n', at);
        longest = std::max(longest, static_cast<int>(std::count(plan.begin() + static_cast<std::ptrdiff_t>(at),
                                                                plan.begin() + static_cast<std::ptrdiff_t>(end), ' ')));
    }
    return longest;
}
std::vector<int> lengths() {
    std::vector<int> r;
    for (int n = 0; n < 40; ++n) r.push_back(n);
    for (int n : {63, 64, 65, 191, 192, 193, 257, 383, 384, 385, 577, 1025}) r.push_back(n);
    return r;
}

#if defined(__clang__)  // kernels end earlier: see schedule/machine.hpp
constexpr int whole_program = 3, body_of_loop = 36, least = 97, of_chain = 24;
#else
constexpr int whole_program = 6, body_of_loop = 44, least = 160, of_chain = 24;
#endif

/// What `chains` has to be.
template <class T>
expected<T> sum_of_chains(int links, std::vector<T> const& x, std::vector<T> const& w) {
    expected<T> all(0, x, std::vector<T>(x.size()), {}, 1);
    all.by_w.assign(x.size(), 0);
    all.by_x.assign(x.size(), 0);
    for (double s : scales) {
        std::vector<T> scaled(x);
        for (T& v : scaled) v *= static_cast<T>(s);
        expected<T> const e(links, scaled, w, {}, 1);
        all.value += e.value;
        for (std::size_t i = 0; i < x.size(); ++i) all.by_w[i] += e.by_w[i], all.by_x[i] += s * e.by_x[i];
    }
    return all;
}

/// `step`: value and gradients by x and w of so many rounds of links, which `shifts` come after; without any, of
/// `chains`.
template <class T, int Links, class Step, class... S>
void check(Step step, int rounds, S const&... shifts) {
    std::vector<T> added;
    ((added = shifts), ...);
    for (int n : lengths()) {
        auto const x = numbers<T>(n, 1), w = numbers<T>(n, -0.7);
        expected<T> const e = sizeof...(S) > 0 ? expected<T>(Links, x, w, added, rounds) : sum_of_chains(Links, x, w);
        auto const [value, g] = step(x, w, shifts...);
        CAPTURE(Links, n);
        CHECK(is_close(value, e.value, 1 + n));
        CHECK(find_wrong(std::get<0>(g), e.by_x) == -1);
        CHECK(find_wrong(std::get<1>(g), e.by_w) == -1);
    }
    auto const x = numbers<T>(64, 1);
    // a chain alone is cut
    CHECK(longest_kernel(ad::explain(step, x, x, shifts...)) >= (sizeof...(S) > 0 ? of_chain : least));
}

}  // namespace

TEMPLATE_TEST_CASE("long kernels: whole programs", "", float, double) {
    check<TestType, whole_program>(ad::value_and_grad<0, 1>(chains<whole_program>), 1);
}
TEMPLATE_TEST_CASE("long kernels: bodies of loops, of several kernels in strips", "", float, double) {
    std::vector<TestType> const shifts{TestType(0.25), TestType(-0.5), TestType(0.125)};
    check<TestType, body_of_loop>(ad::value_and_grad<0, 1>(looped<body_of_loop>), 3, shifts);
}
