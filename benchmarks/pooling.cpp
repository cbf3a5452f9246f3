// SPDX-License-Identifier: MIT
// How fast is pooling? In float, on one thread, beside a copy of as many bytes as are read and written:
//
//   bench_pooling [PATTERN]     only the lines that contain it, e.g. "max", "3x3"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <tapeless/tapeless.hpp>

#include "support/images.hpp"
#include "support/measure.hpp"
#include "support/numbers.hpp"

namespace ad = tapeless;

namespace {

std::string_view only;
bool is_asked_for(std::string const& line) { return line.find(only) != std::string::npos; }

/// What reads an image and writes a smaller or larger one, and its gradient, each beside a copy of as many bytes as it
/// reads and writes: backwards, of a maximum, the image once more.
template <class F>
void compare_with_copy(char const* name, F, std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w,
                       bool reads_again) {
    if (!is_asked_for(name)) return;
    auto const x = make_images(n, c, h, w);
    auto run = ad::fused(F{});
    images y = run(x), dx = x;
    auto const g = make_images(y.extent(0), y.extent(1), y.extent(2), y.extent(3));
    auto back = ad::grad<0>([](auto a, auto b) { return sum(F{}(a)*b); });
    auto step = ad::grad<0>([](auto a) { return sum(square(F{}(a))); });
    double const bytes = 4.0 * static_cast<double>(x.size() + y.size());
    ad::tensor<float, ad::dyn> from((x.size() + y.size()) / 2),
        to = from, more((x.size() * (reads_again ? 2 : 1) + y.size()) / 2), to_more = more;
    auto const [forward, backward, both, copy, copy_more] = least_of_each(
        [&] {
            run(ad::into(y), x);
            return y.data()[0];
        },
        [&] {
            back(ad::into(dx), x, g);
            return dx.data()[0];
        },
        [&] {
            step(ad::into(dx), x);
            return dx.data()[0];
        },
        [&] {
            std::copy(from.begin(), from.end(), to.begin());
            return to(0);
        },
        [&] {
            std::copy(more.begin(), more.end(), to_more.begin());
            return to_more(0);
        });
    std::printf(
        "%-34s %8.2f GB/s, copies %6.2f GB/s, ratio %.2f; backwards %.2f; forwards and back %.2f of two copies\n", name,
        bytes / forward, bytes / copy, copy / forward, copy_more / backward, 2 * copy / both);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1) only = argv[1];
    compare_with_copy(
        "max_pool 2x2 on 32 of 112x112", [](auto x) { return ad::max_pool2d<ad::pool{.size = 2}>(x); }, 4, 32, 112, 112,
        true);
    compare_with_copy(
        "max_pool 3x3 stride 2",
        [](auto x) { return ad::max_pool2d<ad::pool{.size = 3, .stride = 2, .padding = 1}>(x); }, 4, 32, 112, 112,
        true);
    compare_with_copy(
        "max_pool 3x3 stride 1",
        [](auto x) { return ad::max_pool2d<ad::pool{.size = 3, .stride = 1, .padding = 1}>(x); }, 4, 32, 112, 112,
        true);
    compare_with_copy(
        "max_pool 3x3 stride 3", [](auto x) { return ad::max_pool2d<ad::pool{.size = 3}>(x); }, 4, 32, 112, 112, true);
    compare_with_copy(
        "max_pool 1x2 stride 2 on 12544",
        [](auto x) {
            return ad::max_pool2d<ad::pool{.size = {1, 2}}>(x);
        },
        4, 32, 1, 12544, true);
    compare_with_copy(
        "max_pool 1x3 stride 2 on 12544",
        [](auto x) {
            return ad::max_pool2d<ad::pool{.size = {1, 3}, .stride = {1, 2}}>(x);
        },
        4, 32, 1, 12544, true);
    compare_with_copy(
        "max_pool 1x3 stride 1 on 12544",
        [](auto x) {
            return ad::max_pool2d<ad::pool{.size = {1, 3}, .stride = 1}>(x);
        },
        4, 32, 1, 12544, true);
    compare_with_copy(
        "avg_pool 2x2 on 32 of 112x112", [](auto x) { return ad::avg_pool2d<ad::pool{.size = 2}>(x); }, 4, 32, 112, 112,
        false);
    compare_with_copy(
        "avg_pool 3x3 stride 2",
        [](auto x) { return ad::avg_pool2d<ad::pool{.size = 3, .stride = 2, .padding = 1}>(x); }, 4, 32, 112, 112,
        false);
    compare_with_copy(
        "avg_pool 3x3 stride 1",
        [](auto x) { return ad::avg_pool2d<ad::pool{.size = 3, .stride = 1, .padding = 1}>(x); }, 4, 32, 112, 112,
        false);
    compare_with_copy(
        "avg_pool 3x3 stride 3", [](auto x) { return ad::avg_pool2d<ad::pool{.size = 3}>(x); }, 4, 32, 112, 112, false);
    compare_with_copy(
        "avg_pool 1x2 stride 2 on 12544",
        [](auto x) {
            return ad::avg_pool2d<ad::pool{.size = {1, 2}}>(x);
        },
        4, 32, 1, 12544, false);
    compare_with_copy(
        "avg_pool 1x3 stride 2 on 12544",
        [](auto x) {
            return ad::avg_pool2d<ad::pool{.size = {1, 3}, .stride = {1, 2}}>(x);
        },
        4, 32, 1, 12544, false);
    compare_with_copy(
        "avg_pool 1x3 stride 1 on 12544",
        [](auto x) {
            return ad::avg_pool2d<ad::pool{.size = {1, 3}, .stride = 1}>(x);
        },
        4, 32, 1, 12544, false);
    compare_with_copy(
        "upsample bilinear 56 to 112", [](auto x) { return ad::upsample_bilinear<112, 112>(x); }, 4, 32, 56, 56, false);
}
