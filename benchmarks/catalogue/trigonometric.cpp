// SPDX-License-Identifier: MIT
// Trigonometric and hyperbolic functions: name, range, the operation, the same by hand, its derivative by hand.

#include "catalogue/table.hpp"

namespace {

constexpr auto rows = [](auto const& t) {
    using namespace handwritten;
    t.one("sin", -3, 3, [](auto x) { using std::sin; return sin(x); },
        [](auto x) { using std::cos; return cos(x); });
    t.one("cos", -3, 3, [](auto x) { using std::cos; return cos(x); },
        [](auto x) { using std::sin; return -sin(x); });
    t.one("tan", -1, 1, [](auto x) { using std::tan; return tan(x); },
        [](auto x) { using std::cos; return k(x, 1) / (cos(x) * cos(x)); });
    t.one("asin", -0.9, 0.9, [](auto x) { using std::asin; return asin(x); },
        [](auto x) { using std::sqrt; return k(x, 1) / sqrt(k(x, 1) - x * x); });
    t.one("acos", -0.9, 0.9, [](auto x) { using std::acos; return acos(x); },
        [](auto x) { using std::sqrt; return k(x, -1) / sqrt(k(x, 1) - x * x); });
    t.one("atan", -3, 3, [](auto x) { using std::atan; return atan(x); },
        [](auto x) { return k(x, 1) / (k(x, 1) + x * x); });
    t.one("sinh", -2, 2, [](auto x) { using std::sinh; return sinh(x); },
        [](auto x) { using std::cosh; return cosh(x); });
    t.one("cosh", -2, 2, [](auto x) { using std::cosh; return cosh(x); },
        [](auto x) { using std::sinh; return sinh(x); });
    t.one("tanh", -2, 2, [](auto x) { using std::tanh; return tanh(x); }, [](auto x) {
        using std::tanh;
        auto const y = tanh(x);
        return k(x, 1) - y * y;
    });
    t.one("asinh", -2, 2, [](auto x) { using std::asinh; return asinh(x); },
        [](auto x) { using std::sqrt; return k(x, 1) / sqrt(k(x, 1) + x * x); });
    t.one("acosh", 1.1, 4, [](auto x) { using std::acosh; return acosh(x); },
        [](auto x) { using std::sqrt; return k(x, 1) / sqrt(x * x - k(x, 1)); });
    t.one("atanh", -0.9, 0.9, [](auto x) { using std::atanh; return atanh(x); },
        [](auto x) { return k(x, 1) / (k(x, 1) - x * x); });
};

}  // namespace

void catalogue::trigonometric(options const& o) { run(o, rows); }
