// SPDX-License-Identifier: MIT
// Functions of two operands: name, range, the operation, the same by hand, its derivative by hand.

#include "catalogue/table.hpp"

namespace {

constexpr auto rows = [](auto const& t) {
    using namespace handwritten;
    t.two("add", 0.5, 2, [](auto a, auto b) { return a + b; }, [](auto a, auto b) { return a + b; },
        [](auto a, auto) { return std::pair(k(a, 1), k(a, 1)); });
    t.two("sub", 0.5, 2, [](auto a, auto b) { return a - b; }, [](auto a, auto b) { return a - b; },
        [](auto a, auto) { return std::pair(k(a, 1), k(a, -1)); });
    t.two("mul", 0.5, 2, [](auto a, auto b) { return a * b; }, [](auto a, auto b) { return a * b; },
        [](auto a, auto b) { return std::pair(b, a); });
    t.two("div", 0.5, 2, [](auto a, auto b) { return a / b; }, [](auto a, auto b) { return a / b; },
        [](auto a, auto b) { return std::pair(k(a, 1) / b, -a / (b * b)); });
    t.two(
        "maximum", -2, 2, [](auto a, auto b) { return maximum(a, b); },
        [](auto a, auto b) { return pick(a > b, a, b); },
        [](auto a, auto b) {
            return std::pair(pick(a == b, k(a, 0.5), pick(a > b, k(a, 1), k(a, 0))),
                             pick(a == b, k(a, 0.5), pick(a < b, k(a, 1), k(a, 0))));
        });
    t.two(
        "minimum", -2, 2, [](auto a, auto b) { return minimum(a, b); },
        [](auto a, auto b) { return pick(a < b, a, b); },
        [](auto a, auto b) {
            return std::pair(pick(a == b, k(a, 0.5), pick(a < b, k(a, 1), k(a, 0))),
                             pick(a == b, k(a, 0.5), pick(a > b, k(a, 1), k(a, 0))));
        });
    t.two(
        "pow", 0.5, 2, [](auto a, auto b) { return pow(a, b); },
        [](auto a, auto b) {
            using std::pow;
            return pow(a, b);
        },
        [](auto a, auto b) {
            using std::pow, std::log;
            return std::pair(b * pow(a, b - k(a, 1)), pow(a, b) * log(a));
        });
    t.two(
        "atan2", 0.5, 2, [](auto a, auto b) { return atan2(a, b); },
        [](auto a, auto b) {
            using std::atan2;
            return atan2(a, b);
        },
        [](auto a, auto b) { return std::pair(b / (a * a + b * b), -a / (a * a + b * b)); });
    t.two(
        "hypot", 0.5, 2, [](auto a, auto b) { return hypot(a, b); },
        [](auto a, auto b) {
            using std::hypot;
            return hypot(a, b);
        },
        [](auto a, auto b) {
            using std::hypot;
            return std::pair(a / hypot(a, b), b / hypot(a, b));
        });
    t.two(
        "fmod", 0.5, 2, [](auto a, auto b) { return fmod(a, b); },
        [](auto a, auto b) {
            using std::fmod;
            return fmod(a, b);
        },
        [](auto a, auto b) {
            using std::trunc;
            return std::pair(k(a, 1), -trunc(a / b));
        });
    t.two(
        "remainder", 0.5, 2, [](auto a, auto b) { return remainder(a, b); },
        [](auto a, auto b) {
            using std::floor;
            return a - b * floor(a / b);
        },
        [](auto a, auto b) {
            using std::floor;
            return std::pair(k(a, 1), -floor(a / b));
        });
    t.two(
        "floor_div", 0.5, 2, [](auto a, auto b) { return floor_div(a, b); },
        [](auto a, auto b) {
            using std::floor;
            return floor(a / b);
        },
        [](auto a, auto) { return std::pair(k(a, 0), k(a, 0)); });
    t.two(
        "logaddexp", -2, 2, [](auto a, auto b) { return logaddexp(a, b); },
        [](auto a, auto b) { return log_of_sum(a, b); },
        [](auto a, auto b) { return std::pair(logistic(a - b), logistic(b - a)); });
    t.two(
        "xlogy", 0.5, 2, [](auto a, auto b) { return xlogy(a, b); },
        [](auto a, auto b) {
            using std::log;
            return a * log(b);
        },
        [](auto a, auto b) {
            using std::log;
            return std::pair(log(b), a / b);
        });
    t.two(
        "lerp", 0.5, 2, [](auto a, auto b) { return lerp(a, b, 0.3); },
        [](auto a, auto b) { return a + k(a, 0.3) * (b - a); },
        [](auto a, auto) { return std::pair(k(a, 0.7), k(a, 0.3)); });
};

}  // namespace

void catalogue::binary(options const& o) { run(o, rows); }
