// SPDX-License-Identifier: MIT
// How fast are convolutions and windows as views? In float, on one thread:
//
//   bench_convolution [PATTERN]     only the lines that contain it, e.g. "3x3", "windows"
//
// A convolution is compared with our own product of the equivalent matrices (`product`), and with all windows written
// out as a matrix by hand and that product of it (`im2col`; OpenBLAS's where it is installed): GFLOP/s, forward, and
// forward with both gradients, which are two more products. A depthwise one is compared with copying what it reads and
// writes: GB/s. Lines `behind` say how much longer a convolution takes with a bias and a relu behind it, and with 2 x 2
// pooling behind those, than by itself. Windows as views are compared with loops by hand. `error` is the largest difference to plain
// loops, relative to the largest number.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <tapeless/tapeless.hpp>
#include <vector>

#include "support/blas.hpp"
#include "support/images.hpp"
#include "support/measure.hpp"
#include "support/numbers.hpp"

// g++ 12 turns few loops into vectors at -O2.
#if defined(__clang__)
#define TAPELESS_BENCH_O3
#else
#define TAPELESS_BENCH_O3 __attribute__((optimize("O3")))
#endif

namespace ad = tapeless;

namespace {

std::string_view only;
bool is_asked_for(std::string const& line) { return line.find(only) != std::string::npos; }

using matrix = ad::tensor<float, ad::dyn, ad::dyn>;

struct conv_size {
    char const* name;
    std::int64_t items, channels, outputs, rows, columns, kernel_rows, kernel_columns, stride, padding, groups;
    std::int64_t out_rows() const { return (rows + 2 * padding * (kernel_rows > 1) - kernel_rows) / stride + 1; }
    std::int64_t out_columns() const { return (columns + 2 * padding - kernel_columns) / stride + 1; }
    std::int64_t depth() const { return channels / groups * kernel_rows * kernel_columns; }
    std::int64_t windows() const { return out_rows() * out_columns(); }
    double flops() const { return 2.0 * static_cast<double>(items * outputs * depth() * windows()); }
};

/// Element (c, i, j) of an image, or 0 around it.
float pixel(conv_size const& s, float const* x, std::int64_t c, std::int64_t i, std::int64_t j) {
    return i < 0 || j < 0 || i >= s.rows || j >= s.columns ? 0 : x[(c * s.rows + i) * s.columns + j];
}
std::int64_t row_padding(conv_size const& s) { return s.kernel_rows > 1 ? s.padding : 0; }

/// The windows of one image, a column each.
void write_windows(conv_size const& s, float const* x, float* to) {
    for (std::int64_t c = 0; c < s.channels; ++c)
        for (std::int64_t h = 0; h < s.kernel_rows; ++h)
            for (std::int64_t w = 0; w < s.kernel_columns; ++w)
                for (std::int64_t i = 0; i < s.out_rows(); ++i) {
                    std::int64_t const at = i * s.stride + h - row_padding(s);
                    if (at < 0 || at >= s.rows) {
                        for (std::int64_t j = 0; j < s.out_columns(); ++j) *to++ = 0;
                        continue;
                    }
                    float const* const row = x + (c * s.rows + at) * s.columns;
                    for (std::int64_t j = 0; j < s.out_columns(); ++j) {
                        std::int64_t const column = j * s.stride + w - s.padding;
                        *to++ = column < 0 || column >= s.columns ? 0 : row[column];
                    }
                }
}
double error_of(conv_size const& s, images const& x, images const& w, images const& y) {
    double worst = 0, largest = 0;
    std::int64_t const outputs = s.outputs / s.groups, channels = s.channels / s.groups;
    for (std::int64_t o = 0; o < s.outputs; o += 1 + s.outputs / 7)
        for (std::int64_t i = 0; i < s.out_rows(); ++i)
            for (std::int64_t j = 0; j < s.out_columns(); ++j) {
                double sum = 0;
                for (std::int64_t c = 0; c < channels; ++c)
                    for (std::int64_t h = 0; h < s.kernel_rows; ++h)
                        for (std::int64_t v = 0; v < s.kernel_columns; ++v)
                            sum += static_cast<double>(
                                       w.data()[((o * channels + c) * s.kernel_rows + h) * s.kernel_columns + v]) *
                                   pixel(s, x.data(), o / outputs * channels + c, i * s.stride + h - row_padding(s),
                                         j * s.stride + v - s.padding);
                worst = std::max(worst, std::abs(sum - y.data()[(o * s.out_rows() + i) * s.out_columns() + j]));
                largest = std::max(largest, std::abs(sum));
            }
    return worst / largest;
}

/// One line of the table; K says what is known when compiled.
template <int H, int W, ad::conv C>
void compare(conv_size s) {
    if (!is_asked_for(s.name)) return;
    constexpr auto forward = [](auto x, auto w) { return ad::conv2d<C>(x, w); };
    constexpr auto loss = [](auto x, auto w) { return sum(square(ad::conv2d<C>(x, w))); };
    constexpr auto multiply = [](auto a, auto b) { return matmul(a, b); };
    using weights = ad::tensor<float, ad::dyn, ad::dyn, H, W>;
    auto const x = make_images(s.items, s.channels, s.rows, s.columns);
    auto const w = make_images(s.outputs, s.channels / s.groups, s.kernel_rows, s.kernel_columns);
    weights kernel(static_cast<std::size_t>(s.outputs), static_cast<std::size_t>(s.channels / s.groups)), dw = kernel;
    std::copy(w.begin(), w.end(), kernel.begin());
    auto y = make_images(s.items, s.outputs, s.out_rows(), s.out_columns());
    auto dx = make_images(s.items, s.channels, s.rows, s.columns);
    auto run = ad::fused(forward);
    auto step = ad::value_and_grad<0, 1>(loss);
    auto product = ad::fused(multiply);

    auto const depth = static_cast<std::size_t>(s.depth()), outputs = static_cast<std::size_t>(s.outputs),
               windows = static_cast<std::size_t>(s.windows());
    matrix a(outputs, depth), b(depth, windows), c(outputs, windows);
    std::copy_n(w.begin(), a.size() < w.size() ? a.size() : w.size(), a.begin());
    fill(b, -1, 1);
    auto const of_matrices = [&] {
        for (std::int64_t n = 0; n < s.items; ++n) product(ad::into(c), a, b);
        return c(0, 0);
    };
    auto const by_hand = [&] {
        for (std::int64_t n = 0; n < s.items; ++n) {
            write_windows(s, x.data() + n * s.channels * s.rows * s.columns, b.data());
#ifdef TAPELESS_BENCH_OPENBLAS
            product_by_blas::multiply<form::plain>({s.outputs, s.depth(), s.windows()}, a.data(), b.data(),
                                                   y.data() + n * s.outputs * s.windows());
#else
            product(ad::into(c), a, b);
            std::copy(c.begin(), c.end(), y.data() + n * s.outputs * s.windows());
#endif
        }
        return y.data()[0];
    };
    run(ad::into(y), x, kernel);
    double const error = error_of(s, x, w, y);
    auto const [forward_ns, both_ns, product_ns, hand] = least_of_each(
        [&] {
            run(ad::into(y), x, kernel);
            return y.data()[0];
        },
        [&] { return step(ad::into(dx, dw), x, kernel); }, of_matrices,
        [&] { return s.groups == 1 ? by_hand() : 0.0f; });
    double const rate = s.flops() / forward_ns, with_gradients = 3 * s.flops() / both_ns, best = s.flops() / product_ns;
    std::printf("%-34s %8.2f %8.2f", s.name, rate, with_gradients);
    if (s.groups == 1)
        std::printf(" %8.2f %8.2f %6.2f %6.2f %6.2f", best, s.flops() / hand, rate / best, with_gradients / best,
                    hand / forward_ns);
    else {
        double const bytes = 4.0 * static_cast<double>(x.size() + y.size());
        auto const copied = make_images(s.items, s.channels, s.rows, s.columns);
        auto to = copied;
        double const copy = least_of_each([&] {
            std::copy(copied.begin(), copied.end(), to.begin());
            return to.data()[0];
        })[0];
        double const gbytes = bytes / forward_ns, most = 8.0 * static_cast<double>(copied.size()) / copy;
        std::printf("   reads and writes %6.2f GB/s, copies %6.2f GB/s, ratio %.2f", gbytes, most, gbytes / most);
    }
    std::printf("  %.1e\n", error);
}

/// What stands behind a convolution, beside the convolution alone; what one image has is known when compiled.
template <ad::conv C, int Channels, int Outputs, int Size, int K>
void compare_behind(char const* what, std::size_t items) {
    std::string const name = std::string("behind ") + what;
    if (!is_asked_for(name)) return;
    constexpr ad::pool pairs{.size = 2};
    ad::tensor<float, ad::dyn, Channels, Size, Size> x(items);
    ad::tensor<float, Outputs, Channels / C.groups, K, K> w, dw;
    ad::tensor<float, Outputs> b, db;
    fill(x, -1, 1), fill(w, -1, 1), fill(b, -1, 1);
    auto plain = ad::fused([](auto i, auto v) { return ad::conv2d<C>(i, v); });
    auto active = ad::fused([](auto i, auto v, auto c) { return relu(ad::conv2d<C>(i, v, c)); });
    auto pooled = ad::fused([](auto i, auto v, auto c) { return ad::max_pool2d<pairs>(relu(ad::conv2d<C>(i, v, c))); });
    auto step = ad::value_and_grad<1, 2>(
        [](auto i, auto v, auto c) { return sum(square(relu(ad::conv2d<C>(i, v, c)))); });
    auto y = plain(x, w);
    auto z = pooled(x, w, b);
    auto const [alone, with_relu, with_pool, with_gradients] = least_of_each(
        [&] {
            plain(ad::into(y), x, w);
            return y.data()[0];
        },
        [&] {
            active(ad::into(y), x, w, b);
            return y.data()[0];
        },
        [&] {
            pooled(ad::into(z), x, w, b);
            return z.data()[0];
        },
        [&] { return step(ad::into(dw, db), x, w, b); });
    std::printf("%-34s alone %8.1f us; with bias and relu %.3f, with pooling %.3f, step of weights and bias %.2f\n",
                name.c_str(), alone * 1e-3, with_relu / alone, with_pool / alone, with_gradients / alone);
}

void compare_moving_average(std::size_t n) {
    std::string const name = "windows: moving average of " + std::to_string(n);
    if (!is_asked_for(name)) return;
    ad::tensor<float, ad::dyn> x(n), y(n - 4), to(n - 4), g(n), r(n);
    fill(x, -1, 1), fill(y, -1, 1);
    auto average = ad::fused([](auto a) { return mean<-1>(ad::windows<0, 5>(a)); });
    auto step = ad::value_and_grad<0>([](auto a, auto b) { return sum(square(mean<-1>(ad::windows<0, 5>(a)) - b)); });
    auto const by_hand = [&]() TAPELESS_BENCH_O3 {
        float const* const p = x.data();
        float* const q = to.data();
        for (std::size_t i = 0; i < n - 4; ++i) q[i] = (p[i] + p[i + 1] + p[i + 2] + p[i + 3] + p[i + 4]) * 0.2f;
        return q[0];
    };
    auto const step_by_hand = [&]() TAPELESS_BENCH_O3 {
        float const *const p = x.data(), *const b = y.data();
        float *const d = r.data(), *const q = g.data();
        float part[16] = {};
        for (std::size_t i = 0; i < n - 4; ++i) d[i] = (p[i] + p[i + 1] + p[i + 2] + p[i + 3] + p[i + 4]) * 0.2f - b[i];
        std::size_t i = 0;
        for (; i + 16 <= n - 4; i += 16)
            for (std::size_t l = 0; l < 16; ++l) part[l] += d[i + l] * d[i + l];
        float sum = 0;
        for (; i < n - 4; ++i) sum += d[i] * d[i];
        for (float l : part) sum += l;
        for (std::size_t j = 0; j < 4; ++j) {
            q[j] = q[n - 1 - j] = 0;
            for (std::size_t t = 0; t <= j; ++t) q[j] += 0.4f * d[j - t], q[n - 1 - j] += 0.4f * d[n - 5 - j + t];
        }
        for (std::size_t j = 4; j < n - 4; ++j) q[j] = (d[j] + d[j - 1] + d[j - 2] + d[j - 3] + d[j - 4]) * 0.4f;
        return sum;
    };
    auto const [ours, hand, ours_step, hand_step] = least_of_each(
        [&] {
            average(ad::into(to), x);
            return to(0);
        },
        by_hand, [&] { return step(ad::into(g), x, y); }, step_by_hand);
    double const elements = static_cast<double>(n);
    std::printf("%-34s %8.2f ns an element, ratio %.2f; with gradient %.2f, ratio %.2f\n", name.c_str(),
                ours / elements, ours / hand, ours_step / elements, ours_step / hand_step);
}

/// The five-point Laplacian's squares, summed, and the gradient: by slices, by windows, by slices of a padded array,
/// by rolls, and by a loop that makes a row of the gradient as soon as the rows it needs are there.
void compare_laplacian(std::size_t n) {
    std::string const name = "windows: Laplacian of " + std::to_string(n) + " squared";
    if (!is_asked_for(name)) return;
    matrix u(n, n), g(n, n), to(n, n), l(n, n);
    fill(u, -1, 1);
    auto by_slices = ad::value_and_grad<0>([](auto a) {
        auto const rows = ad::slice<0, 1, -1>(a);
        auto const columns = ad::slice<1, 1, -1>(a);
        return sum(square(ad::slice<0, 0, -2>(columns) + ad::slice<0, 2, ad::to_end>(columns) +
                          ad::slice<1, 0, -2>(rows) + ad::slice<1, 2, ad::to_end>(rows) -
                          4.0f * ad::slice<1, 1, -1>(rows)));
    });
    auto by_windows = ad::value_and_grad<0>([](auto a) {
        ad::tensor<float, 3, 3> const k{{0, 1, 0}, {1, -4, 1}, {0, 1, 0}};
        return sum(square(sum<-2, -1>(ad::windows<0, 3>(ad::windows<1, 3>(a)) * k)));
    });
    auto of_padded = ad::value_and_grad<0>([](auto x) {  // zeros around x
        auto const a = let(ad::pad<1, 1, 1, 1>(x));
        auto const rows = ad::slice<0, 1, -1>(a);
        auto const columns = ad::slice<1, 1, -1>(a);
        return sum(square(ad::slice<0, 0, -2>(columns) + ad::slice<0, 2, ad::to_end>(columns) +
                          ad::slice<1, 0, -2>(rows) + ad::slice<1, 2, ad::to_end>(rows) - 4.0f * x));
    });
    auto by_rolls = ad::value_and_grad<0>([](auto a) {  // end to end
        return sum(square(ad::roll<0>(a, 1) + ad::roll<0>(a, -1) + ad::roll<1>(a, 1) + ad::roll<1>(a, -1) - 4.0f * a));
    });
    auto const by_hand = [&]() TAPELESS_BENCH_O3 {
        float part[16] = {};
        auto const gradient = [&](std::size_t i) TAPELESS_BENCH_O3 {
            float const* const p = l.data() + i * n;
            float* const q = to.data() + i * n;
            for (std::size_t j = 1; j < n - 1; ++j)
                q[j] = 2 * ((i > 1 ? p[j - n] : 0) + (i < n - 2 ? p[j + n] : 0) + p[j - 1] + p[j + 1] - 4 * p[j]);
            q[0] = 2 * p[1], q[n - 1] = 2 * p[n - 2];
        };
        for (std::size_t i = 1; i < n - 1; ++i) {
            float const* const p = u.data() + i * n;
            float* const q = l.data() + i * n;
            for (std::size_t j = 1; j < n - 1; ++j) q[j] = p[j - n] + p[j + n] + p[j - 1] + p[j + 1] - 4 * p[j];
            q[0] = q[n - 1] = 0;
            for (std::size_t j = 0; j + 16 <= n; j += 16)
                for (std::size_t k = 0; k < 16; ++k) part[k] += q[j + k] * q[j + k];
            for (std::size_t j = n / 16 * 16; j < n; ++j) part[0] += q[j] * q[j];
            if (i > 1) gradient(i - 1);
        }
        gradient(n - 2);
        for (std::size_t j = 0; j < n; ++j) {
            to.data()[j] = 2 * l.data()[n + j];
            to.data()[(n - 1) * n + j] = 2 * l.data()[(n - 2) * n + j];
        }
        float sum = 0;
        for (float v : part) sum += v;
        return sum;
    };
    matrix other(n, n);
    auto const [slices, windows, padded, rolls, hand] = least_of_each(
        [&] { return by_slices(ad::into(g), u); }, [&] { return by_windows(ad::into(g), u); },
        [&] { return of_padded(ad::into(other), u); }, [&] { return by_rolls(ad::into(other), u); }, by_hand);
    double worst = 0;
    for (std::size_t i = 0; i < g.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(g.data()[i]) - to.data()[i]));
    double const elements = static_cast<double>(n * n);
    std::printf("%-34s %8.2f ns an element by slices, ratio %.2f; by windows %.2f, ratio %.2f", name.c_str(),
                slices / elements, slices / hand, windows / elements, windows / hand);
    std::printf("; padded %.2f, ratio %.2f; by rolls %.2f, ratio %.2f  %.1e\n", padded / elements, padded / hand,
                rolls / elements, rolls / hand, worst);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) only = argv[1];
    product_by_blas::use_one_thread();
    std::printf("%-34s %8s %8s %8s %8s %6s %6s %6s\n", "float, GFLOP/s", "forward", "with grad", "product", "im2col",
                "/prod", "grad/p", "/im2c");
    //                                    items  C    O    H     W  kernel stride padding groups
    compare<5, 5, ad::conv{}>({"LeNet 1->8 5x5 on 28x28", 64, 1, 8, 28, 28, 5, 5, 1, 0, 1});
    compare<5, 5, ad::conv{}>({"LeNet 8->16 5x5 on 12x12", 64, 8, 16, 12, 12, 5, 5, 1, 0, 1});
    compare<3, 3, ad::conv{.padding = 1}>({"64->64 3x3 on 56x56", 2, 64, 64, 56, 56, 3, 3, 1, 1, 1});
    compare<3, 3, ad::conv{.padding = 1}>({"256->256 3x3 on 14x14", 8, 256, 256, 14, 14, 3, 3, 1, 1, 1});
    compare<3, 3, ad::conv{.stride = 2, .padding = 1}>(
        {"64->128 3x3 stride 2 on 56x56", 2, 64, 128, 56, 56, 3, 3, 2, 1, 1});
    compare<1, 1, ad::conv{}>({"64->256 1x1 on 56x56", 2, 64, 256, 56, 56, 1, 1, 1, 0, 1});
    compare<1, 3, ad::conv{.padding = {0, 1}}>({"80->256 1x3 on 1000", 1, 80, 256, 1, 1000, 1, 3, 1, 1, 1});
    compare<3, 3, ad::conv{.padding = 1, .groups = 32}>(
        {"depthwise 32 3x3 on 112x112", 4, 32, 32, 112, 112, 3, 3, 1, 1, 32});
    compare_behind<ad::conv{}, 1, 8, 28, 5>("LeNet 1->8 5x5 on 28x28", 64);
    compare_behind<ad::conv{}, 8, 16, 12, 5>("LeNet 8->16 5x5 on 12x12", 64);
    compare_behind<ad::conv{.padding = 1}, 3, 32, 32, 3>("3->32 3x3 on 32x32", 16);
    compare_behind<ad::conv{.padding = 1, .groups = 32}, 32, 32, 112, 3>("depthwise 32 3x3 on 112x112", 4);
    compare_behind<ad::conv{.padding = 2, .groups = 32}, 32, 32, 56, 5>("depthwise 32 5x5 on 56x56", 4);
    compare_moving_average(1000);
    compare_moving_average(10000000);
    compare_laplacian(64);
    compare_laplacian(256);
    compare_laplacian(1024);
}
