// SPDX-License-Identifier: MIT
// Exponentials, logarithms and error functions: name, range, the operation, the same by hand, its derivative by hand.

#include "catalogue/table.hpp"

namespace {

constexpr auto rows = [](auto const& t) {
    using namespace handwritten;
    t.one("exp", -4, 4, [](auto x) { using std::exp; return exp(x); },
        [](auto x) { using std::exp; return exp(x); });
    t.one("exp2", -4, 4, [](auto x) { using std::exp2; return exp2(x); },
        [](auto x) { using std::exp2; return k(x, std::numbers::ln2) * exp2(x); });
    t.one("expm1", -2, 2, [](auto x) { using std::expm1; return expm1(x); },
        [](auto x) { using std::exp; return exp(x); });
    t.one("log", 0.1, 4, [](auto x) { using std::log; return log(x); },
        [](auto x) { return k(x, 1) / x; });
    t.one("log2", 0.1, 4, [](auto x) { using std::log2; return log2(x); },
        [](auto x) { return k(x, std::numbers::log2e) / x; });
    t.one("log10", 0.1, 4, [](auto x) { using std::log10; return log10(x); },
        [](auto x) { return k(x, std::numbers::log10e) / x; });
    t.one("log1p", -0.5, 2, [](auto x) { using std::log1p; return log1p(x); },
        [](auto x) { return k(x, 1) / (k(x, 1) + x); });
    t.one("erf", -2, 2, [](auto x) { using std::erf; return erf(x); },
        [](auto x) { using std::exp; return k(x, 2 * std::numbers::inv_sqrtpi) * exp(-x * x); });
    t.one("erfc", -2, 2, [](auto x) { using std::erfc; return erfc(x); },
        [](auto x) { using std::exp; return k(x, -2 * std::numbers::inv_sqrtpi) * exp(-x * x); });
};

}  // namespace

void catalogue::exponential(options const& o) { run(o, rows); }
