// SPDX-License-Identifier: MIT
// The reference's family conv: x over static extents and run-time ones in turn.

#include "ops/shape/shape_cases.hpp"

using namespace reference;

TEST_CASE("conv1d: the reference's cases") {
    shape_cases<double> r("conv");
    r.check<of<2, 4, 5>, of<2, 3, 7>, of<4, 3, 3>, of<4>>("conv1d/000",
                                                          [](auto x, auto w, auto b) { return ad::conv1d(x, w, b); });
    r.check<of<run, run, run>, of<run, run, run>, of<run, 3, 3>, of<2>>(
        "conv1d/001", [](auto x, auto w, auto b) { return ad::conv1d<ad::conv{.stride = 2}>(x, w, b); });
    r.check<of<2, 3, 6>, of<2, 2, 6>, of<3, 2, 3>, of<3>>(
        "conv1d/002", [](auto x, auto w, auto b) { return ad::conv1d<ad::conv{.padding = 1}>(x, w, b); });
    r.check<of<run, run, run>, of<run, run, run>, of<run, 2, 3>, of<2>>(
        "conv1d/003", [](auto x, auto w, auto b) { return ad::conv1d<ad::conv{.dilation = 2}>(x, w, b); });
    r.check<of<2, 4, 6>, of<2, 4, 6>, of<4, 2, 3>, of<4>>(
        "conv1d/004", [](auto x, auto w, auto b) { return ad::conv1d<ad::conv{.padding = 1, .groups = 2}>(x, w, b); });
    r.check<of<run, run, run>, of<run, run, run>, of<run, 1, 3>, of<3>>("conv1d/005", [](auto x, auto w, auto b) {
        return ad::conv1d<ad::conv{.stride = 2, .padding = 2, .dilation = 2, .groups = 3}>(x, w, b);
    });
    r.check<of<1, 3, 5>, of<1, 2, 5>, of<3, 2, 1>>("conv1d/006", [](auto x, auto w) { return ad::conv1d(x, w); });
    r.check<of<run, run, run>, of<run, run, run>, of<run, 1, 5>, of<1>>(
        "conv1d/007", [](auto x, auto w, auto b) { return ad::conv1d(x, w, b); });
    r.check<of<1, 2, 2>, of<1, 1, 7>, of<2, 1, 2>, of<2>>(
        "conv1d/008", [](auto x, auto w, auto b) { return ad::conv1d<ad::conv{.stride = 3}>(x, w, b); });
    r.expect_all({"conv1d"});
}

TEST_CASE("conv1d in float: the reference's cases") {
    shape_cases<float> r("conv");
    r.check<of<run, run, run>, of<run, run, run>, of<run, 3, 3>, of<4>>(
        "conv1d/000", [](auto x, auto w, auto b) { return ad::conv1d(x, w, b); });
    r.check<of<1, 2, 5>, of<1, 2, 9>, of<2, 2, 3>, of<2>>(
        "conv1d/003", [](auto x, auto w, auto b) { return ad::conv1d<ad::conv{.dilation = 2}>(x, w, b); });
    r.check<of<run, run, run>, of<run, run, run>, of<run, 2, 1>>("conv1d/006",
                                                                 [](auto x, auto w) { return ad::conv1d(x, w); });
    r.expect_all({"conv1d"});
}

TEST_CASE("conv2d: the reference's cases") {
    shape_cases<double> r("conv");
    r.check<of<1, 1, 2, 2>, of<1, 1, 4, 4>, of<1, 1, 3, 3>, of<1>>(
        "conv2d/000", [](auto x, auto w, auto b) { return ad::conv2d(x, w, b); });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 2, 3, 2>, of<3>>(
        "conv2d/001", [](auto x, auto w, auto b) { return ad::conv2d(x, w, b); });
    r.check<of<1, 2, 2, 3>, of<1, 2, 6, 5>, of<2, 2, 3, 3>, of<2>>("conv2d/002", [](auto x, auto w, auto b) {
        return ad::conv2d<ad::conv{.stride = {2, 1}}>(x, w, b);
    });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 1, 3, 3>, of<2>>(
        "conv2d/003", [](auto x, auto w, auto b) { return ad::conv2d<ad::conv{.padding = 1}>(x, w, b); });
    r.check<of<1, 2, 3, 4>, of<1, 2, 4, 5>, of<2, 2, 2, 3>, of<2>>("conv2d/004", [](auto x, auto w, auto b) {
        return ad::conv2d<ad::conv{.stride = {1, 2}, .padding = {0, 2}}>(x, w, b);
    });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 1, 3, 3>, of<2>>(
        "conv2d/005", [](auto x, auto w, auto b) { return ad::conv2d<ad::conv{.dilation = 2}>(x, w, b); });
    r.check<of<1, 4, 4, 4>, of<1, 4, 4, 4>, of<4, 2, 3, 3>, of<4>>(
        "conv2d/006", [](auto x, auto w, auto b) { return ad::conv2d<ad::conv{.padding = 1, .groups = 2}>(x, w, b); });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 1, 3, 3>, of<6>>(
        "conv2d/007", [](auto x, auto w, auto b) { return ad::conv2d<ad::conv{.padding = 1, .groups = 3}>(x, w, b); });
    r.check<of<2, 4, 2, 3>, of<2, 2, 6, 6>, of<4, 1, 3, 3>, of<4>>("conv2d/008", [](auto x, auto w, auto b) {
        return ad::conv2d<ad::conv{.stride = 2, .padding = 1, .dilation = {2, 1}, .groups = 2}>(x, w, b);
    });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 3, 1, 1>, of<4>>(
        "conv2d/009", [](auto x, auto w, auto b) { return ad::conv2d(x, w, b); });
    r.check<of<2, 2, 3, 3>, of<2, 2, 4, 4>, of<2, 2, 2, 2>>("conv2d/010",
                                                            [](auto x, auto w) { return ad::conv2d(x, w); });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 1, 2, 2>, of<1>>(
        "conv2d/011", [](auto x, auto w, auto b) { return ad::conv2d<ad::conv{.stride = 3}>(x, w, b); });
    r.check<of<1, 1, 2, 2>, of<1, 1, 6, 5>, of<1, 1, 3, 3>, of<1>>(
        "conv2d/012", [](auto x, auto w, auto b) { return ad::conv2d<ad::conv{.stride = 2}>(x, w, b); });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 2, 3, 3>, of<2>>(
        "conv2d/013", [](auto x, auto w, auto b) { return ad::conv2d(x, w, b); });
    r.check<of<1, 2, 2, 2>, of<1, 2, 4, 4>, of<2, 2, 3, 3>, of<2>>(
        "conv2d/014", [](auto x, auto w, auto b) { return ad::conv2d(x, w, b); });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 3, 3, 3>, of<4>>(
        "conv2d/015", [](auto x, auto w, auto b) {
            return ad::conv2d<ad::conv{.stride = {1, 2}, .padding = 1}>(x, w, b);
        });
    r.check<of<0, 1, 2, 2>, of<0, 1, 3, 3>, of<1, 1, 2, 2>, of<1>>(
        "conv2d/016", [](auto x, auto w, auto b) { return ad::conv2d(x, w, b); });
    r.expect_all({"conv2d"});
}

TEST_CASE("conv2d in float: the reference's cases") {
    shape_cases<float> r("conv");
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 1, 3, 3>, of<1>>(
        "conv2d/000", [](auto x, auto w, auto b) { return ad::conv2d(x, w, b); });
    r.check<of<2, 2, 4, 4>, of<2, 1, 4, 4>, of<2, 1, 3, 3>, of<2>>(
        "conv2d/003", [](auto x, auto w, auto b) { return ad::conv2d<ad::conv{.padding = 1}>(x, w, b); });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 2, 3, 3>, of<4>>(
        "conv2d/006", [](auto x, auto w, auto b) { return ad::conv2d<ad::conv{.padding = 1, .groups = 2}>(x, w, b); });
    r.check<of<2, 4, 3, 3>, of<2, 3, 3, 3>, of<4, 3, 1, 1>, of<4>>(
        "conv2d/009", [](auto x, auto w, auto b) { return ad::conv2d(x, w, b); });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 1, 3, 3>, of<1>>(
        "conv2d/012", [](auto x, auto w, auto b) { return ad::conv2d<ad::conv{.stride = 2}>(x, w, b); });
    r.check<of<2, 4, 11, 7>, of<2, 3, 11, 13>, of<4, 3, 3, 3>, of<4>>("conv2d/015", [](auto x, auto w, auto b) {
        return ad::conv2d<ad::conv{.stride = {1, 2}, .padding = 1}>(x, w, b);
    });
    r.expect_all({"conv2d"});
}

TEST_CASE("transposed convolutions: the reference's cases") {
    shape_cases<double> r("conv");
    r.check<of<1, 3, 4, 4>, of<1, 2, 3, 3>, of<2, 3, 2, 2>, of<3>>(
        "conv_transpose2d/000", [](auto x, auto w, auto b) { return ad::conv_transpose2d(x, w, b); });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 2, 3, 3>, of<2>>(
        "conv_transpose2d/001", [](auto x, auto w, auto b) {
            return ad::conv_transpose2d<ad::conv{.stride = 2, .padding = 1, .output_padding = 1}>(x, w, b);
        });
    r.check<of<1, 4, 7, 5>, of<1, 4, 3, 3>, of<4, 2, 3, 3>, of<4>>("conv_transpose2d/002", [](auto x, auto w, auto b) {
        return ad::conv_transpose2d<ad::conv{.stride = {2, 1}, .groups = 2}>(x, w, b);
    });
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 2, 3, 2>, of<2>>(
        "conv_transpose2d/003", [](auto x, auto w, auto b) {
            return ad::conv_transpose2d<ad::conv{.padding = {1, 0}, .dilation = 2}>(x, w, b);
        });
    r.check<of<1, 1, 4, 6>, of<1, 2, 2, 3>, of<2, 1, 2, 2>>(
        "conv_transpose2d/004", [](auto x, auto w) { return ad::conv_transpose2d<ad::conv{.stride = 2}>(x, w); });
    r.check<of<run, run, run>, of<run, run, run>, of<run, 3, 3>, of<3>>(
        "conv_transpose1d/000", [](auto x, auto w, auto b) {
            return ad::conv_transpose1d<ad::conv{.stride = 2, .padding = 1, .output_padding = 1}>(x, w, b);
        });
    r.check<of<1, 2, 8>, of<1, 2, 4>, of<2, 2, 3>, of<2>>("conv_transpose1d/001", [](auto x, auto w, auto b) {
        return ad::conv_transpose1d<ad::conv{.dilation = 2}>(x, w, b);
    });
    r.expect_all({"conv_transpose1d", "conv_transpose2d"});
}

TEST_CASE("transposed convolutions in float: the reference's cases") {
    shape_cases<float> r("conv");
    r.check<of<run, run, run, run>, of<run, run, run, run>, of<run, 3, 2, 2>, of<3>>(
        "conv_transpose2d/000", [](auto x, auto w, auto b) { return ad::conv_transpose2d(x, w, b); });
    r.check<of<1, 2, 5, 5>, of<1, 2, 3, 3>, of<2, 2, 3, 2>, of<2>>("conv_transpose2d/003", [](auto x, auto w, auto b) {
        return ad::conv_transpose2d<ad::conv{.padding = {1, 0}, .dilation = 2}>(x, w, b);
    });
    r.check<of<run, run, run>, of<run, run, run>, of<run, 3, 3>, of<3>>(
        "conv_transpose1d/000", [](auto x, auto w, auto b) {
            return ad::conv_transpose1d<ad::conv{.stride = 2, .padding = 1, .output_padding = 1}>(x, w, b);
        });
    r.expect_all({"conv_transpose1d", "conv_transpose2d"});
}
