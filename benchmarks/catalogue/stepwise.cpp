// SPDX-License-Identifier: MIT
// Rounding and selection: name, range, the operation, the same by hand, its derivative by hand.

#include "catalogue/table.hpp"

namespace {

constexpr auto rows = [](auto const& t) {
    using namespace handwritten;
    t.one("floor", -9, 9, [](auto x) { using std::floor; return floor(x); },
        [](auto x) { return k(x, 0); });
    t.one("ceil", -9, 9, [](auto x) { using std::ceil; return ceil(x); },
        [](auto x) { return k(x, 0); });
    t.one("trunc", -9, 9, [](auto x) { using std::trunc; return trunc(x); },
        [](auto x) { return k(x, 0); });
    t.one("round", -9, 9, [](auto x) { return round(x); }, [](auto x) { using std::nearbyint; return nearbyint(x); },
        [](auto x) { return k(x, 0); });
    t.one(
        "sign", -2, 2, [](auto x) { return sign(x); },
        [](auto x) { return pick(x > k(x, 0), k(x, 1), pick(x < k(x, 0), k(x, -1), x)); },
        [](auto x) { return k(x, 0); });
    t.one(
        "where", -2, 2, [](auto x) { return where(x > 0.5, x, 1.0); },
        [](auto x) { return pick(x > k(x, 0.5), x, k(x, 1)); },
        [](auto x) { return pick(x > k(x, 0.5), k(x, 1), k(x, 0)); });
};

}  // namespace

void catalogue::stepwise(options const& o) { run(o, rows); }
