// SPDX-License-Identifier: MIT
// Convolutions of one channel a group by three by three taps, which are read where they are, beside plain loops: at all
// lengths around registers, with more padding than there are taps, of views, of rows longer than there are zeros for.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>
#include <vector>

namespace ad = tapeless;

namespace {

constexpr std::size_t items = 2, channels = 2;

template <class X>
X filled(X x, double v) {
    using T = typename X::value_type;
    for (auto& e : x) e = static_cast<T>(v = std::fmod(v * 7.3 + 0.6, 3.0) - 1);
    return x;
}
/// y and the gradients of sum(c y), in double.
struct plain_loops {
    std::vector<double> y, dx, dw;
    template <class X, class W, class C>
    plain_loops(X const& x, W const& w, C const& c, std::int64_t padding)
        : y(c.size()), dx(items * channels * x.extent(2) * x.extent(3)), dw(w.size()) {
        auto const rows = static_cast<std::int64_t>(x.extent(2)), columns = static_cast<std::int64_t>(x.extent(3));
        std::size_t at = 0;
        for (std::size_t n = 0; n < items; ++n)
            for (std::size_t k = 0; k < channels; ++k)
                for (std::int64_t i = 0; i < static_cast<std::int64_t>(c.extent(2)); ++i)
                    for (std::int64_t j = 0; j < static_cast<std::int64_t>(c.extent(3)); ++j, ++at)
                        for (std::int64_t t = 0; t < 9; ++t) {
                            std::int64_t const p = i + t / 3 - padding, q = j + t % 3 - padding;
                            if (p < 0 || q < 0 || p >= rows || q >= columns) continue;
                            auto const from = static_cast<std::size_t>(
                                (static_cast<std::int64_t>(n * channels + k) * rows + p) * columns + q);
                            std::size_t const tap = k * 9 + static_cast<std::size_t>(t);
                            double const e = x(n, k, static_cast<std::size_t>(p), static_cast<std::size_t>(q));
                            double const g = c.data()[at];
                            y[at] += e * w.data()[tap];
                            dx[from] += g * w.data()[tap];
                            dw[tap] += g * e;
                        }
    }
};
template <class A>
double difference(A const& got, std::vector<double> const& expected) {
    double worst = 0, largest = 1;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        worst = std::max(worst, std::abs(double{got.data()[i]} - expected[i]));
        largest = std::max(largest, std::abs(expected[i]));
    }
    return got.size() == expected.size() ? worst / largest : 1e9;
}
template <int P>
constexpr auto convolve =
    [](auto x, auto w) { return ad::conv2d<ad::conv{.padding = P, .groups = static_cast<int>(channels)}>(x, w); };
template <int P>
constexpr auto weighted = [](auto x, auto w, auto c) { return sum(c * convolve<P>(x, w)); };

template <int P, class X>
void compare(X const& x) {
    using T = std::remove_const_t<typename X::value_type>;
    if (x.extent(2) + 2 * P < 3 || x.extent(3) + 2 * P < 3) return;
    auto const w = filled(ad::tensor<T, channels, 1, 3, 3>{}, 0.7);
    auto const c =
        filled(ad::tensor<T, items, channels, ad::dyn, ad::dyn>(x.extent(2) + 2 * P - 2, x.extent(3) + 2 * P - 2), 0.2);
    plain_loops const expected(x, w, c, P);
    auto const y = ad::fused(convolve<P>)(x, w);
    auto const [dx, dw] = ad::grad<0, 1>(weighted<P>)(x, w, c);
    double const small = std::is_same_v<T, float> ? 2e-6 : 1e-14;
    INFO("padding " << P << ", " << x.extent(2) << " x " << x.extent(3));
    CHECK(difference(y, expected.y) < small);
    CHECK(difference(dx, expected.dx) < small);
    CHECK(difference(dw, expected.dw) < 4 * small);
}
template <class T>
auto images(std::size_t rows, std::size_t columns) {
    return filled(ad::tensor<T, items, channels, ad::dyn, ad::dyn>(rows, columns), 0.3);
}

}  // namespace

TEST_CASE("conv2d: three by three taps of one channel are read in place, at all lengths") {
    for (std::size_t columns = 1; columns <= 37; ++columns)
        for (std::size_t rows : {1u, 2u, 3u, 4u, 6u, 9u}) {
            compare<1>(images<float>(rows, columns));
            compare<0>(images<float>(rows, columns));
            compare<1>(images<double>(rows, columns));
        }
    for (std::size_t columns : {1u, 4u, 8u, 9u, 20u, 35u}) {
        compare<2>(images<float>(5, columns));
        compare<6>(images<float>(3, columns));
    }
}

TEST_CASE("conv2d: three by three taps of one channel: long rows, many rows") {
    for (std::size_t columns : {1020u, 1024u, 1025u, 1300u}) compare<1>(images<float>(3, columns));
    compare<1>(images<double>(4, 515));
    compare<1>(images<float>(150, 61));
}

TEST_CASE("conv2d: three by three taps of views") {
    auto const all = images<float>(20, 60);
    using shown = ad::view<float const, items, channels, ad::dyn, ad::dyn>;
    using strides = std::array<std::ptrdiff_t, 4>;
    compare<1>(shown(all.data() + 3, 9, 24, strides{2400, 1200, 120, 1}));        // every second row, part of it
    compare<1>(shown(all.data(), 9, 24, strides{2400, 1200, 120, 2}));            // every second element
    compare<1>(shown(all.data() + 1199, 9, 24, strides{2400, 1200, -60, -1}));    // backwards
    compare<1>(shown(all.data() + 19 * 60, 9, 24, strides{2400, 1200, -60, 1}));  // upside down
}

TEST_CASE("conv2d: three by three taps: what is infinite stays where it is") {
    auto x = images<float>(6, 19);
    x(0, 0, 2, 9) = std::numeric_limits<float>::infinity();
    auto const w = filled(ad::tensor<float, channels, 1, 3, 3>{}, 0.7);
    auto ones = images<float>(6, 19);
    std::fill(ones.begin(), ones.end(), 1.0f);
    auto const dw = ad::grad<1>(weighted<1>)(x, w, ones);
    int infinite = 0;
    for (int k = 0; k < 9; ++k) infinite += std::isinf(dw.data()[k]);
    CHECK(infinite == 9);
    auto const y = ad::fused(convolve<1>)(x, w);
    int numbers = 0;
    for (float v : y) numbers += std::isfinite(v);
    CHECK(numbers == static_cast<int>(y.size()) - 9);
}
