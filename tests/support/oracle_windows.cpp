// SPDX-License-Identifier: MIT
// What the oracle knows of windows over images: convolutions, pooling, and images at other sizes. Images are
// (item, channel, axes...); strides and the like are the parameters of the operation.

#include "support/oracle_loops.hpp"

#include <algorithm>
#include <cmath>

namespace oracle {
namespace {

/// A sum of products in the making, with what rounding does to it.
struct sums_of_products {
    array y;
    std::vector<double> size, error, terms;
    explicit sums_of_products(array zeros) : y(std::move(zeros)), size(y.size()), error(y.size()), terms(y.size()) {}
    void add(std::size_t to, long double a, double a_error, long double b = 1, double b_error = 0) {
        y.real[to] += a * b;
        size[to] += static_cast<double>(std::abs(a * b));
        error[to] += a_error * static_cast<double>(std::abs(b)) + b_error * static_cast<double>(std::abs(a));
        terms[to] += 1;
    }
    array done() {
        for (std::size_t i = 0; i < y.size(); ++i)
            y.set_error(i, error[i] + roundings_of_sum(terms[i]) * roundoff(y.type) * size[i]);
        return y;
    }
};

/// Positions along axes, the last the fastest.
lengths position_of(std::size_t i, lengths const& axes) {
    lengths p(axes.size());
    auto rest = static_cast<std::int64_t>(i);
    for (std::size_t a = axes.size(); a-- > 0; rest /= axes[a]) p[a] = rest % axes[a];
    return p;
}
/// The axes of an image.
lengths image_of(lengths const& shape) { return lengths(shape.begin() + 2, shape.end()); }
/// Where a position is in an image, or -1 where it is beside it.
std::int64_t place_in(lengths const& position, lengths const& image) {
    std::int64_t place = 0;
    for (std::size_t a = 0; a < image.size(); ++a) {
        if (position[a] < 0 || position[a] >= image[a]) return -1;
        place = place * image[a] + position[a];
    }
    return place;
}

// ---- convolutions --------------------------------------------------------------------------------------------------

/// y(n, o, p) = sum over c, k of x(n, c, p stride + k dilation - zeros before) w(o, c, k), c being in the group of o:
/// every product adds to y, or what y and w come to adds to x, or what y and x come to adds to w.
std::vector<array> run_convolution(loop_call const& c) {
    int const which = c.parameters[0], axes = c.parameters[1], groups = c.parameters[11];
    int const *const stride = c.parameters + 2, *const padding = c.parameters + 5, *const dilation = c.parameters + 8;
    bool const same = padding[0] < 0;  // as many as keep the length
    lengths const& x = which == 0 ? c.in[0]->shape : which == 1 ? c.shape : c.in[1]->shape;
    lengths const& w = which == 2 ? c.shape : c.in[1]->shape;
    lengths const& y = which == 0 ? c.shape : c.in[0]->shape;
    lengths const image = image_of(x), kernel = image_of(w), windows = image_of(y);
    std::int64_t const pixels = count(image), taps = count(kernel), positions = count(windows);
    struct touch {
        std::int64_t window, tap, pixel;
    };
    std::vector<touch> touches;
    for (std::int64_t p = 0; p < positions; ++p)
        for (std::int64_t k = 0; k < taps; ++k) {
            lengths at = position_of(static_cast<std::size_t>(p), windows);
            lengths const tap = position_of(static_cast<std::size_t>(k), kernel);
            for (std::size_t a = 0; a < static_cast<std::size_t>(axes); ++a)
                at[a] = at[a] * stride[a] + tap[a] * dilation[a] -
                        (same ? (kernel[a] - 1) * dilation[a] / 2 : static_cast<std::int64_t>(padding[a]));
            if (std::int64_t const pixel = place_in(at, image); pixel >= 0) touches.push_back({p, k, pixel});
        }
    if (x.at(1) != w.at(1) * groups || y.at(1) != w.at(0) || x[0] != y[0] || w[0] % groups != 0)
        throw error("convolution: " + text_of(x) + ", " + text_of(w) + " and " + text_of(y) +
                    " do not belong together");
    sums_of_products r(c.result());
    array const &first = *c.in[0], &second = *c.in[1];
    for (std::int64_t n = 0; n < x[0]; ++n)
        for (std::int64_t o = 0; o < w[0]; ++o)
            for (std::int64_t i = 0; i < w[1]; ++i)
                for (touch const& t : touches) {
                    std::int64_t const channel = o / (w[0] / groups) * w[1] + i;
                    auto const at_x = static_cast<std::size_t>((n * x[1] + channel) * pixels + t.pixel);
                    auto const at_w = static_cast<std::size_t>((o * w[1] + i) * taps + t.tap);
                    auto const at_y = static_cast<std::size_t>((n * y[1] + o) * positions + t.window);
                    std::size_t const a = which == 0 ? at_x : at_y, b = which == 2 ? at_x : at_w;
                    r.add(which == 0   ? at_y
                          : which == 1 ? at_x
                                       : at_w,
                          first.real[a], first.error_of(a), second.real[b], second.error_of(b));
                }
    return {r.done()};
}

// ---- pooling -------------------------------------------------------------------------------------------------------

/// The pixels under one window, and how many it counts as.
struct pool_window {
    places pixels;
    std::int64_t counts = 1;
};
std::vector<pool_window> pool_windows(int const* parameters, lengths const& image, lengths const& windows) {
    std::vector<pool_window> r;
    bool const slide = parameters[2] != 0;
    int const *const size = parameters + 3, *const strides = parameters + 6, *const padding = parameters + 9,
                     *const dilation = parameters + 12;
    for (std::size_t p = 0; p < static_cast<std::size_t>(count(windows)); ++p) {
        lengths const at = position_of(p, windows);
        pool_window w;
        std::vector<lengths> along(image.size());  // the positions under it, those beside the image left out
        for (std::size_t a = 0; a < image.size(); ++a) {
            std::int64_t const n = image[a];
            std::int64_t counted = 0;
            if (slide) {
                std::int64_t const stride = strides[a] > 0 ? strides[a] : size[a], first = at[a] * stride - padding[a];
                for (std::int64_t t = 0; t < size[a]; ++t) {
                    std::int64_t const i = first + t * dilation[a];
                    if (i >= 0 && i < n) along[a].push_back(i);
                    counted += parameters[15] ? i < n + padding[a] : i >= 0 && i < n;
                }
            } else {
                for (std::int64_t i = 0; i < n;
                     ++i)  // from floor(at n / windows) on, before ceil((at + 1) n / windows)
                    if ((i + 1) * windows[a] > at[a] * n && i * windows[a] < (at[a] + 1) * n) along[a].push_back(i);
                counted = static_cast<std::int64_t>(along[a].size());
            }
            w.counts *= counted;
        }
        w.pixels = {0};
        for (std::size_t a = 0; a < image.size(); ++a) {
            places longer;
            for (std::size_t base : w.pixels)
                for (std::int64_t i : along[a])
                    longer.push_back(base * static_cast<std::size_t>(image[a]) + static_cast<std::size_t>(i));
            w.pixels = longer;
        }
        r.push_back(w);
    }
    return r;
}

/// The largest element under each window, the first of several, NaN above all; and where it is in the image.
std::vector<array> run_max_pool(loop_call const& c) {
    array const& x = *c.in[0];
    array y = c.result(), index(dtype::i64, c.shape);
    lengths const image = image_of(x.shape), out = image_of(c.shape);
    std::vector<pool_window> const windows = pool_windows(c.parameters, image, out);
    auto const pixels = static_cast<std::size_t>(count(image));
    for (std::size_t n = 0; n < static_cast<std::size_t>(x.shape[0] * x.shape[1]); ++n)
        for (std::size_t w = 0; w < windows.size(); ++w) {
            std::size_t const to = n * windows.size() + w, base = n * pixels;
            places const& under = windows[w].pixels;
            std::size_t best = under.at(0);
            for (std::size_t p : under) {
                if (std::isnan(x.real[base + best])) break;
                if (x.real[base + p] > x.real[base + best] || std::isnan(x.real[base + p])) best = p;
            }
            double e = 0;
            bool certain = true;
            for (std::size_t p : under) {
                long double const below = x.real[base + best] - x.real[base + p];
                double const both = x.error_of(base + best) + x.error_of(base + p);
                if (below <= static_cast<long double>(both)) e = std::max(e, x.error_of(base + p));
                certain = certain && (below == 0 || !(below <= static_cast<long double>(both)));
            }
            y.real[to] = x.real[base + best];
            y.set_error(to, e);
            index.whole[to] = static_cast<std::int64_t>(best);
            index.set_error(to, certain ? 0 : unknown);
        }
    return {y, index};
}
/// y(window) = x(index(window)) in each image, and (Add) its transpose.
template <bool Add>
std::vector<array> run_at_places(loop_call const& c) {
    array const &from = *c.in[0], &index = *c.in[1];
    auto const windows = static_cast<std::size_t>(count(image_of(index.shape)));
    std::int64_t const pixels = count(image_of(Add ? c.shape : from.shape));
    sums_of_products r(c.result());
    std::vector<char> uncertain(r.y.size(), 0);
    for (std::size_t i = 0; i < index.size(); ++i) {
        std::size_t const base = i / windows * static_cast<std::size_t>(pixels);
        std::size_t const pixel = base + checked(index.whole[i], pixels, "pooling");
        if (Add) r.add(pixel, from.real[i], from.error_of(i));
        else r.add(i, from.real[pixel], from.error_of(pixel));
        if (index.error_of(i) == 0) continue;
        if (!Add) uncertain[i] = 1;
        for (std::size_t p = 0; Add && p < static_cast<std::size_t>(pixels); ++p) uncertain[base + p] = 1;
    }
    array y = r.done();
    for (std::size_t i = 0; i < y.size(); ++i)
        if (uncertain[i]) y.set_error(i, unknown);
    return {y};
}
/// What stands at each window, at the largest element under it.
std::vector<array> run_spread_to_largest(loop_call const& c) {
    loop_call find = c, add = c;
    find.in = {c.in[1]};
    find.shape = c.in[0]->shape;
    array const index = run_max_pool(find)[1];
    add.in = {c.in[0], &index};
    return run_at_places<true>(add);
}
/// The mean under each window, or its transpose.
std::vector<array> run_average_pool(loop_call const& c) {
    bool const back = c.parameters[0] == 1;
    array const& from = *c.in[0];
    lengths const& x = back ? c.shape : from.shape;
    lengths const image = image_of(x);
    std::vector<pool_window> const windows = pool_windows(c.parameters, image, image_of(back ? from.shape : c.shape));
    auto const pixels = static_cast<std::size_t>(count(image));
    sums_of_products r(c.result());
    for (std::size_t n = 0; n < static_cast<std::size_t>(x[0] * x[1]); ++n)
        for (std::size_t w = 0; w < windows.size(); ++w)
            for (std::size_t p : windows[w].pixels) {
                std::size_t const small = n * windows.size() + w, large = n * pixels + p, source = back ? small : large;
                long double const share = 1 / static_cast<long double>(windows[w].counts);
                r.add(back ? large : small, from.real[source], from.error_of(source), share,
                      roundoff(c.type) * static_cast<double>(share));
            }
    return {r.done()};
}

/// Images at another size: each element is the nearest, or lies between two along each axis; or the transpose of that.
std::vector<array> run_resample(loop_call const& c) {
    bool const back = c.parameters[0] == 1, linear = c.parameters[1] != 0, corners = c.parameters[2] != 0;
    array const& from = *c.in[0];
    lengths const& x = back ? c.shape : from.shape;
    lengths const image = image_of(x), out = image_of(back ? from.shape : c.shape);
    sums_of_products r(c.result());
    for (std::size_t n = 0; n < static_cast<std::size_t>(x[0] * x[1]); ++n)
        for (std::size_t p = 0; p < static_cast<std::size_t>(count(out)); ++p) {
            lengths const at = position_of(p, out);
            lengths low(2), high(2);
            long double weight[2]{};  // of the upper neighbour
            for (std::size_t a = 0; a < 2; ++a) {
                auto const i = static_cast<long double>(at[a]), in = static_cast<long double>(image[a]),
                           to = static_cast<long double>(out[a]);
                low[a] = high[a] = at[a] * image[a] / out[a];
                if (!linear) continue;
                long double s = corners ? (out[a] > 1 ? i * (in - 1) / (to - 1) : 0) : (i + 0.5L) * in / to - 0.5L;
                s = std::max(s, 0.0L);
                low[a] = std::min(static_cast<std::int64_t>(s + 1e-12L), image[a] - 1);
                high[a] = std::min(low[a] + 1, image[a] - 1);
                weight[a] = s - static_cast<long double>(low[a]);
            }
            for (int corner = 0; corner < 4; ++corner) {
                bool const lower = corner & 1, right = corner & 2;
                if (!linear && corner > 0) continue;
                std::size_t const pixel = n * static_cast<std::size_t>(count(image)) +
                                          static_cast<std::size_t>(
                                              place_in({lower ? high[0] : low[0], right ? high[1] : low[1]}, image)),
                                  window = n * static_cast<std::size_t>(count(out)) + p;
                long double const part = (lower ? weight[0] : 1 - weight[0]) * (right ? weight[1] : 1 - weight[1]);
                double const longest = static_cast<double>(std::max(image[0], image[1]));
                std::size_t const source = back ? window : pixel;
                r.add(back ? pixel : window, from.real[source], from.error_of(source), part,
                      linear ? (4 * roundoff(c.type) + 4 * longest * roundoff(dtype::f64)) : 0);
            }
        }
    return {r.done()};
}

/// x(j) is the sum of y(i, t) with j = stride i + dilation t along the axis of the attribute; t is the last axis of y.
std::vector<array> run_fold_windows(loop_call const& c) {
    array const& from = *c.in[0];
    auto const both = static_cast<std::int64_t>(c.attr.number);
    std::int64_t const stride = both >> 24, dilation = both & 0xffffff;
    std::size_t const axis = c.shape.size() - 1 - static_cast<std::size_t>(c.attr.axes);
    sums_of_products r(c.result());
    for (std::size_t i = 0; i < from.size(); ++i) {
        lengths at = position_of(i, from.shape);
        at[axis] = at[axis] * stride + at.back() * dilation;
        at.pop_back();
        std::int64_t const to = place_in(at, c.shape);
        if (to < 0) throw error("fold_windows: a window beside " + text_of(c.shape));
        r.add(static_cast<std::size_t>(to), from.real[i], from.error_of(i));
    }
    return {r.done()};
}

}  // namespace

std::map<operation_key, loop_function> window_loops() {
    return {{{"convolution", 2}, run_convolution},  {{"max_pool", 1}, run_max_pool},
            {{"max_pool", 2}, run_spread_to_largest},
            {{"take_at", 2}, run_at_places<false>}, {{"add_at", 2}, run_at_places<true>},
            {{"avg_pool", 1}, run_average_pool},    {{"upsample", 1}, run_resample},
            {{"fold_windows", 1}, run_fold_windows}};
}

}  // namespace oracle
