// SPDX-License-Identifier: MIT
// ctc: labels and lengths that are wrong, what is said, and that nothing is written.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {
constexpr auto loss = [](auto x, auto scale, auto y, auto t, auto l) {
    return scale * ad::loss::ctc(x, y, t, l, {.blank = 2});
};
}  // namespace

TEST_CASE("ctc: errors name the sample, the place and the value; padding is not looked at; targets are left alone") {
    auto f = ad::value_and_grad<0, 1>(loss);
    ad::tensor<double, dyn, dyn, dyn> const x(4, 2, 5);
    ad::tensor<double, dyn, dyn, dyn> dx(4, 2, 5);
    double ds = -7;
    std::fill(dx.begin(), dx.end(), -7.0);
    using labels = ad::tensor<int, dyn, dyn>;
    using lengths = std::vector<std::int64_t>;
    auto message = [&](labels const& y, lengths const& t, lengths const& l) {
        return index_message([&] { f(ad::into(dx, ds), x, 2.0, y, t, l); });
    };
    labels const y{{1, 4, -1}, {0, 77, 2}};
    CHECK(
        message(y, {4, 4}, {2, 2}) ==
        "ctc: the label 77 at (1, 1) of argument 2 is out of range: 0 ... 4 are valid, but not 2, which is the blank");
    CHECK(
        message(y, {4, 4}, {3, 1}) ==
        "ctc: the label -1 at (0, 2) of argument 2 is out of range: 0 ... 4 are valid, but not 2, which is the blank");
    CHECK(message(labels{{1, 2}, {0, 0}}, {4, 4}, {2, 1}) ==
          "ctc: the label 2 at (0, 1) of argument 2 is out of range: 0 ... 4 are valid, but not 2, which is the blank");
    CHECK(message(y, {4, 5}, {2, 1}) ==
          "ctc: the input length 5 at (1) of argument 3 is out of range: 0 ... 4 are valid");
    CHECK(message(y, {-1, 4}, {2, 1}) ==
          "ctc: the input length -1 at (0) of argument 3 is out of range: 0 ... 4 are valid");
    CHECK(message(y, {4, 4}, {4, 1}) ==
          "ctc: the target length 4 at (0) of argument 4 is out of range: 0 ... 3 are valid");
    CHECK(message(y, {4, 4}, {2, -2}) ==
          "ctc: the target length -2 at (1) of argument 4 is out of range: 0 ... 3 are valid");
    CHECK(message_of([&] { f(ad::into(dx, ds), x, 2.0, y, lengths{4, 4, 4}, lengths{1, 1}); }) != "nothing was thrown");
    ad::tensor<double, dyn, dyn, dyn> two(4, 2, 2), dtwo(4, 2, 2);
    // the blank is none of two classes
    CHECK(message_of([&] {
              f(ad::into(dtwo, ds), two, 2.0, y, lengths{4, 4}, lengths{1, 1});
          }) != "nothing was thrown");
    CHECK((ds == -7 && std::count(dx.begin(), dx.end(), -7.0) == 40));
    CHECK(message(y, {4, 4}, {2, 1}) == "nothing was thrown");
    CHECK((ds != -7 && std::count(dx.begin(), dx.end(), -7.0) == 0));
}

TEST_CASE("ctc: lengths that are computed are checked before they are used") {
    using ad::loss::reduction;
    auto f =
        ad::fused([](auto x, auto y, auto t, auto l) { return ad::loss::ctc<reduction::sum>(x, y + 1, t, l * 2); });
    ad::tensor<float, 3, 1, 4> x;
    ad::tensor<int, 1, 2> y{{0, 2}};
    ad::tensor<int, 1> t{3}, l{1};
    CHECK(std::abs(f(x, y, t, l) + std::log(5.0f)) < 1e-6f);
    l(0) = 2;
    CHECK(mentions(index_message([&] { (void)f(x, y, t, l); }),
                   {"ctc: the target length 4 at (0)", "0 ... 2 are valid"}));
    l(0) = 1;
    y(0, 1) = 3;
    CHECK(mentions(index_message([&] { (void)f(x, y, t, l); }), {"ctc: the label 4 at (0, 1)"}));
}
