// SPDX-License-Identifier: MIT
#pragma once
// How far to go along a direction: a search for a step length that meets the strong Wolfe conditions.

#include <cmath>

namespace tapeless::detail::inline optim_part {

/// A step length t, the value there, and its slope: the derivative by t.
struct line_point {
    double t = 0, value = 0, slope = 0;
    bool is_finite() const { return std::isfinite(value) && std::isfinite(slope); }
};

/// The minimum of the cubic polynomial through two points with their slopes; between them where it has none.
inline double cubic_minimum(line_point const& a, line_point const& b) {
    double const middle = a.t + (b.t - a.t) / 2;
    double const u = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t), square = u * u - a.slope * b.slope;
    if (!(square >= 0)) return middle;
    double const v = b.t > a.t ? std::sqrt(square) : -std::sqrt(square);
    double const t = b.t - (b.t - a.t) * ((b.slope + v - u) / (b.slope - a.slope + 2 * v));
    return std::isfinite(t) ? t : middle;
}

/// When a step is good: f(t) <= f(0) + decrease t f'(0) and |f'(t)| <= curvature |f'(0)|.
struct wolfe_conditions {
    double decrease = 1e-4, curvature = 0.9;
    double noise = 0;  // by how much rounding may change a value

    bool is_low(line_point const& start, line_point const& p) const {
        return p.value <= start.value + decrease * p.t * start.slope;
    }
    /// Where rounding hides the decrease the slope alone tells (Hager and Zhang, 2005).
    bool hold(line_point const& start, line_point const& p) const {
        return p.is_finite() && (is_low(start, p) || std::abs(p.value - start.value) <= noise) &&
               std::abs(p.slope) <= -curvature * start.slope;
    }
};

/// A point that meets the conditions or, where `most` evaluations find none, the lowest seen; t = 0 where none is
/// lower than the start. at(t) evaluates; the last it was called with is what is returned, unless that is 0. `first`
/// is tried first. Nocedal and Wright, Numerical Optimization, algorithms 3.5 and 3.6.
template <class At>
line_point search_line(line_point const& start, double first, wolfe_conditions const& wolfe, int most, At&& at) {
    line_point low = start, high, before = start;
    double t = first;
    int used = 0;
    // longer and longer steps, until a good one lies between two of them
    for (bool bracketed = false; !bracketed;) {
        line_point const p = at(t);
        ++used;
        if (wolfe.hold(start, p)) return p;
        if (!p.is_finite() || !wolfe.is_low(start, p) || (used > 1 && p.value >= before.value)) {
            low = before, high = p, bracketed = true;
        } else if (p.slope >= 0) {
            low = p, high = before, bracketed = true;
        } else {
            if (used >= most) return p;
            double const guess = cubic_minimum(before, p), least = p.t + 0.01 * (p.t - before.t), longest = 10 * p.t;
            t = guess < least ? least : guess > longest ? longest : guess;
            before = p;
        }
    }
    // `low` is the lowest point so far, and the slope there points to `high`
    while (used < most) {
        double const width = high.t - low.t;
        if (high.is_finite()) {
            double const share = (cubic_minimum(low, high) - low.t) / width;
            t = low.t + width * (share < 0.1 ? 0.1 : share > 0.9 ? 0.9 : share);
        } else {
            t = low.t + 0.1 * width;
        }
        if (t == low.t || t == high.t) break;
        line_point const p = at(t);
        ++used;
        if (wolfe.hold(start, p)) return p;
        if (!p.is_finite() || !wolfe.is_low(start, p) || p.value >= low.value) {
            high = p;
        } else {
            if (p.slope * width >= 0) high = low;
            low = p;
        }
    }
    return low.t > 0 && low.value < start.value ? at(low.t) : start;
}

}  // namespace tapeless::detail::optim_part
