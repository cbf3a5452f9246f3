// SPDX-License-Identifier: MIT
// Activations: name, range, the operation, the same by hand, its derivative by hand.

#include "catalogue/table.hpp"

namespace {

constexpr auto rows = [](auto const& t) {
    using namespace handwritten;
    t.one("sigmoid", -4, 4, [](auto x) { return sigmoid(x); }, [](auto x) { return logistic(x); },
        [](auto x) {
        auto const s = logistic(x);
        return s * (k(x, 1) - s);
    });
    t.one("softplus", -4, 4, [](auto x) { return softplus(x); }, [](auto x) { return log_of_sum(x, k(x, 0)); },
        [](auto x) { return logistic(x); });
    t.one("logsigmoid", -4, 4, [](auto x) { return logsigmoid(x); }, [](auto x) { return -log_of_sum(-x, k(x, 0)); },
        [](auto x) { return logistic(-x); });
    t.one("silu", -4, 4, [](auto x) { return silu(x); }, [](auto x) { return x * logistic(x); },
        [](auto x) {
        auto const s = logistic(x);
        return s * (k(x, 1) + x * (k(x, 1) - s));
    });
    t.one("mish", -4, 4, [](auto x) { return mish(x); }, [](auto x) {
        using std::exp, std::log1p, std::tanh;
        return x * tanh(log1p(exp(x)));
    },
        [](auto x) {
        using std::exp, std::log1p, std::tanh;
        auto const h = tanh(log1p(exp(x)));
        return h + x * (k(x, 1) - h * h) * logistic(x);
    });
    t.one("gelu", -4, 4, [](auto x) { return gelu(x); }, [](auto x) {
        using std::erf;
        return k(x, 0.5) * x * (k(x, 1) + erf(k(x, std::numbers::sqrt2 / 2) * x));
    },
        [](auto x) {
        using std::erf, std::exp;
        auto const c = k(x, 0.5) * (k(x, 1) + erf(k(x, std::numbers::sqrt2 / 2) * x));
        return c + x * k(x, std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2) * exp(k(x, -0.5) * x * x);
    });
    t.one("gelu_tanh", -4, 4, [](auto x) { return gelu_tanh(x); }, [](auto x) {
        using std::tanh;
        return k(x, 0.5) * x * (k(x, 1) + tanh(k(x, 0.79788456080286536) * (x + k(x, 0.044715) * x * x * x)));
    },
        [](auto x) {
        using std::tanh;
        auto const h = tanh(k(x, 0.79788456080286536) * (x + k(x, 0.044715) * x * x * x));
        return k(x, 0.5) *
               ((k(x, 1) + h) + x * (k(x, 1) - h * h) * k(x, 0.79788456080286536) * (k(x, 1) + k(x, 0.134145) * x * x));
    });
    t.one("relu", -2, 2, [](auto x) { return relu(x); }, [](auto x) { return pick(x > k(x, 0), x, k(x, 0)); },
        [](auto x) { return pick(x > k(x, 0), k(x, 1), k(x, 0)); });
    t.one(
        "relu6", -2, 8, [](auto x) { return relu6(x); },
        [](auto x) { return pick(x > k(x, 0), pick(x < k(x, 6), x, k(x, 6)), k(x, 0)); },
        [](auto x) { return pick(x > k(x, 0), pick(x < k(x, 6), k(x, 1), k(x, 0)), k(x, 0)); });
    t.one(
        "leaky_relu", -2, 2, [](auto x) { return leaky_relu(x, 0.1); },
        [](auto x) { return pick(x > k(x, 0), x, k(x, 0.1) * x); },
        [](auto x) { return pick(x > k(x, 0), k(x, 1), k(x, 0.1)); });
    t.one(
        "elu", -2, 2, [](auto x) { return elu(x, 0.5); },
        [](auto x) {
            using std::expm1;
            return pick(x > k(x, 0), x, k(x, 0.5) * expm1(x));
        },
        [](auto x) {
            using std::exp;
            return pick(x > k(x, 0), k(x, 1), k(x, 0.5) * exp(x));
        });
    t.one(
        "selu", -2, 2, [](auto x) { return selu(x); },
        [](auto x) {
            using std::expm1;
            return k(x, 1.0507009873554805) * pick(x > k(x, 0), x, k(x, 1.6732632423543772) * expm1(x));
        },
        [](auto x) {
            using std::exp;
            return k(x, 1.0507009873554805) * pick(x > k(x, 0), k(x, 1), k(x, 1.6732632423543772) * exp(x));
        });
    t.one(
        "hardswish", -4, 4, [](auto x) { return hardswish(x); },
        [](auto x) { return pick(x < k(x, -3), k(x, 0), pick(x < k(x, 3), x * (x + k(x, 3)) * k(x, 1.0 / 6), x)); },
        [](auto x) { return pick(x < k(x, -3), k(x, 0), pick(x < k(x, 3), x * k(x, 1.0 / 3) + k(x, 0.5), k(x, 1))); });
    t.one(
        "hardsigmoid", -4, 4, [](auto x) { return hardsigmoid(x); },
        [](auto x) { return pick(x < k(x, -3), k(x, 0), pick(x < k(x, 3), x * k(x, 1.0 / 6) + k(x, 0.5), k(x, 1))); },
        [](auto x) { return pick(magnitude(x) < k(x, 3), k(x, 1.0 / 6), k(x, 0)); });
    t.one("softsign", -4, 4, [](auto x) { return softsign(x); }, [](auto x) { return x / (k(x, 1) + magnitude(x)); },
        [](auto x) {
        auto const d = k(x, 1) + magnitude(x);
        return k(x, 1) / (d * d);
    });
};

}  // namespace

void catalogue::activations(options const& o) { run(o, rows); }
