// SPDX-License-Identifier: MIT
// Loops, branches, checkpoints and many items at once, at all lengths.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;

TEST_CASE("sweep: a scan that stacks its carry beside another length") {
    CHECK(sweep<"m,m,tm,tm", 0, 1, 2>([](auto w, auto start, auto xs, auto ys) {
              auto const s = ad::scan([&](auto h, auto x) { auto const n = ad::let(tanh(w * h + x)); return std::pair(n, n); }, start, xs);
              return sum(square(ys - std::get<1>(s)));
          }, {.most = 6000, .longest = 300}) == "");
}
TEST_CASE("sweep: sequences that are strided views, in whole and in part, and a reshape") {
    CHECK(sweep<"m,tm^,tm~", 0, 1, 2>([](auto w, auto xs, auto ys) {
              auto const f = [&](auto h, auto x, auto y) { return ad::let(tanh(w * h + x) * y); };
              auto const whole = ad::fold(f, w, xs, ys);
              return sum(whole) + sum(ad::fold(f, whole, ad::slice<0, 1, ad::to_end>(ys), ad::slice<0, 0, -1>(xs)));
          }, {.most = 4000, .longest = 130}) == "");
    CHECK(sweep<"2,t6", 0, 1>([](auto w, auto xs) {
              auto const [h, all] = ad::scan([&](auto c, auto x) { auto const n = ad::let(sin(w * c + x)); return std::pair(n, n * x); }, w, ad::reshape<-1, 2>(xs));
              return sum(h) + sum(square(all));
          }, {.most = 4000, .longest = 130}) == "");
}
TEST_CASE("sweep: a recurrent cell with a product") {
    CHECK(sweep<"hh,hk,tk,h", 0, 1, 2, 3>([](auto u, auto w, auto xs, auto start) {
              return sum(square(ad::fold([&](auto h, auto x) { return ad::let(tanh(matmul(u, h) * 0.3 + matmul(w, x))); }, start, xs)));
          }, {.differences = false, .most = 6000, .longest = 130}) == "");
}
TEST_CASE("sweep: a loop in a loop") {
    CHECK(sweep<"tm,m", 0, 1>([](auto xs, auto w) {
              auto const f = [&](auto h, auto x) {
                  return ad::let(ad::fold<3>([&](auto c) { return ad::let(sin(c * w) + x); }, h));
              };
              return sum(ad::fold(f, w, xs));
          }, {.most = 4000, .longest = 130}) == "");
}
TEST_CASE("sweep: one of two functions, chosen by a number that is computed") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto w) {
              return ad::cond(sum(x) > 0.0, [&] { return sum(tanh(x * w)); }, [&] { return sum(square(x) * w); });
          }, {.most = 20000}) == "");
}
TEST_CASE("sweep: checkpoints of rows and of sums") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto w) {
              auto const block = [&](auto v) { return ad::let(tanh(v * w) + softmax(v)); };
              return sum(ad::checkpoint(block)(ad::checkpoint(block)(x)) * w);
          }, {.most = 8000}) == "");
}
TEST_CASE("sweep: many items at once: rows of numbers, products, extremes") {
    CHECK(sweep<"nm,m", 0, 1>([](auto x, auto w) {
              return sum(ad::vmap<0, -1>([](auto r, auto v) { return logsumexp(ad::concat<0>(r * v, r)) + sum(sin(r)); })(x, w));
          }, {.most = 20000}) == "");
    CHECK(sweep<"akm,ak", 0, 1>([](auto x, auto y) {
              return sum(square(ad::vmap<0, 0>([](auto m, auto v) { return matmul(v, m); })(x, y)));
          }, {.most = 20000}) == "");
}
TEST_CASE("sweep: gradients of every item inside a function") {
    CHECK(sweep<"nm", 0>([](auto x) {
              constexpr auto one = [](auto r) { return sum(sin(r) * r); };
              return sum(square(ad::vmap<0>(ad::grad<0>(one))(x)));
          }, {.most = 8000}) == "");
}
TEST_CASE("sweep: losses of classes, with weights, ignored labels and smoothing") {
    CHECK(sweep<"nm,n<m,m", 0>([](auto x, auto t, auto w) {
              return ad::loss::cross_entropy(x, t) + ad::loss::cross_entropy(x, t, ad::let(square(w) + 0.1), {.label_smoothing = 0.1}) * 0.5;
          }, {.differences = false, .most = 20000}) == "");
}
