// SPDX-License-Identifier: MIT
// The reference's cases of reshape, transpose, permute, expand, squeeze and unsqueeze.

#include "ops/shape/shape_cases.hpp"

using namespace reference;

TEST_CASE("reshape: the reference's cases") {
    shape_cases<double> r;
    r.check<of<4, 3>, of<3, 4>>("reshape/000", [](auto x) { return ad::reshape<4, 3>(x); });
    r.check<of<6, 4>, of<run, 3, run>>("reshape/001", [](auto x) { return ad::reshape<6, 4>(x); });
    r.check<of<24>, of<2, 3, 4>>("reshape/002", [](auto x) { return ad::reshape<-1>(x); });
    r.check<of<4, run, 1>, of<run, 3, 4>>("reshape/003", [](auto x) { return ad::reshape<4, -1, 1>(x); });
    r.check<of<5, 1>, of<run>>("reshape/004", [](auto x) { return ad::reshape<5, 1>(x); });
    r.check<of<1, 1>, of<>>("reshape/005", [](auto x) { return ad::reshape<1, 1>(x); });
    r.check<of<>, of<1, 1>>("reshape/006", [](auto x) { return ad::reshape<>(x); });
    r.check<of<2, 0>, of<0, 4>>("reshape/007", [](auto x) { return ad::reshape<2, 0>(x); });
    r.expect_all({"reshape"});
}

TEST_CASE("reshape and the others in float: the reference's cases") {
    shape_cases<float> r;
    r.check<of<4, 3>, of<3, 4>>("reshape/000", [](auto x) { return ad::reshape<4, 3>(x); });
    r.check<of<4, 6, 1>, of<2, 3, 4>>("reshape/003", [](auto x) { return ad::reshape<4, -1, 1>(x); });
    r.check<of<>, of<1, 1>>("reshape/006", [](auto x) { return ad::reshape<>(x); });
    r.check<of<4, 3>, of<3, 4>>("transpose/000", [](auto x) { return transpose(x); });
    r.check<of<4, 3, 2>, of<2, 3, 4>>("transpose/003", [](auto x) { return permute<2, 1, 0>(x); });
    r.check<of<4, 2, 3>, of<2, 3, 4>>("permute/000", [](auto x) { return permute<2, 0, 1>(x); });
    r.check<of<4, 3>, of<3, 4>>("permute/003", [](auto x) { return permute<1, 0>(x); });
    r.check<of<3, 4>, of<1, 4>>("expand/000", [](auto x) { return ad::expand<3, 4>(x); });
    r.check<of<3, 4>, of<>>("expand/003", [](auto x) { return ad::expand<3, 4>(x); });
    r.check<of<3, 4>, of<run, 4>>("expand/006", [](auto x) { return ad::expand<3, 4>(x); });
    r.check<of<4>, of<1, 4>>("squeeze/000", [](auto x) { return ad::squeeze<0>(x); });
    r.check<of<1, 3, 4>, of<3, 4>>("unsqueeze/000", [](auto x) { return ad::unsqueeze<0>(x); });
    r.check<of<1>, of<>>("unsqueeze/003", [](auto x) { return ad::unsqueeze<0>(x); });
    r.expect_all({"reshape", "transpose", "permute", "expand", "squeeze", "unsqueeze"});
}

TEST_CASE("transpose and permute: the reference's cases") {
    shape_cases<double> r;
    r.check<of<4, 3>, of<run, run>>("transpose/000", [](auto x) { return transpose(x); });
    r.check<of<4, 3, 2>, of<2, 3, 4>>("transpose/001", [](auto x) { return permute<2, 1, 0>(x); });
    r.check<of<2, 4, 3>, of<2, 3, run>>("transpose/002", [](auto x) { return permute<0, 2, 1>(x); });
    r.check<of<4, 3, 2>, of<2, 3, 4>>("transpose/003", [](auto x) { return permute<-1, 1, -3>(x); });
    r.check<of<2, 3, 4>, of<2, 3, 4>>("transpose/004", [](auto x) { return permute<0, 1, 2>(x); });
    r.check<of<2, 5, 4, 3>, of<2, 3, 4, 5>>("transpose/005", [](auto x) { return permute<0, -1, 2, 1>(x); });
    r.check<of<4, 2, 3>, of<2, 3, 4>>("permute/000", [](auto x) { return permute<2, 0, 1>(x); });
    r.check<of<3, 4, 2>, of<2, run, 4>>("permute/001", [](auto x) { return permute<1, 2, 0>(x); });
    r.check<of<5, 3, 2, 4>, of<2, 3, 4, 5>>("permute/002", [](auto x) { return permute<3, 1, 0, 2>(x); });
    r.check<of<4, 3>, of<3, 4>>("permute/003", [](auto x) { return permute<1, 0>(x); });
    r.check<of<2, 3, 4>, of<2, 3, 4>>("permute/004", [](auto x) { return permute<0, 1, 2>(x); });
    r.check<of<2, 5, 3, 4>, of<2, 3, 4, 5>>("permute/005", [](auto x) { return permute<0, -1, 1, -2>(x); });
    r.expect_all({"transpose", "permute"});
}

TEST_CASE("expand, squeeze and unsqueeze: the reference's cases") {
    shape_cases<double> r;
    r.check<of<3, 4>, of<1, 4>>("expand/000", [](auto x) { return ad::expand<3, 4>(x); });
    r.check<of<run, 5>, of<run, 1>>("expand/001", [](auto x) { return ad::expand<ad::dyn, 5>(x); });
    r.check<of<2, 3, 4>, of<4>>("expand/002", [](auto x) { return ad::expand<2, 3, 4>(x); });
    r.check<of<3, 4>, of<>>("expand/003", [](auto x) { return ad::expand<3, 4>(x); });
    r.check<of<2, 3, 4>, of<2, 1, 4>>("expand/004", [](auto x) { return ad::expand<2, 3, 4>(x); });
    r.check<of<5>, of<1>>("expand/005", [](auto x) { return ad::expand<5>(x); });
    r.check<of<3, 4>, of<run, 4>>("expand/006", [](auto x) { return ad::expand<3, 4>(x); });
    r.check<of<0, 3>, of<1, 3>>("expand/007", [](auto x) { return ad::expand<0, 3>(x); });
    r.check<of<4>, of<1, 4>>("squeeze/000", [](auto x) { return ad::squeeze<0>(x); });
    r.check<of<run, 4>, of<run, 1, 4>>("squeeze/001", [](auto x) { return ad::squeeze<1>(x); });
    r.check<of<3, 4>, of<3, 4, run>>("squeeze/002", [](auto x) { return ad::squeeze<-1>(x); });
    r.check<of<1, 3, 4>, of<3, 4>>("unsqueeze/000", [](auto x) { return ad::unsqueeze<0>(x); });
    r.check<of<run, 1, 4>, of<run, 4>>("unsqueeze/001", [](auto x) { return ad::unsqueeze<1>(x); });
    r.check<of<3, 4, 1>, of<3, 4>>("unsqueeze/002", [](auto x) { return ad::unsqueeze<-1>(x); });
    r.check<of<1>, of<>>("unsqueeze/003", [](auto x) { return ad::unsqueeze<0>(x); });
    r.check<of<2, 3, 1, 4>, of<2, 3, 4>>("unsqueeze/004", [](auto x) { return ad::unsqueeze<-2>(x); });
    r.expect_all({"expand", "squeeze", "unsqueeze"});
}
