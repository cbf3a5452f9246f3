// SPDX-License-Identifier: MIT
// Kernels in pieces, which on one thread are pieces too: values and gradients beside the oracle, at lengths of several
// pieces.

#include <threads/same_bits.hpp>

#include "support/agree.hpp"

using namespace tests;

namespace {

/// Without central differences and the graphs of passes: there are many elements.
template <int... I, class F, class... A>
void check(F const& f, A const&... a) {
    oracle::checks wanted;
    wanted.differences = wanted.passes = false;
    CHECK(oracle::agree<I...>(wanted, f, a...) == "");
    same_on_all_threads(ad::value_and_grad<I...>(f), a...);
}

}  // namespace

TEST_CASE("pieces of one axis: a loss, windows of it, what lies between zeros") {
    random_arrays make;
    for (std::int64_t n : {70'001}) {
        check<0, 1>([](auto mu, auto x) { return mean(log1p(square(x - mu))); }, 0.3, make.vector<double>(n));
        check<0>(
            [](auto x) {
                return sum(tanh(sum<-1>(ad::windows<0, 5, 2>(x)))) + max(sum<-1>(ad::windows<0, 3>(sin(x))));
            },
            make.vector<double>(n));
        check<0>([](auto x) { return sum(square(ad::pad<2, 3>(x) - concat<0>(x, ad::slice<0, 0, 5>(x)))); },
                 make.vector<double>(n));
    }
}

TEST_CASE("pieces of rows and of columns: stencils, sums either way, carries") {
    random_arrays make;
    for (auto [n, m] : {std::pair{401, 190}, std::pair{7, 12'011}}) {
        auto const x = make.matrix<double>(n, m);
        check<0>(
            [](auto a) {
                auto const p = ad::pad<1, 1, 1, 1>(a);
                auto const around = ad::slice<0, 0, -2>(ad::slice<1, 1, -1>(p)) +
                                    ad::slice<0, 2, ad::to_end>(ad::slice<1, 1, -1>(p)) +
                                    ad::slice<0, 1, -1>(ad::slice<1, 0, -2>(p));
                return sum(square(around - 3.0 * a));
            },
            x);
        check<0, 1>([](auto a, auto w) { return sum(tanh(sum<0>(a * w))) + sum(exp(0.1 * sum<1>(a * w))); }, x,
                    make.vector<double>(m));
        check<0>([](auto a) { return sum(logsumexp<1>(a)) + sum(sum<0, 2>(ad::windows<0, 3>(a)) * 0.1); }, x);
    }
}
