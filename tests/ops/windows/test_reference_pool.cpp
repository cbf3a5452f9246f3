// SPDX-License-Identifier: MIT
// The reference's family pool.

#include "ops/shape/shape_cases.hpp"

using namespace reference;

TEST_CASE("max_pool: the reference's cases") {
    shape_cases<double> r("pool");
    r.check<of<1, 2, 2, 2>, of<1, 2, 4, 4>>("max_pool2d/000",
                                            [](auto x) { return ad::max_pool2d<ad::pool{.size = 2}>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "max_pool2d/001", [](auto x) { return ad::max_pool2d<ad::pool{.size = 3, .stride = 1}>(x); });
    r.check<of<2, 1, 2, 5>, of<2, 1, 5, 6>>("max_pool2d/002", [](auto x) {
        return ad::max_pool2d<ad::pool{.size = {3, 2}, .stride = {2, 1}}>(x);
    });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "max_pool2d/003", [](auto x) { return ad::max_pool2d<ad::pool{.size = 3, .stride = 2, .padding = 1}>(x); });
    r.check<of<1, 1, 4, 4>, of<1, 1, 7, 7>>(
        "max_pool2d/004", [](auto x) { return ad::max_pool2d<ad::pool{.size = 2, .ceil = true}>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("max_pool2d/005", [](auto x) {
        return ad::max_pool2d<ad::pool{.size = 3, .stride = {1, 2}, .dilation = 2}>(x);
    });
    r.check<of<2, 1, 3, 3>, of<2, 1, 5, 6>>("max_pool2d/006", [](auto x) {
        return ad::max_pool2d<ad::pool{.size = {2, 3}, .padding = 1, .ceil = true}>(x);
    });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "max_pool2d/007", [](auto x) { return ad::max_pool2d<ad::pool{.size = 2, .stride = 1}>(x); });
    r.check<of<1, 1, 1, 2>, of<1, 1, 2, 4>>("max_pool2d/008",
                                            [](auto x) { return ad::max_pool2d<ad::pool{.size = 2}>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "max_pool2d/009", [](auto x) { return ad::max_pool2d<ad::pool{.size = 3, .stride = 2, .padding = 1}>(x); });
    r.check<of<2, 2, 3>, of<2, 2, 6>>("max_pool1d/000", [](auto x) { return ad::max_pool1d<ad::pool{.size = 2}>(x); });
    r.check<of<run, run, run>, of<run, run, run>>("max_pool1d/001",
                                                  [](auto x) { return ad::max_pool1d<ad::pool{.size = 2}>(x); });
    r.check<of<2, 2, 6>, of<2, 2, 6>>(
        "max_pool1d/002", [](auto x) { return ad::max_pool1d<ad::pool{.size = 3, .stride = 1, .padding = 1}>(x); });
    r.check<of<run, run, run>, of<run, run, run>>(
        "max_pool1d/003", [](auto x) { return ad::max_pool1d<ad::pool{.size = 3, .stride = 1, .padding = 1}>(x); });
    r.check<of<2, 2, 4>, of<2, 2, 6>>("max_pool1d/004", [](auto x) {
        return ad::max_pool1d<ad::pool{.size = 3, .stride = 2, .padding = 1, .ceil = true}>(x);
    });
    r.check<of<run, run, run>, of<run, run, run>>("max_pool1d/005", [](auto x) {
        return ad::max_pool1d<ad::pool{.size = 3, .stride = 2, .padding = 1, .ceil = true}>(x);
    });
    r.check<of<2, 2, 4>, of<2, 2, 6>>(
        "max_pool1d/006", [](auto x) { return ad::max_pool1d<ad::pool{.size = 2, .stride = 1, .dilation = 2}>(x); });
    r.check<of<run, run, run>, of<run, run, run>>(
        "max_pool1d/007", [](auto x) { return ad::max_pool1d<ad::pool{.size = 2, .stride = 1, .dilation = 2}>(x); });
    r.check<of<1, 1, 2>, of<1, 1, 4>>("max_pool1d/008", [](auto x) { return ad::max_pool1d<ad::pool{.size = 2}>(x); });
    r.expect_all({"max_pool1d", "max_pool2d"});
}

TEST_CASE("max_pool in float: the reference's cases") {
    shape_cases<float> r("pool");
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "max_pool2d/000", [](auto x) { return ad::max_pool2d<ad::pool{.size = 2}>(x); });
    r.check<of<1, 2, 2, 2>, of<1, 2, 4, 4>>(
        "max_pool2d/003", [](auto x) { return ad::max_pool2d<ad::pool{.size = 3, .stride = 2, .padding = 1}>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("max_pool2d/006", [](auto x) {
        return ad::max_pool2d<ad::pool{.size = {2, 3}, .padding = 1, .ceil = true}>(x);
    });
    r.check<of<1, 1, 2, 2>, of<1, 1, 4, 4>>(
        "max_pool2d/009", [](auto x) { return ad::max_pool2d<ad::pool{.size = 3, .stride = 2, .padding = 1}>(x); });
    r.check<of<run, run, run>, of<run, run, run>>("max_pool1d/000",
                                                  [](auto x) { return ad::max_pool1d<ad::pool{.size = 2}>(x); });
    r.check<of<1, 3, 7>, of<1, 3, 7>>(
        "max_pool1d/003", [](auto x) { return ad::max_pool1d<ad::pool{.size = 3, .stride = 1, .padding = 1}>(x); });
    r.check<of<run, run, run>, of<run, run, run>>(
        "max_pool1d/006", [](auto x) { return ad::max_pool1d<ad::pool{.size = 2, .stride = 1, .dilation = 2}>(x); });
    r.expect_all({"max_pool1d", "max_pool2d"});
}

TEST_CASE("avg_pool: the reference's cases") {
    shape_cases<double> r("pool");
    r.check<of<1, 2, 2, 2>, of<1, 2, 4, 4>>("avg_pool2d/000",
                                            [](auto x) { return ad::avg_pool2d<ad::pool{.size = 2}>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "avg_pool2d/001", [](auto x) { return ad::avg_pool2d<ad::pool{.size = 3, .stride = 1}>(x); });
    r.check<of<1, 2, 2, 2>, of<1, 2, 4, 4>>(
        "avg_pool2d/002", [](auto x) { return ad::avg_pool2d<ad::pool{.size = 3, .stride = 2, .padding = 1}>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("avg_pool2d/003", [](auto x) {
        return ad::avg_pool2d<ad::pool{.size = {2, 3}, .stride = 2, .padding = 1}>(x);
    });
    r.check<of<1, 1, 3, 3>, of<1, 1, 7, 7>>(
        "avg_pool2d/004", [](auto x) { return ad::avg_pool2d<ad::pool{.size = 3, .stride = 2, .ceil = true}>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "avg_pool2d/005", [](auto x) { return ad::avg_pool2d<ad::pool{.size = 2, .padding = 1, .ceil = true}>(x); });
    r.check<of<1, 2, 2, 2>, of<1, 2, 4, 4>>(
        "avg_pool2d/006", [](auto x) { return ad::avg_pool2d<ad::pool{.size = 2, .count_padding = false}>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("avg_pool2d/007", [](auto x) {
        return ad::avg_pool2d<ad::pool{.size = 3, .stride = 1, .count_padding = false}>(x);
    });
    r.check<of<1, 2, 2, 2>, of<1, 2, 4, 4>>("avg_pool2d/008", [](auto x) {
        return ad::avg_pool2d<ad::pool{.size = 3, .stride = 2, .padding = 1, .count_padding = false}>(x);
    });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("avg_pool2d/009", [](auto x) {
        return ad::avg_pool2d<ad::pool{.size = {2, 3}, .stride = 2, .padding = 1, .count_padding = false}>(x);
    });
    r.check<of<1, 1, 3, 3>, of<1, 1, 7, 7>>("avg_pool2d/010", [](auto x) {
        return ad::avg_pool2d<ad::pool{.size = 3, .stride = 2, .ceil = true, .count_padding = false}>(x);
    });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("avg_pool2d/011", [](auto x) {
        return ad::avg_pool2d<ad::pool{.size = 2, .padding = 1, .ceil = true, .count_padding = false}>(x);
    });
    r.check<of<1, 3, 3>, of<1, 3, 7>>("avg_pool1d/000", [](auto x) { return ad::avg_pool1d<ad::pool{.size = 2}>(x); });
    r.check<of<run, run, run>, of<run, run, run>>(
        "avg_pool1d/001", [](auto x) { return ad::avg_pool1d<ad::pool{.size = 2, .count_padding = false}>(x); });
    r.check<of<1, 3, 7>, of<1, 3, 7>>(
        "avg_pool1d/002", [](auto x) { return ad::avg_pool1d<ad::pool{.size = 3, .stride = 1, .padding = 1}>(x); });
    r.check<of<run, run, run>, of<run, run, run>>("avg_pool1d/003", [](auto x) {
        return ad::avg_pool1d<ad::pool{.size = 3, .stride = 1, .padding = 1, .count_padding = false}>(x);
    });
    r.check<of<1, 3, 4>, of<1, 3, 7>>("avg_pool1d/004", [](auto x) {
        return ad::avg_pool1d<ad::pool{.size = 3, .stride = 2, .padding = 1, .ceil = true}>(x);
    });
    r.check<of<run, run, run>, of<run, run, run>>("avg_pool1d/005", [](auto x) {
        return ad::avg_pool1d<ad::pool{.size = 3, .stride = 2, .padding = 1, .ceil = true, .count_padding = false}>(x);
    });
    r.check<of<1, 2, 2, 3>, of<1, 2, 4, 6>>("adaptive_avg_pool2d/000",
                                            [](auto x) { return ad::adaptive_avg_pool2d<2, 3>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("adaptive_avg_pool2d/001",
                                                            [](auto x) { return ad::adaptive_avg_pool2d<3, 2>(x); });
    r.check<of<1, 2, 1, 1>, of<1, 2, 3, 4>>("adaptive_avg_pool2d/002",
                                            [](auto x) { return ad::adaptive_avg_pool2d<1, 1>(x); });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("adaptive_avg_pool2d/003",
                                                            [](auto x) { return ad::adaptive_avg_pool2d<4, 5>(x); });
    r.check<of<2, 2, 3>, of<2, 2, 6>>("adaptive_avg_pool1d/000", [](auto x) { return ad::adaptive_avg_pool1d<3>(x); });
    r.check<of<run, run, run>, of<run, run, run>>("adaptive_avg_pool1d/001",
                                                  [](auto x) { return ad::adaptive_avg_pool1d<3>(x); });
    r.check<of<1, 1, 1>, of<1, 1, 5>>("adaptive_avg_pool1d/002", [](auto x) { return ad::adaptive_avg_pool1d<1>(x); });
    r.expect_all({"avg_pool1d", "avg_pool2d", "adaptive_avg_pool1d", "adaptive_avg_pool2d"});
}

TEST_CASE("avg_pool in float: the reference's cases") {
    shape_cases<float> r("pool");
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "avg_pool2d/000", [](auto x) { return ad::avg_pool2d<ad::pool{.size = 2}>(x); });
    r.check<of<2, 1, 3, 3>, of<2, 1, 5, 6>>("avg_pool2d/003", [](auto x) {
        return ad::avg_pool2d<ad::pool{.size = {2, 3}, .stride = 2, .padding = 1}>(x);
    });
    r.check<of<run, run, run, run>, of<run, run, run, run>>(
        "avg_pool2d/006", [](auto x) { return ad::avg_pool2d<ad::pool{.size = 2, .count_padding = false}>(x); });
    r.check<of<2, 1, 3, 3>, of<2, 1, 5, 6>>("avg_pool2d/009", [](auto x) {
        return ad::avg_pool2d<ad::pool{.size = {2, 3}, .stride = 2, .padding = 1, .count_padding = false}>(x);
    });
    r.check<of<run, run, run>, of<run, run, run>>("avg_pool1d/000",
                                                  [](auto x) { return ad::avg_pool1d<ad::pool{.size = 2}>(x); });
    r.check<of<1, 3, 7>, of<1, 3, 7>>("avg_pool1d/003", [](auto x) {
        return ad::avg_pool1d<ad::pool{.size = 3, .stride = 1, .padding = 1, .count_padding = false}>(x);
    });
    r.check<of<run, run, run, run>, of<run, run, run, run>>("adaptive_avg_pool2d/000",
                                                            [](auto x) { return ad::adaptive_avg_pool2d<2, 3>(x); });
    r.check<of<1, 1, 4, 5>, of<1, 1, 2, 3>>("adaptive_avg_pool2d/003",
                                            [](auto x) { return ad::adaptive_avg_pool2d<4, 5>(x); });
    r.check<of<run, run, run>, of<run, run, run>>("adaptive_avg_pool1d/000",
                                                  [](auto x) { return ad::adaptive_avg_pool1d<3>(x); });
    r.expect_all({"avg_pool1d", "avg_pool2d", "adaptive_avg_pool1d", "adaptive_avg_pool2d"});
}
