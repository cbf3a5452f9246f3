// SPDX-License-Identifier: MIT
// The reference's cases of narrow, slice, select, flip, roll, tril and repeat.

#include "ops/shape/shape_cases.hpp"

using namespace reference;

TEST_CASE("narrow, slice and select: the reference's cases") {
    shape_cases<double> r;
    r.check<of<3>, of<5>>("narrow/000", [](auto x) { return ad::narrow<0, 1, 3>(x); });
    r.check<of<run, 2>, of<run, run>>("narrow/001", [](auto x) { return ad::narrow<1, 0, 2>(x); });
    r.check<of<2, 2, 4>, of<2, 3, 4>>("narrow/002", [](auto x) { return ad::narrow<1, 1, 2>(x); });
    r.check<of<2, 3, 1>, of<2, 3, 4>>("narrow/003", [](auto x) { return ad::narrow<-1, 3, 1>(x); });
    r.check<of<3, 4>, of<3, 4>>("narrow/004", [](auto x) { return ad::narrow<0, 0, 3>(x); });
    r.check<of<0, 4>, of<run, 4>>("narrow/005", [](auto x) { return ad::narrow<0, 1, 0>(x); });
    r.check<of<3>, of<6>>("slice/000", [](auto x) { return ad::slice<0, 0, 6, 2>(x); });
    r.check<of<run>, of<run>>("slice/001", [](auto x) { return ad::slice<0, 1, 6, 3>(x); });
    r.check<of<3, 4, 2>, of<3, 4, 5>>("slice/002", [](auto x) { return ad::slice<2, 1, 5, 2>(x); });
    r.check<of<3, 4, 5>, of<3, 4, 5>>("slice/003", [](auto x) { return ad::slice<1, 0, 4>(x); });
    r.check<of<run, run>, of<run, run>>("slice/004", [](auto x) { return ad::slice<-1, 1, 10, 2>(x); });
    r.check<of<run, 6>, of<run, 6>>("slice/005", [](auto x) { return ad::slice<0>(x, 1, 4); });
    r.check<of<0, 4>, of<3, 4>>("slice/006", [](auto x) { return ad::slice<0, 2, 2>(x); });
    r.check<of<4>, of<run, 4>>("select/000", [](auto x) { return ad::select<0>(x, 1); });
    r.check<of<2, run>, of<2, run, run>>("select/001", [](auto x) { return ad::select<1>(x, -1); });
    r.check<of<2, 3>, of<2, 3, 4>>("select/002", [](auto x) { return ad::select<-1>(x, 0); });
    r.check<of<>, of<5>>("select/003", [](auto x) { return ad::select<0>(x, 2); });
    r.expect_all({"narrow", "slice", "select"});
}

TEST_CASE("flip, roll, tril and repeat: the reference's cases") {
    shape_cases<double> r;
    r.check<of<5>, of<5>>("flip/000", [](auto x) { return ad::flip<0>(x); });
    r.check<of<run, run>, of<run, run>>("flip/001", [](auto x) { return ad::flip<1>(x); });
    r.check<of<3, 4>, of<3, 4>>("flip/002", [](auto x) { return ad::flip<0, 1>(x); });
    r.check<of<2, 3, 4>, of<2, 3, 4>>("flip/003", [](auto x) { return ad::flip<-1, 0>(x); });
    r.check<of<5>, of<5>>("roll/000", [](auto x) { return ad::roll<0>(x, 2); });
    r.check<of<run, run>, of<run, run>>("roll/001", [](auto x) { return ad::roll<1>(x, -1); });
    r.check<of<4, 4>, of<4, 4>>("tril/000", [](auto x) { return ad::tril(x); });
    r.check<of<run, run>, of<run, run>>("tril/001", [](auto x) { return ad::tril(x, 1); });
    r.check<of<2, 4, 4>, of<2, 4, 4>>("tril/002", [](auto x) { return ad::tril(x, -1); });
    r.check<of<run, 4>, of<run, 4>>("repeat/000", [](auto x) { return ad::repeat<2, 1>(x); });
    r.check<of<2, 12>, of<4>>("repeat/001", [](auto x) { return ad::repeat<2, 3>(x); });
    r.check<of<1, 4, 6>, of<2, 3>>("repeat/002", [](auto x) { return ad::repeat<1, 2, 2>(x); });
    r.expect_all({"flip", "roll", "tril", "repeat"});
}

TEST_CASE("slices in float: the reference's cases") {
    shape_cases<float> r;
    r.check<of<3>, of<5>>("narrow/000", [](auto x) { return ad::narrow<0, 1, 3>(x); });
    r.check<of<2, 3, 1>, of<2, 3, 4>>("narrow/003", [](auto x) { return ad::narrow<-1, 3, 1>(x); });
    r.check<of<3>, of<6>>("slice/000", [](auto x) { return ad::slice<0, 0, 6, 2>(x); });
    r.check<of<3, run, 5>, of<3, run, 5>>("slice/003", [](auto x) { return ad::slice<1, 0, 4>(x); });
    r.check<of<0, 4>, of<3, 4>>("slice/006", [](auto x) { return ad::slice<0, 2, 2>(x); });
    r.check<of<4>, of<3, 4>>("select/000", [](auto x) { return ad::select<0>(x, 1); });
    r.check<of<>, of<run>>("select/003", [](auto x) { return ad::select<0>(x, 2); });
    r.check<of<run>, of<run>>("flip/000", [](auto x) { return ad::flip<0>(x); });
    r.check<of<2, 3, 4>, of<2, 3, 4>>("flip/003", [](auto x) { return ad::flip<-1, 0>(x); });
    r.check<of<run>, of<run>>("roll/000", [](auto x) { return ad::roll<0>(x, 2); });
    r.check<of<4, 4>, of<4, 4>>("tril/000", [](auto x) { return ad::tril(x); });
    r.check<of<6, 4>, of<3, 4>>("repeat/000", [](auto x) { return ad::repeat<2, 1>(x); });
    r.expect_all({"narrow", "slice", "select", "flip", "roll", "tril", "repeat"});
}
