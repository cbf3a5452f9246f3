// SPDX-License-Identifier: MIT
// What the oracle knows of losses that are operations with loops of their own.

#include "support/oracle_loops.hpp"

#include <algorithm>
#include <cmath>

namespace oracle {
namespace {

/// The largest error of an array, for what is not followed number by number.
double largest_error(array const& x) {
    double most = 0;
    for (double e : x.error) most = std::max(most, e);
    return most;
}

/// -log of the sum over all paths through (steps, classes) of log-probabilities that give the labels once repeated
/// classes are merged and blanks left out, by the states blank, label, blank, ..., blank; and which share of the paths
/// is at each class at each step.
std::vector<array> run_ctc(loop_call const& c) {
    array const &x = *c.in[0], &targets = *c.in[1];
    std::int64_t const samples = x.shape[1], classes = x.shape[2], blank = static_cast<std::int64_t>(c.attr.number);
    array losses = c.result(), gradient(c.type, x.shape);
    bool const backward = c.in.size() == 5;
    double const u = roundoff(c.type), off = largest_error(x);
    for (std::int64_t n = 0; n < samples; ++n) {
        auto const row = static_cast<std::size_t>(n);
        std::int64_t const steps = c.in[2]->whole[row], labels = c.in[3]->whole[row], states = 2 * labels + 1;
        auto class_of = [&](std::int64_t s) {
            return s % 2 == 0 ? blank : targets.whole[static_cast<std::size_t>(n * targets.shape[1] + s / 2)];
        };
        auto at = [&](std::int64_t t, std::int64_t k) {
            return static_cast<std::size_t>((t * samples + n) * classes + k);
        };
        long double const none = -std::numeric_limits<long double>::infinity();
        auto sum = [&](long double a, long double b) { return a == none ? b : b == none ? a : log_of_sum(a, b); };
        auto hops = [&](std::int64_t s) { return s >= 2 && s % 2 == 1 && class_of(s) != class_of(s - 2); };
        using row_of_states = std::vector<long double>;
        // before[t][s]: all ways to be at state s after t steps; after[t][s]: all ways on from there
        auto const S = static_cast<std::size_t>(states);
        std::vector<row_of_states> before(static_cast<std::size_t>(steps) + 1, row_of_states(S, none)), after = before;
        auto T = [](std::int64_t t) { return static_cast<std::size_t>(t); };
        bool ok = true;
        for (std::int64_t t = 0; t < steps; ++t)
            for (std::int64_t s = 0; s < states; ++s) {
                long double ways = none;
                if (t == 0) ways = s < 2 ? 0 : none;
                else {
                    ways = before[T(t)][T(s)];
                    if (s > 0) ways = sum(ways, before[T(t)][T(s - 1)]);
                    if (hops(s)) ways = sum(ways, before[T(t)][T(s - 2)]);
                }
                long double const p = x.real[at(t, class_of(s))];
                ok = ok && p < std::numeric_limits<long double>::infinity();
                before[T(t + 1)][T(s)] = ways == none ? none : ways + p;
            }
        long double total = none;
        if (steps == 0) total = labels == 0 ? 0 : none;
        else {
            total = before[T(steps)][T(states - 1)];
            if (labels > 0) total = sum(total, before[T(steps)][T(states - 2)]);
        }
        bool const possible = ok && total != none, ignored = c.attr.axes != 0 && ok && !possible;
        losses.real[row] = !ok ? std::nan("") : ignored ? 0 : -total;
        losses.set_error(row, static_cast<double>(steps) * off + 16 * u * (1 + static_cast<double>(std::abs(total))));
        if (!backward) continue;
        long double const g = c.in[4]->real[row];
        for (std::int64_t t = 0; t < steps; ++t)
            for (std::int64_t k = 0; k < classes; ++k)
                gradient.real[at(t, k)] = !possible && !ignored && g != 0 ? static_cast<long double>(std::nan("")) : 0;
        if (!possible || g == 0) continue;
        for (std::int64_t t = steps; t > 0; --t)
            for (std::int64_t s = 0; s < states; ++s) {
                long double ways = t == steps ? (s + 2 >= states ? 0 : none) : none;
                auto on = [&](std::int64_t to) {
                    ways = sum(ways, after[T(t + 1)][T(to)] + x.real[at(t, class_of(to))]);
                };
                if (t < steps) {
                    on(s);
                    if (s + 1 < states) on(s + 1);
                    if (s + 2 < states && hops(s + 2)) on(s + 2);
                }
                after[T(t)][T(s)] = ways;
                std::size_t const to = at(t - 1, class_of(s));
                if (before[T(t)][T(s)] != none && ways != none)
                    gradient.real[to] -= g * std::exp(before[T(t)][T(s)] + ways - total);
            }
        double const size =
            static_cast<double>(std::abs(g)) * (32 * u + 4 * static_cast<double>(steps) * off) + c.in[4]->error_of(row);
        for (std::int64_t t = 0; t < steps; ++t)
            for (std::int64_t k = 0; k < classes; ++k) gradient.set_error(at(t, k), size);
    }
    return {losses, gradient};
}

/// log(sum(e^s)) - s[t] of scores s = w x + b, smoothed; 0 where the target is ignored. With cotangents g: what flows
/// to x, w, b.
std::vector<array> run_linear_cross_entropy(loop_call const& c) {
    array const &x = *c.in[0], &w = *c.in[1], &bias = *c.in[2], &target = *c.in[3];
    auto const n = static_cast<std::size_t>(x.shape[0]), d = static_cast<std::size_t>(x.shape[1]),
               v = static_cast<std::size_t>(w.shape[0]);
    array losses = c.result(), dx(c.type, x.shape), dw(c.type, w.shape), db(c.type, bias.shape);
    std::vector<double> w_size(dw.size()), b_size(db.size());
    long double const smooth = c.attr.number;
    double const u = roundoff(c.type);
    for (std::size_t i = 0; i < n; ++i) {
        if (target.whole[i] == c.attr.axes) continue;
        std::vector<long double> s(v);
        double e = 0;  // of the worst score
        for (std::size_t k = 0; k < v; ++k) {
            s[k] = bias.real[bias.size() == 1 ? 0 : k];
            double size = static_cast<double>(std::abs(s[k])), off = bias.error_of(bias.size() == 1 ? 0 : k);
            for (std::size_t j = 0; j < d; ++j) {
                long double const a = x.real[i * d + j], b = w.real[k * d + j];
                s[k] += a * b;
                size += static_cast<double>(std::abs(a * b));
                off += static_cast<double>(std::abs(a)) * w.error_of(k * d + j) +
                       static_cast<double>(std::abs(b)) * x.error_of(i * d + j);
            }
            e = std::max(e, off + (4 + std::sqrt(static_cast<double>(d))) * u * size);
        }
        std::size_t const t = checked(target.whole[i], w.shape[0], "fused_linear_cross_entropy");
        long double const peak = *std::max_element(s.begin(), s.end());
        long double sum = 0, all = 0;
        for (long double score : s) sum += std::exp(score - peak), all += score;
        long double const log_sum = peak + std::log(sum), classes = static_cast<long double>(v);
        losses.real[i] = log_sum - (1 - smooth) * s[t] - smooth * all / classes;
        losses.set_error(i, 2 * e + 16 * u * static_cast<double>(1 + std::abs(log_sum) + std::abs(s[t])));
        if (c.in.size() < 5) continue;
        long double const g = c.in[4]->real[i];
        double const ge = c.in[4]->error_of(i);
        for (std::size_t k = 0; k < v; ++k) {
            long double const slope = std::exp(s[k] - log_sum) - (k == t ? 1 - smooth : 0) - smooth / classes;
            double const off = ge + static_cast<double>(std::abs(g)) * (2 * e + 32 * u);
            std::size_t const b = bias.size() == 1 ? 0 : k;
            db.real[b] += g * slope;
            b_size[b] += off;
            for (std::size_t j = 0; j < d; ++j) {
                dx.real[i * d + j] += g * slope * w.real[k * d + j];
                dx.set_error(i * d + j,
                             dx.error_of(i * d + j) + off * static_cast<double>(std::abs(w.real[k * d + j])));
                dw.real[k * d + j] += g * slope * x.real[i * d + j];
                w_size[k * d + j] += off * static_cast<double>(std::abs(x.real[i * d + j]));
            }
        }
    }
    for (std::size_t i = 0; i < w_size.size(); ++i) dw.set_error(i, w_size[i]);
    for (std::size_t i = 0; i < b_size.size(); ++i) db.set_error(i, b_size[i]);
    return {losses, dx, dw, db};
}

/// sum over labels y and classes i that are no labels of max(0, 1 - x[y] + x[i]) / classes, and how often each class
/// takes part.
std::vector<array> run_label_margins(loop_call const& c) {
    array const &x = *c.in[0], &labels = *c.in[1];
    array margins = c.result(), slopes(c.type, x.shape);
    auto const n = static_cast<std::size_t>(x.shape.back());
    for (std::size_t r = 0; n > 0 && r < x.size() / n; ++r) {
        std::vector<std::size_t> label;
        std::vector<char> open(n, 1);
        double e = 0, size = 0;
        for (std::size_t k = 0; k < n && labels.whole[r * n + k] >= 0; ++k) {
            label.push_back(checked(labels.whole[r * n + k], x.shape.back(), "multilabel_margin"));
            open[label.back()] = 0;
        }
        for (std::size_t y : label)
            for (std::size_t i = 0; i < n; ++i) {
                long double const margin = 1 - x.real[r * n + y] + x.real[r * n + i];
                if (!open[i] || margin <= 0) continue;
                margins.real[r] += margin / static_cast<long double>(n);
                e += x.error_of(r * n + y) + x.error_of(r * n + i);
                size += 1 + static_cast<double>(std::abs(x.real[r * n + y]) + std::abs(x.real[r * n + i]));
                slopes.real[r * n + i] += margin > 0;
                slopes.real[r * n + y] -= margin > 0;
            }
        margins.set_error(r, (e + 8 * roundoff(c.type) * size) / static_cast<double>(n));
    }
    return {margins, slopes};
}

}  // namespace

std::map<operation_key, loop_function> loss_loops() {
    return {{{"ctc", 4}, run_ctc},
            {{"ctc", 5}, run_ctc},
            {{"fused_linear_cross_entropy", 4}, run_linear_cross_entropy},
            {{"fused_linear_cross_entropy", 5}, run_linear_cross_entropy},
            {{"multilabel_margin", 2}, run_label_margins}};
}

}  // namespace oracle
