// SPDX-License-Identifier: MIT
// Log-sum-exp, and softmax, its gradient.

#include "transformations/report.hpp"

namespace {

constexpr auto loss = [](auto x) { return logsumexp(x); };
constexpr auto shares = [](auto x) { return softmax(x); };

}  // namespace

void log_sum_exp(options const& o) {
    ad::tensor<double, 100> x, v, c;
    fill_all(x, v, c);
    report(o, "log-sum-exp of 100, double", call(loss), call(shares), x, v, c, call(loss, x), call(shares, x));
    ad::tensor<float, 100000> many, u, w;
    fill_all(many, u, w);
    report(o, "log-sum-exp of 100000, float", call(loss), call(shares), many, u, w);
}
