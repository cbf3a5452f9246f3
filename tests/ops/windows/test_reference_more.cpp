// SPDX-License-Identifier: MIT
// The reference's family conv_more.

#include "ops/shape/shape_cases.hpp"

using namespace reference;

TEST_CASE("more convolutions: the reference's cases") {
    shape_cases<double> r("conv_more");
    r.check<of<2, 3, 7>, of<2, 2, 5>, of<2, 3, 3>, of<3>>(
        "conv_transpose1d/000", [](auto x, auto w, auto b) { return ad::conv_transpose1d(x, w, b); });
    r.check<of<run, run, run>, of<run, run, run>, of<run, 2, 3>, of<2>>(
        "conv_transpose1d/001",
        [](auto x, auto w, auto b) { return ad::conv_transpose1d<ad::conv{.stride = 2}>(x, w, b); });
    r.check<of<2, 2, 11>, of<2, 1, 5>, of<1, 2, 4>, of<2>>("conv_transpose1d/002", [](auto x, auto w, auto b) {
        return ad::conv_transpose1d<ad::conv{.stride = 2, .padding = 1, .output_padding = 1}>(x, w, b);
    });
    r.check<of<run, run, run>, of<run, run, run>, of<run, 1, 2>, of<2>>(
        "conv_transpose1d/003", [](auto x, auto w, auto b) {
            return ad::conv_transpose1d<ad::conv{.stride = 3, .groups = 2, .output_padding = 2}>(x, w, b);
        });
    r.check<of<1, 3, 6>, of<1, 2, 4>, of<2, 3, 3>, of<3>>("conv_transpose1d/004", [](auto x, auto w, auto b) {
        return ad::conv_transpose1d<ad::conv{.padding = 1, .dilation = 2}>(x, w, b);
    });
    r.check<of<run, run, run>, of<run, run, run>, of<run, 1, 3>, of<3>>(
        "conv_transpose1d/005", [](auto x, auto w, auto b) {
            return ad::conv_transpose1d<ad::conv{
                .stride = 2, .padding = 1, .dilation = 2, .groups = 3, .output_padding = 1}>(x, w, b);
        });
    r.check<of<1, 2, 4, 6>, of<1, 2, 3, 4>, of<2, 2, 2, 3>, of<2>>(
        "conv_transpose2d/000", [](auto x, auto w, auto b) { return ad::conv_transpose2d(x, w, b); });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 2, 3, 3>, of<2>>(
        "conv_transpose2d/001", [](auto x, auto w, auto b) {
            return ad::conv_transpose2d<ad::conv{.stride = 2, .padding = 1, .output_padding = 1}>(x, w, b);
        });
    r.check<of<1, 4, 7, 7>, of<1, 2, 3, 2>, of<2, 2, 2, 2>, of<4>>("conv_transpose2d/002", [](auto x, auto w, auto b) {
        return ad::conv_transpose2d<ad::conv{.stride = {2, 3}, .groups = 2, .output_padding = {1, 2}}>(x, w, b);
    });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 1, 2, 3>, of<1>>(
        "conv_transpose2d/003", [](auto x, auto w, auto b) {
            return ad::conv_transpose2d<ad::conv{
                .stride = {1, 2}, .padding = {1, 0}, .dilation = {2, 1}, .output_padding = {0, 1}}>(x, w, b);
        });
    r.check<of<1, 3, 4, 5>, of<1, 3, 2, 3>, of<3, 1, 3, 2>, of<3>>("conv_transpose2d/004", [](auto x, auto w, auto b) {
        return ad::conv_transpose2d<ad::conv{
            .stride = {2, 1}, .padding = {1, 0}, .dilation = {1, 2}, .groups = 3, .output_padding = {1, 0}}>(x, w, b);
    });
    r.check<of<run, run, run, run, run>, of<run, run, run, run, run>, of<run, 1, 2, 2, 3>, of<2>>(
        "conv3d/000", [](auto x, auto w, auto b) { return ad::conv3d(x, w, b); });
    r.check<of<2, 2, 2, 2, 3>, of<2, 2, 4, 3, 4>, of<2, 2, 3, 2, 2>, of<2>>("conv3d/001", [](auto x, auto w, auto b) {
        return ad::conv3d<ad::conv{.stride = {2, 1, 2}, .padding = {1, 0, 1}}>(x, w, b);
    });
    r.check<of<run, run, run, run, run>, of<run, run, run, run, run>, of<run, 1, 2, 2, 2>, of<2>>(
        "conv3d/002", [](auto x, auto w, auto b) {
            return ad::conv3d<ad::conv{.stride = {1, 2, 1}, .padding = {0, 1, 0}, .dilation = {2, 1, 3}, .groups = 2}>(
                x, w, b);
        });
    r.check<of<2, 3, 5, 4>, of<2, 3, 5, 4>, of<3, 1, 3, 3>, of<3>>(
        "conv2d/000", [](auto x, auto w, auto b) { return ad::conv2d<ad::conv{.padding = 1, .groups = 3}>(x, w, b); });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 1, 3, 2>, of<8>>(
        "conv2d/001",
        [](auto x, auto w, auto b) { return ad::conv2d<ad::conv{.stride = 2, .padding = 1, .groups = 4}>(x, w, b); });
    r.check<of<1, 2, 7, 6>, of<1, 2, 7, 6>, of<2, 1, 3, 3>, of<2>>("conv2d/002", [](auto x, auto w, auto b) {
        return ad::conv2d<ad::conv{.padding = 2, .dilation = 2, .groups = 2}>(x, w, b);
    });
    r.check<of<run, run, run>, of<run, run, run>, of<run, 1, 3>>(
        "conv1d/000", [](auto x, auto w) { return ad::conv1d<ad::conv{.padding = 1, .groups = 3}>(x, w); });
    r.expect_all({"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"});
}

TEST_CASE("more convolutions in float: the reference's cases") {
    shape_cases<float> r("conv_more");
    r.check<of<run, run, run>, of<run, run, run>, of<run, 3, 3>, of<3>>(
        "conv_transpose1d/000", [](auto x, auto w, auto b) { return ad::conv_transpose1d(x, w, b); });
    r.check<of<1, 2, 13>, of<1, 4, 4>, of<4, 1, 2>, of<2>>("conv_transpose1d/003", [](auto x, auto w, auto b) {
        return ad::conv_transpose1d<ad::conv{.stride = 3, .groups = 2, .output_padding = 2}>(x, w, b);
    });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 2, 2, 3>, of<2>>(
        "conv_transpose2d/000", [](auto x, auto w, auto b) { return ad::conv_transpose2d(x, w, b); });
    r.check<of<1, 1, 3, 8>, of<1, 2, 3, 3>, of<2, 1, 2, 3>, of<1>>("conv_transpose2d/003", [](auto x, auto w, auto b) {
        return ad::conv_transpose2d<ad::conv{
            .stride = {1, 2}, .padding = {1, 0}, .dilation = {2, 1}, .output_padding = {0, 1}}>(x, w, b);
    });
    r.check<of<run, run, run, run, run>, of<run, run, run, run, run>, of<run, 1, 2, 2, 3>, of<2>>(
        "conv3d/000", [](auto x, auto w, auto b) { return ad::conv3d(x, w, b); });
    r.check<of<2, 3, 5, 4>, of<2, 3, 5, 4>, of<3, 1, 3, 3>, of<3>>(
        "conv2d/000", [](auto x, auto w, auto b) { return ad::conv2d<ad::conv{.padding = 1, .groups = 3}>(x, w, b); });
    r.check<of<run, run, run>, of<run, run, run>, of<run, 1, 3>>(
        "conv1d/000", [](auto x, auto w) { return ad::conv1d<ad::conv{.padding = 1, .groups = 3}>(x, w); });
    r.expect_all({"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d"});
}

TEST_CASE("upsample and pixel_shuffle: the reference's cases") {
    shape_cases<double> r("conv_more");
    r.check<of<1, 2, 2, 3>, of<1, 2, 5, 7>>("adaptive_avg_pool2d/000",
                                            [](auto x) { return ad::adaptive_avg_pool2d<2, 3>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("adaptive_avg_pool2d/001",
                                                            [](auto x) { return ad::adaptive_avg_pool2d<3, 4>(x); });
    r.check<of<1, 2, 1, 1>, of<1, 2, 3, 5>>("adaptive_avg_pool2d/002",
                                            [](auto x) { return ad::adaptive_avg_pool2d<1, 1>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("adaptive_avg_pool2d/003",
                                                            [](auto x) { return ad::adaptive_avg_pool2d<5, 4>(x); });
    r.check<of<1, 2, 6, 8>, of<1, 2, 3, 4>>("upsample_nearest/000",
                                            [](auto x) { return ad::upsample_nearest<6, 8>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("upsample_bilinear/000",
                                                            [](auto x) { return ad::upsample_bilinear<6, 8>(x); });
    r.check<of<1, 2, 6, 8>, of<1, 2, 3, 4>>("upsample_bilinear/001",
                                            [](auto x) { return ad::upsample_bilinear<6, 8, true>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("upsample_nearest/001",
                                                            [](auto x) { return ad::upsample_nearest<5, 3>(x); });
    r.check<of<2, 1, 5, 3>, of<2, 1, 3, 2>>("upsample_bilinear/002",
                                            [](auto x) { return ad::upsample_bilinear<5, 3>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "upsample_bilinear/003", [](auto x) { return ad::upsample_bilinear<5, 3, true>(x); });
    r.check<of<1, 1, 3, 7>, of<1, 1, 5, 4>>("upsample_nearest/002",
                                            [](auto x) { return ad::upsample_nearest<3, 7>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("upsample_bilinear/004",
                                                            [](auto x) { return ad::upsample_bilinear<3, 7>(x); });
    r.check<of<1, 1, 3, 7>, of<1, 1, 5, 4>>("upsample_bilinear/005",
                                            [](auto x) { return ad::upsample_bilinear<3, 7, true>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("upsample_nearest/003",
                                                            [](auto x) { return ad::upsample_nearest<2, 9>(x); });
    r.check<of<1, 2, 2, 9>, of<1, 2, 2, 3>>("upsample_bilinear/006",
                                            [](auto x) { return ad::upsample_bilinear<2, 9>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "upsample_bilinear/007", [](auto x) { return ad::upsample_bilinear<2, 9, true>(x); });
    r.check<of<1, 1, 1, 1>, of<1, 1, 4, 4>>("upsample_nearest/004",
                                            [](auto x) { return ad::upsample_nearest<1, 1>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("upsample_bilinear/008",
                                                            [](auto x) { return ad::upsample_bilinear<1, 1>(x); });
    r.check<of<1, 1, 1, 1>, of<1, 1, 4, 4>>("upsample_bilinear/009",
                                            [](auto x) { return ad::upsample_bilinear<1, 1, true>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("pixel_shuffle/000",
                                                            [](auto x) { return ad::pixel_shuffle<2>(x); });
    r.check<of<2, 1, 6, 3>, of<2, 9, 2, 1>>("pixel_shuffle/001", [](auto x) { return ad::pixel_shuffle<3>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("pixel_shuffle/002",
                                                            [](auto x) { return ad::pixel_shuffle<2>(x); });
    r.expect_all({"upsample_nearest", "upsample_bilinear", "pixel_shuffle", "adaptive_avg_pool2d"});
}

TEST_CASE("upsample and pixel_shuffle in float: the reference's cases") {
    shape_cases<float> r("conv_more");
    r.check<of<run, run, run, run>, of<run, run, run, run>>("adaptive_avg_pool2d/000",
                                                            [](auto x) { return ad::adaptive_avg_pool2d<2, 3>(x); });
    r.check<of<1, 1, 5, 4>, of<1, 1, 3, 2>>("adaptive_avg_pool2d/003",
                                            [](auto x) { return ad::adaptive_avg_pool2d<5, 4>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("upsample_nearest/000",
                                                            [](auto x) { return ad::upsample_nearest<6, 8>(x); });
    r.check<of<1, 2, 6, 8>, of<1, 2, 3, 4>>("upsample_bilinear/000",
                                            [](auto x) { return ad::upsample_bilinear<6, 8>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "upsample_bilinear/003", [](auto x) { return ad::upsample_bilinear<5, 3, true>(x); });
    r.check<of<1, 2, 2, 9>, of<1, 2, 2, 3>>("upsample_nearest/003",
                                            [](auto x) { return ad::upsample_nearest<2, 9>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("upsample_bilinear/006",
                                                            [](auto x) { return ad::upsample_bilinear<2, 9>(x); });
    r.check<of<1, 1, 1, 1>, of<1, 1, 4, 4>>("upsample_bilinear/009",
                                            [](auto x) { return ad::upsample_bilinear<1, 1, true>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("pixel_shuffle/000",
                                                            [](auto x) { return ad::pixel_shuffle<2>(x); });
    r.expect_all({"upsample_nearest", "upsample_bilinear", "pixel_shuffle", "adaptive_avg_pool2d"});
}

TEST_CASE("pad: the reference's cases") {
    shape_cases<double> r("conv_more");
    r.check<of<8>, of<5>>("pad_mode/000", [](auto x) { return ad::pad<2, 1>(x, 0.5); });
    r.check<of<run>, of<run>>("pad_mode/001", [](auto x) { return ad::pad<2, 1>(x, ad::reflect); });
    r.check<of<8>, of<5>>("pad_mode/002", [](auto x) { return ad::pad<2, 1>(x, ad::replicate); });
    r.check<of<run>, of<run>>("pad_mode/003", [](auto x) { return ad::pad<2, 1>(x, ad::circular); });
    r.check<of<3, 9>, of<3, 4>>("pad_mode/004", [](auto x) { return ad::pad<0, 0, 2, 3>(x, 0.5); });
    r.check<of<run, run>, of<run, run>>("pad_mode/005", [](auto x) { return ad::pad<0, 0, 2, 3>(x, ad::reflect); });
    r.check<of<3, 9>, of<3, 4>>("pad_mode/006", [](auto x) { return ad::pad<0, 0, 2, 3>(x, ad::replicate); });
    r.check<of<run, run>, of<run, run>>("pad_mode/007", [](auto x) { return ad::pad<0, 0, 2, 3>(x, ad::circular); });
    r.check<of<7, 9>, of<4, 5>>("pad_mode/008", [](auto x) { return ad::pad<1, 2, 3, 1>(x, 0.5); });
    r.check<of<run, run>, of<run, run>>("pad_mode/009", [](auto x) { return ad::pad<1, 2, 3, 1>(x, ad::reflect); });
    r.check<of<7, 9>, of<4, 5>>("pad_mode/010", [](auto x) { return ad::pad<1, 2, 3, 1>(x, ad::replicate); });
    r.check<of<run, run>, of<run, run>>("pad_mode/011", [](auto x) { return ad::pad<1, 2, 3, 1>(x, ad::circular); });
    r.check<of<1, 2, 7, 6>, of<1, 2, 4, 3>>("pad_mode/012",
                                            [](auto x) { return ad::pad<0, 0, 0, 0, 2, 1, 1, 2>(x, 0.5); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "pad_mode/013", [](auto x) { return ad::pad<0, 0, 0, 0, 2, 1, 1, 2>(x, ad::reflect); });
    r.check<of<1, 2, 7, 6>, of<1, 2, 4, 3>>("pad_mode/014",
                                            [](auto x) { return ad::pad<0, 0, 0, 0, 2, 1, 1, 2>(x, ad::replicate); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "pad_mode/015", [](auto x) { return ad::pad<0, 0, 0, 0, 2, 1, 1, 2>(x, ad::circular); });
    r.expect_all({"pad_mode"});
}

TEST_CASE("pad in float: the reference's cases") {
    shape_cases<float> r("conv_more");
    r.check<of<run>, of<run>>("pad_mode/000", [](auto x) { return ad::pad<2, 1>(x, 0.5); });
    r.check<of<8>, of<5>>("pad_mode/003", [](auto x) { return ad::pad<2, 1>(x, ad::circular); });
    r.check<of<run, run>, of<run, run>>("pad_mode/006", [](auto x) { return ad::pad<0, 0, 2, 3>(x, ad::replicate); });
    r.check<of<7, 9>, of<4, 5>>("pad_mode/009", [](auto x) { return ad::pad<1, 2, 3, 1>(x, ad::reflect); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "pad_mode/012", [](auto x) { return ad::pad<0, 0, 0, 0, 2, 1, 1, 2>(x, 0.5); });
    r.check<of<1, 2, 7, 6>, of<1, 2, 4, 3>>("pad_mode/015",
                                            [](auto x) { return ad::pad<0, 0, 0, 0, 2, 1, 1, 2>(x, ad::circular); });
    r.expect_all({"pad_mode"});
}

TEST_CASE("windows: the reference's cases") {
    shape_cases<double> r("conv_more");
    r.check<of<7, 3>, of<9>>("unfold/000", [](auto x) { return ad::windows<0, 3>(x); });
    r.check<of<run, run, 4>, of<run, run>>("unfold/001", [](auto x) { return ad::windows<-1, 4, 2>(x); });
    r.check<of<2, 7, 3>, of<2, 11>>("unfold/002", [](auto x) { return ad::windows<1, 3, 1, 2>(x); });
    r.check<of<run, run, run, 3>, of<run, run, run>>("unfold/003", [](auto x) { return ad::windows<-1, 3, 3>(x); });
    r.check<of<3, 5, 3, 2>, of<5, 6>>("unfold/004", [](auto x) { return ad::windows<1, 2>(ad::windows<0, 3>(x)); });
    r.check<of<run, run, run, 2, 3>, of<run, run, run>>(
        "unfold/005", [](auto x) { return ad::windows<2, 3>(ad::windows<1, 2, 2, 2>(x)); });
    r.check<of<3, 2, 3, 2, 2, 3>, of<4, 4, 5>>(
        "unfold/006", [](auto x) { return ad::windows<2, 3>(ad::windows<1, 2, 2>(ad::windows<0, 2>(x))); });
    r.expect_all({"unfold"});
}

TEST_CASE("windows in float: the reference's cases") {
    shape_cases<float> r("conv_more");
    r.check<of<run, 3>, of<run>>("unfold/000", [](auto x) { return ad::windows<0, 3>(x); });
    r.check<of<2, 3, 2, 3>, of<2, 3, 8>>("unfold/003", [](auto x) { return ad::windows<-1, 3, 3>(x); });
    r.check<of<run, run, run, 2, 2, 3>, of<run, run, run>>(
        "unfold/006", [](auto x) { return ad::windows<2, 3>(ad::windows<1, 2, 2>(ad::windows<0, 2>(x))); });
    r.expect_all({"unfold"});
}
