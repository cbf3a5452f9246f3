// SPDX-License-Identifier: MIT
// The reference's cases of cat, stack, split and pad.

#include "ops/shape/shape_cases.hpp"

using namespace reference;

TEST_CASE("concat and stack: the reference's cases") {
    shape_cases<double> r;
    r.check<of<6, 4>, of<3, 4>, of<2, 4>, of<1, 4>>("cat/000",
                                                    [](auto a, auto b, auto c) { return ad::concat<0>(a, b, c); });
    r.check<of<2, 4, 4>, of<2, 3, 4>, of<2, 1, 4>>("cat/001", [](auto a, auto b) { return ad::concat<1>(a, b); });
    r.check<of<2, run, run>, of<2, run, run>, of<2, 3, run>>("cat/002",
                                                             [](auto a, auto b) { return ad::concat<-1>(a, b); });
    r.check<of<run>, of<run>, of<run>, of<1>>("cat/003", [](auto a, auto b, auto c) { return ad::concat<0>(a, b, c); });
    r.check<of<run, 4>, of<run, 4>, of<run, 4>, of<run, 4>>(
        "cat/004", [](auto a, auto b, auto c) { return ad::concat<0>(a, b, c); });
    r.check<of<3, 8>, of<3, 4>, of<3, 4>>("cat/005", [](auto a, auto b) { return ad::concat<1>(a, b); });
    r.check<of<3, 4>, of<3, 4>>("cat/006", [](auto a) { return ad::concat<0>(a); });
    r.check<of<3, 3, 4>, of<3, 4>, of<3, 4>, of<3, 4>>("stack/000",
                                                       [](auto a, auto b, auto c) { return ad::stack<0>(a, b, c); });
    r.check<of<run, 3, run>, of<run, run>, of<run, run>, of<run, run>>(
        "stack/001", [](auto a, auto b, auto c) { return ad::stack<1>(a, b, c); });
    r.check<of<3, 4, 3>, of<3, 4>, of<3, 4>, of<3, 4>>("stack/002",
                                                       [](auto a, auto b, auto c) { return ad::stack<2>(a, b, c); });
    r.check<of<3, 4, 3>, of<3, 4>, of<3, 4>, of<3, 4>>("stack/003",
                                                       [](auto a, auto b, auto c) { return ad::stack<-1>(a, b, c); });
    r.check<of<2>, of<>, of<>>("stack/004", [](auto a, auto b) { return ad::stack<0>(a, b); });
    r.expect_all({"cat", "stack"});
}

TEST_CASE("split and pad: the reference's cases") {
    shape_cases<double> r;
    r.check_parts<of<5>, of<1>, of<4>>("split/000", [](auto x) { return ad::split<0, 1, 4>(x); });
    r.check_parts<of<3, 4, run>, of<3, 4, 2>, of<3, 4, 1>, of<3, 4, 2>>(
        "split/001", [](auto x) { return ad::split<2, 2, 1, 2>(x); });
    r.check_parts<of<2, 3, 4>, of<2, 1, 4>, of<2, 1, 4>, of<2, 1, 4>>("split/002",
                                                                      [](auto x) { return ad::split<-2, 1, 1, 1>(x); });
    r.check<of<6, 5>, of<3, 4>>("pad/000", [](auto x) { return ad::pad<1, 2, 0, 1>(x); });
    r.check<of<3, 6>, of<3, 4>>("pad/001", [](auto x) { return ad::pad<0, 0, 2, 0>(x, 1.5); });
    r.check<of<run>, of<run>>("pad/002", [](auto x) { return ad::pad<2, 3>(x, -1.0); });
    r.check<of<2, 5, 6>, of<2, 3, 4>>("pad/003", [](auto x) { return ad::pad<0, 0, 1, 1, 2, 0>(x); });
    r.check<of<2, 1, run, run>, of<2, 1, run, run>>("pad/004",
                                                    [](auto x) { return ad::pad<0, 0, 0, 0, 1, 1, 1, 1>(x); });
    r.check<of<3, 4>, of<3, 4>>("pad/005", [](auto x) { return ad::pad<0, 0, 0, 0>(x, 3.0); });
    r.check<of<run, 2>, of<run, 2>>("pad/006", [](auto x) { return ad::pad<1, 1, 0, 0>(x, 0.5); });
    r.expect_all({"split", "pad"});
}

TEST_CASE("joins in float: the reference's cases") {
    shape_cases<float> r;
    r.check<of<6, 4>, of<3, 4>, of<2, 4>, of<1, 4>>("cat/000",
                                                    [](auto a, auto b, auto c) { return ad::concat<0>(a, b, c); });
    r.check<of<run>, of<run>, of<run>, of<1>>("cat/003", [](auto a, auto b, auto c) { return ad::concat<0>(a, b, c); });
    r.check<of<3, 4>, of<3, 4>>("cat/006", [](auto a) { return ad::concat<0>(a); });
    r.check<of<3, 3, 4>, of<3, 4>, of<3, 4>, of<3, 4>>("stack/000",
                                                       [](auto a, auto b, auto c) { return ad::stack<0>(a, b, c); });
    r.check<of<3, 4, 3>, of<3, 4>, of<3, 4>, of<3, 4>>("stack/003",
                                                       [](auto a, auto b, auto c) { return ad::stack<-1>(a, b, c); });
    r.check_parts<of<run>, of<1>, of<4>>("split/000", [](auto x) { return ad::split<0, 1, 4>(x); });
    r.check<of<6, 5>, of<3, 4>>("pad/000", [](auto x) { return ad::pad<1, 2, 0, 1>(x); });
    r.check<of<2, 5, 6>, of<2, 3, 4>>("pad/003", [](auto x) { return ad::pad<0, 0, 1, 1, 2, 0>(x); });
    r.check<of<2, 2>, of<0, 2>>("pad/006", [](auto x) { return ad::pad<1, 1, 0, 0>(x, 0.5); });
    r.expect_all({"cat", "stack", "split", "pad"});
}
