// SPDX-License-Identifier: MIT
// Arithmetic, roots and powers: name, range, the operation, the same by hand, its derivative by hand.

#include "catalogue/table.hpp"

namespace {

constexpr auto rows = [](auto const& t) {
    using namespace handwritten;
    t.one("neg", -2, 2, [](auto x) { return -x; },
        [](auto x) { return k(x, -1); });
    t.one("abs", -2, 2, [](auto x) { return abs(x); }, [](auto x) { return magnitude(x); },
        [](auto x) { return pick(x > k(x, 0), k(x, 1), pick(x < k(x, 0), k(x, -1), k(x, 0))); });
    t.one("square", -2, 2, [](auto x) { return square(x); }, [](auto x) { return x * x; },
        [](auto x) { return k(x, 2) * x; });
    t.one("reciprocal", 0.5, 2, [](auto x) { return reciprocal(x); }, [](auto x) { return k(x, 1) / x; },
        [](auto x) { return k(x, -1) / (x * x); });
    t.one("sqrt", 0.5, 2, [](auto x) { using std::sqrt; return sqrt(x); },
        [](auto x) { using std::sqrt; return k(x, 0.5) / sqrt(x); });
    t.one("rsqrt", 0.5, 2, [](auto x) { return rsqrt(x); }, [](auto x) { using std::sqrt; return k(x, 1) / sqrt(x); },
        [](auto x) { using std::sqrt; return k(x, -0.5) / (x * sqrt(x)); });
    t.one("affine", -2, 2, [](auto x) { return affine(x, 2.5, -1); }, [](auto x) { return k(x, 2.5) * x - k(x, 1); },
        [](auto x) { return k(x, 2.5); });
    t.one(
        "clamp", -2, 2, [](auto x) { return clamp(x, -1, 1); },
        [](auto x) { return pick(x < k(x, -1), k(x, -1), pick(x > k(x, 1), k(x, 1), x)); },
        [](auto x) { return pick(x < k(x, -1), k(x, 0), pick(x > k(x, 1), k(x, 0), k(x, 1))); });
    t.one(
        "pow(x, 2.5)", 0.5, 2, [](auto x) { return pow(x, 2.5); },
        [](auto x) {
            using std::pow;
            return pow(x, k(x, 2.5));
        },
        [](auto x) {
            using std::pow;
            return k(x, 2.5) * pow(x, k(x, 1.5));
        });
    t.one(
        "pow(2.5, x)", -2, 2, [](auto x) { return pow(2.5, x); },
        [](auto x) {
            using std::pow;
            return pow(k(x, 2.5), x);
        },
        [](auto x) {
            using std::pow;
            return k(x, 0.91629073187415511) * pow(k(x, 2.5), x);
        });
};

}  // namespace

void catalogue::arithmetic(options const& o) { run(o, rows); }
