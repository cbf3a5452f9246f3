// SPDX-License-Identifier: MIT
#pragma once
// ctc as it is defined, to compare with: every path of a small lattice, and sums of logarithms, one by one, for a
// large one.

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace ctc_paths {

/// What a sample is: log-probabilities of its steps (row by row), and labels.
struct sample {
    std::vector<double> log_probs;
    std::size_t steps, classes;
    std::vector<std::int64_t> labels;
    std::int64_t blank = 0;
    double at(std::size_t t, std::int64_t c) const { return log_probs[t * classes + static_cast<std::size_t>(c)]; }
};
/// The loss, and which share of the paths is at each class at each step.
struct answer {
    double loss;
    std::vector<double> share;
};

/// Repeated classes merged, then blanks left out.
inline std::vector<std::int64_t> labels_of(std::vector<std::int64_t> const& path, std::int64_t blank) {
    std::vector<std::int64_t> r;
    for (std::size_t t = 0; t < path.size(); ++t)
        if (path[t] != blank && (t == 0 || path[t] != path[t - 1])) r.push_back(path[t]);
    return r;
}

inline answer by_all_paths(sample const& s) {
    std::size_t count = 1;
    for (std::size_t t = 0; t < s.steps; ++t) count *= s.classes;
    double total = 0;
    std::vector<double> at(s.steps * s.classes);
    for (std::size_t number = 0; number < count; ++number) {
        std::vector<std::int64_t> path;
        double log_p = 0;
        for (std::size_t t = 0, rest = number; t < s.steps; ++t, rest /= s.classes) {
            path.push_back(static_cast<std::int64_t>(rest % s.classes));
            log_p += s.at(t, path.back());
        }
        if (labels_of(path, s.blank) != s.labels) continue;
        total += std::exp(log_p);
        for (std::size_t t = 0; t < s.steps; ++t)
            at[t * s.classes + static_cast<std::size_t>(path[t])] += std::exp(log_p);
    }
    for (double& v : at) v /= total;
    return {-std::log(total), at};
}

inline long double log_add(long double a, long double b) {
    long double const top = a > b ? a : b;
    return std::isinf(top) ? top : top + std::log1p(std::exp((a > b ? b : a) - top));
}

/// The lattice of blank, label, blank, ... in logarithms, one state after the other.
inline answer by_logarithms(sample const& s) {
    std::size_t const states = 2 * s.labels.size() + 1;
    long double const none = -std::numeric_limits<long double>::infinity();
    auto label = [&](std::size_t i) { return i % 2 == 0 ? s.blank : s.labels[i / 2]; };
    auto hops = [&](std::size_t i) { return i % 2 == 1 && i > 1 && label(i) != label(i - 2); };
    std::vector<std::vector<long double>> to(s.steps + 1, std::vector<long double>(states, none)), from = to;
    to[0][0] = 0;  // as if after a blank
    for (std::size_t t = 0; t < s.steps; ++t)
        for (std::size_t i = 0; i < states; ++i) {
            long double a = to[t][i];
            if (i > 0) a = log_add(a, to[t][i - 1]);
            if (hops(i)) a = log_add(a, to[t][i - 2]);
            to[t + 1][i] = a + static_cast<long double>(s.at(t, label(i)));
        }
    from[s.steps][states - 1] = 0;
    if (states > 1) from[s.steps][states - 2] = 0;
    for (std::size_t t = s.steps; t-- > 0;)
        for (std::size_t i = 0; i < states; ++i) {
            auto next = [&](std::size_t k) { return from[t + 1][k] + static_cast<long double>(s.at(t, label(k))); };
            from[t][i] = next(i);
            if (i + 1 < states) from[t][i] = log_add(from[t][i], next(i + 1));
            if (i + 2 < states && hops(i + 2)) from[t][i] = log_add(from[t][i], next(i + 2));
        }
    long double const total = from[0][0];
    std::vector<double> share(s.steps * s.classes);
    for (std::size_t t = 0; t < s.steps; ++t)
        for (std::size_t i = 0; i < states; ++i) {
            long double const here = std::exp(to[t + 1][i] + from[t + 1][i] - total);
            share[t * s.classes + static_cast<std::size_t>(label(i))] += static_cast<double>(here);
        }
    return {static_cast<double>(-total), share};
}

}  // namespace ctc_paths
