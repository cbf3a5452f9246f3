// SPDX-License-Identifier: MIT
// The library and the oracle agree on convolutions, pooling and images of other sizes, their derivatives included, at
// lengths around registers and at the shortest that are taken; shorter ones are refused by both.

#include "oracle/numbers.hpp"

#include "support/sweep.hpp"

namespace {

/// f at lengths n of the last axis, others being short.
template <tapeless::fixed_string Signature, int... I, class F>
std::string at_lengths(F const& f, std::initializer_list<int> lengths) {
    constexpr int count = oracle::signature_spec{Signature.view()}.arguments;
    for (int n : lengths)
        for (int other : {0, 1, 3}) {
            oracle::lengths_of_letters l;
            l['n'] = n;
            l['m'] = 3 + (n + other) % 4;
            l['a'] = other;
            std::string const wrong =
                oracle::agree_at<double, Signature, I...>(f, l, n < 10, {}, std::make_integer_sequence<int, count>{});
            if (!wrong.empty()) return wrong;
        }
    return "";
}

constexpr auto along_one_axis = [](auto x, auto w) {
    return total(
        sin(ad::conv1d<ad::conv{.stride = 2, .padding = 2, .dilation = 2, .groups = 2}>(x, w)),
        tanh(ad::conv_transpose1d<ad::conv{.stride = 2, .padding = 1, .groups = 2, .output_padding = 1}>(x, w)));
};
constexpr auto along_two_axes = [](auto x, auto w) {
    return total(sin(ad::conv2d<ad::conv{.padding = ad::same}>(x, w)),
                 tanh(ad::conv2d<ad::conv{.stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}}>(x, w)));
};

constexpr auto pools = [](auto x) {
    constexpr ad::pool window{.size = 3, .stride = 2, .padding = 1}, last{.size = 3, .stride = 2, .ceil = true},
        inside{.size = 3, .stride = 1, .padding = 1, .count_padding = false}, apart{.size = 2, .dilation = 2};
    return total(square(ad::max_pool1d<window>(x)), sin(ad::max_pool1d<last>(x)), ad::max_pool1d<apart>(x) * 0.3,
                 square(ad::avg_pool1d<window>(x)), sin(ad::avg_pool1d<inside>(x)), exp(ad::avg_pool1d<last>(x)));
};
/// What flows back is one number for all, or a view that runs backwards.
constexpr auto plain_sums = [](auto x, auto w, auto t) {
    constexpr ad::pool apart{.size = 3, .stride = 2, .padding = 1}, beside{.size = 3, .stride = 1, .padding = 1};
    return total(ad::avg_pool1d<apart>(x), ad::max_pool1d<apart>(x), ad::flip<2>(ad::avg_pool1d<beside>(x)) * t,
                 ad::flip<2>(ad::max_pool1d<beside>(x)) * t, ad::conv1d<ad::conv{.stride = 2}>(x, w),
                 ad::flip<2>(ad::conv1d<ad::conv{.padding = ad::same}>(x, w)) * t);
};
constexpr auto plain_convolutions = [](auto x, auto w, auto t) {
    return total(ad::conv1d<ad::conv{.stride = 2}>(x, w),
                 ad::flip<2>(ad::conv1d<ad::conv{.padding = ad::same}>(x, w)) * t);
};
constexpr auto cells = [](auto x) {
    return total(square(ad::adaptive_avg_pool1d<3>(x)), sin(ad::adaptive_max_pool1d<2>(x)));
};
constexpr auto pools_of_images = [](auto x) {
    constexpr ad::pool pairs{.size = 2}, window{.size = {3, 2}, .stride = {1, 2}, .padding = {1, 0}};
    return total(square(ad::max_pool2d<pairs>(x)), sin(ad::max_pool2d<window>(x)), square(ad::avg_pool2d<window>(x)),
                 exp(ad::adaptive_avg_pool2d<2, 3>(x)));
};
constexpr auto places = [](auto x) {
    auto const [values, indices] = ad::max_pool2d_with_index<ad::pool{.size = 2, .stride = 1}>(x);
    return std::tuple(values, indices);
};
constexpr auto other_sizes = [](auto x) {
    return total(square(ad::upsample_nearest<5, 7>(x)), sin(ad::upsample_bilinear<5, 7>(x)),
                 exp(ad::upsample_bilinear<4, 6, true>(x)), cos(ad::upsample_bilinear<2, 2>(x)));
};
constexpr auto many_windows = [](auto x) {  // more terms than are written out
    return total(tanh(sum<-1>(square(ad::windows<1, 17, 2, 1>(x)))), sin(max<-1>(ad::windows<1, 3, 2, 2>(x))));
};

}  // namespace

TEST_CASE("agree: convolutions along one axis") {
    CHECK(at_lengths<"a4n,423", 0, 1>(along_one_axis, {0, 1, 2, 5, 8, 17, 66}) == "");
}
TEST_CASE("agree: convolutions along two axes") {
    CHECK(at_lengths<"a2mn,3233", 0, 1>(along_two_axes, {0, 1, 4, 5, 9, 33}) == "");
}
TEST_CASE("agree: pooling along one axis") {
    CHECK(at_lengths<"a2n", 0>(pools, {0, 1, 2, 3, 4, 7, 8, 9, 17, 513}) == "");
    CHECK(at_lengths<"a2n", 0>(cells, {0, 1, 2, 3, 7, 8, 20}) == "");
}
TEST_CASE("agree: pooling and convolutions whose cotangents are stretched or run backwards") {
    CHECK(at_lengths<"a2n,223,a2n", 0, 1, 2>(plain_sums, {3, 4, 7, 8, 9, 17, 66}) == "");
    // one channel, whose windows are taken more at a time unless they have to be packed
    CHECK(at_lengths<"a1n,313,a3n", 0, 1, 2>(plain_convolutions, {3, 97, 193, 4097}) == "");
}
TEST_CASE("agree: pooling of images, and where the largest elements are") {
    CHECK(at_lengths<"a2mn", 0>(pools_of_images, {0, 1, 2, 3, 8, 9, 17}) == "");
    CHECK(at_lengths<"a2mn">(places, {0, 1, 2, 3, 8, 9, 17}) == "");
}
TEST_CASE("agree: images at other sizes") { CHECK(at_lengths<"a2mn", 0>(other_sizes, {0, 1, 2, 3, 8, 9, 17}) == ""); }
TEST_CASE("agree: more windows over an element than are written out") {
    CHECK(at_lengths<"mn", 0>(many_windows, {0, 16, 17, 18, 19, 40}) == "");
}
