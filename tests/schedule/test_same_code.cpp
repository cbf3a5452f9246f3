// SPDX-License-Identifier: MIT
// Kernels that are the same up to the arrays they walk run the same code, and what they compute is theirs.

#include "support/agree.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <utility>

namespace ad = tapeless;
using ad::dyn;
using oracle::agree;

namespace {

using square = ad::tensor<double, 6, 6>;
using rows = ad::tensor<double, dyn, dyn>;

template <class A>
A filled(A a, double step) {
    double i = 0;
    for (auto& v : a) v = std::sin(step * ++i);
    return a;
}

struct counts {
    int kernels = 0, codes = 0;  ///< codes: how many of them are code of their own
};
template <int... I, class F, class... A>
constexpr counts counts_of(F const&, A const&...) {
    using plan = decltype(decltype(ad::value_and_grad<I...>(std::declval<F>()))::template plan<A...>());
    counts c{plan::kernels()};
    for (int i = 0; i < c.kernels; ++i) c.codes += plan::program_type::code_of[i] == i;
    return c;
}

constexpr auto layers = [](auto x, auto... w) {
    auto h = ad::let(x);
    ((h = ad::let(tanh(matmul(h, w)))), ...);
    return sum(h * h);
};

}  // namespace

TEST_CASE("same code: layers that are written out are compiled once") {
    auto const x = filled(square(), 1.3);
    square const w[6] = {filled(square(), 0.7), filled(square(), 0.8), filled(square(), 0.9),
                         filled(square(), 1.1), filled(square(), 1.2), filled(square(), 1.7)};
    counts const three = counts_of<1, 2, 3>(layers, x, w[0], w[1], w[2]);
    counts const six = counts_of<1, 2, 3, 4, 5, 6>(layers, x, w[0], w[1], w[2], w[3], w[4], w[5]);
    CHECK(six.kernels >= three.kernels + 6);
    CHECK(six.codes <= three.codes + 1);
    CHECK(agree<1, 2, 3, 4, 5, 6>(layers, x, w[0], w[1], w[2], w[3], w[4], w[5]) == "");
}

TEST_CASE("same code: run-time lengths, rows that are kept, and long sums of columns") {
    auto const f = [](auto x, auto g) {
        auto h = ad::let(x);
        for (int i = 0; i < 3; ++i) h = ad::let(softmax(h) * g + ad::cumsum<0>(h) / 64.0);
        return sum(h);
    };
    for (auto [n, m] : {std::pair{1, 1}, std::pair{5, 9}, std::pair{129, 2}, std::pair{4, 70}}) {
        auto const x = filled(rows(n, m), 0.37);
        CHECK(agree<0, 1>(oracle::checks{.differences = false}, f, x, filled(ad::tensor<double, dyn>(m), 0.9)) == "");
    }
}

TEST_CASE("same code: numbers tell kernels apart") {
    auto const f = [](auto x) {
        auto const a = ad::let(sum<0>(sin(2.0 * x))), b = ad::let(sum<0>(sin(3.0 * matmul(x, x))));
        return sum(cumsum<0>(a) * b) + sum(sin(5.0 * matmul(x, transpose(x))));
    };
    CHECK(agree<0>(f, filled(square(), 0.7)) == "");
    auto const g = [](auto x) {
        auto const a = ad::let(ad::cumsum<0>(2.0 * x)), b = ad::let(ad::cumsum<0>(3.0 * a));
        return sum(ad::cumsum<0>(7.0 * b));
    };
    CHECK(agree<0>(g, filled(square(), 0.7)) == "");
}

TEST_CASE("same code: lengths tell kernels apart") {
    auto const f = [](auto x, auto y) { return sum(ad::cumsum<0>(sin(x))) + sum(ad::cumsum<0>(sin(y))); };
    CHECK(agree<0, 1>(f, filled(square(), 0.7), filled(ad::tensor<double, 9, 6>(), 0.9)) == "");
    CHECK(agree<0, 1>(f, filled(square(), 0.7), filled(ad::tensor<double, 6, 9>(), 0.9)) == "");
    CHECK(agree<0, 1>(f, filled(rows(5, 3), 0.7), filled(rows(4, 8), 0.9)) == "");
}

TEST_CASE("same code: parts of one array begin at different elements") {
    auto const f = [](auto x) {
        auto const [a, b, c] = ad::split<1, 2, 2, 2>(x);
        return sum(matmul(transpose(tanh(a)), tanh(b)) + matmul(transpose(tanh(b)), tanh(c)) +
                   matmul(transpose(tanh(c)), tanh(a)));
    };
    CHECK(agree<0>(f, filled(square(), 0.7)) == "");
    CHECK(agree<0>(f, filled(ad::tensor<double, dyn, 6>(11), 0.7)) == "");
}
