// SPDX-License-Identifier: MIT
#pragma once
// What the oracle knows of operations with loops of their own: gather and its kin, sorting, what runs along an axis,
// and the losses that are such.

#include "support/oracle_functions.hpp"

#include <tapeless/ir/node.hpp>

namespace oracle {

/// One run of a loop: its operands, and what the result is.
struct loop_call {
    std::vector<array const*> in;
    tapeless::detail::attribute attr;
    lengths shape;
    dtype type;
    int const* parameters = nullptr;  ///< of the operation

    array result() const { return array(type, shape); }
    /// The axis in the attribute, from the left, of an array.
    std::size_t axis_of(array const& x) const { return x.shape.size() - 1 - static_cast<std::size_t>(attr.axes); }
};
/// The results, where there are several the further ones behind the first.
using loop_function = std::vector<array> (*)(loop_call const&);

inline std::size_t checked(std::int64_t index, std::int64_t limit, char const* what) {
    if (index < 0 || index >= limit)
        throw error(std::string(what) + ": the index " + std::to_string(index) + " is out of range");
    return static_cast<std::size_t>(index);
}

// ---- indices -------------------------------------------------------------------------------------------------------

/// For each element that an index picks, where it is in the array, and which index that was.
struct picked {
    places element, index;
};
/// One element along an axis: x(..., index(..., i, ...), ...).
inline picked pick_elements(lengths const& x, array const& index, std::size_t axis) {
    lengths stride = strides_of(x);
    auto const along = static_cast<std::size_t>(stride[axis]);
    stride[axis] = 0;
    picked p{walk(index.shape, stride), {}};
    for (std::size_t i = 0; i < p.element.size(); ++i) {
        p.element[i] += along * checked(index.whole[i], x[axis], "gather");
        p.index.push_back(i);
    }
    return p;
}
/// Whole rows: the index's axes stand in the place of the axis.
inline picked pick_rows(lengths const& x, array const& index, std::size_t axis) {
    picked p;
    std::int64_t before = 1, behind = 1;
    for (std::size_t a = 0; a < axis; ++a) before *= x[a];
    for (std::size_t a = axis + 1; a < x.size(); ++a) behind *= x[a];
    for (std::int64_t b = 0; b < before; ++b)
        for (std::size_t i = 0; i < index.size(); ++i)
            for (std::int64_t c = 0; c < behind; ++c) {
                auto const row = static_cast<std::int64_t>(checked(index.whole[i], x[axis], "index_select"));
                p.element.push_back(static_cast<std::size_t>((b * x[axis] + row) * behind + c));
                p.index.push_back(i);
            }
    return p;
}
inline picked pick_flat(lengths const& x, array const& index, std::size_t) {
    picked p;
    for (std::size_t i = 0; i < index.size(); ++i) {
        p.element.push_back(checked(index.whole[i], count(x), "take"));
        p.index.push_back(i);
    }
    return p;
}

template <picked (*Pick)(lengths const&, array const&, std::size_t)>
std::vector<array> run_pick(loop_call const& c) {
    array const &x = *c.in[0], &index = *c.in[1];
    picked const p = Pick(x.shape, index, c.axis_of(x));
    array y = pick(x, c.shape, p.element);
    for (std::size_t i = 0; i < y.size(); ++i)
        if (index.error_of(p.index[i]) > 0) y.set_error(i, unknown);
    return {y};
}
/// The first operand, perhaps one number, with the third added up at the index; the row attr.number - 1 is left out.
template <picked (*Pick)(lengths const&, array const&, std::size_t)>
std::vector<array> run_add(loop_call const& c) {
    array const& index = *c.in[1];
    array y = pick(*c.in[0], c.shape, stretched(c.in[0]->shape, c.shape));
    y.type = c.type;
    picked const p = Pick(c.shape, index, c.axis_of(y));
    lengths source(c.in[2]->shape);
    if (count(source) != static_cast<std::int64_t>(p.element.size()))
        throw error("scatter_add: " + text_of(source) + " is not the source");
    for (std::size_t i = 0; i < p.element.size(); ++i) {
        if (index.whole[p.index[i]] == static_cast<std::int64_t>(c.attr.number) - 1) continue;
        std::size_t const to = p.element[i];
        double const e = y.error_of(to) + c.in[2]->error_of(i);
        if (is_real(c.type)) {
            y.real[to] += c.in[2]->real[i];
            y.set_error(to, e + roundoff(c.type) * static_cast<double>(std::abs(y.real[to])));
        } else {
            y.whole[to] = wrapped(y.whole[to] + c.in[2]->whole[i], c.type);
            y.set_error(to, e);
        }
        if (index.error_of(p.index[i]) > 0)
            for (std::size_t k = 0; k < y.size(); ++k) y.set_error(k, unknown);
    }
    return {y};
}

// ---- sums ----------------------------------------------------------------------------------------------------------

inline std::vector<array> run_cumsum(loop_call const& c) {
    array const& x = *c.in[0];
    array y = c.result();
    std::size_t const axis = c.axis_of(x);
    std::int64_t const n = x.shape[axis], step = strides_of(x.shape)[axis];
    lengths rows = x.shape;
    rows[axis] = n > 0 ? 1 : 0;
    for (std::size_t first : walk(rows, strides_of(x.shape))) {
        long double sum = 0, sums = 0;  // and of the sums so far, each of which is rounded
        std::int64_t whole = 0;
        double e = 0;
        for (std::int64_t k = 0; k < n; ++k) {
            auto const i = first + static_cast<std::size_t>((c.attr.number == 1 ? n - 1 - k : k) * step);
            e += x.error_of(i);
            if (is_real(c.type)) {
                y.real[i] = sum += x.real[i];
                sums += std::abs(sum);
                double const kept = roundoff(dtype::f64) * static_cast<double>(sums);  // of floats in double too
                y.set_error(i, e + kept + roundoff(c.type) * static_cast<double>(std::abs(sum)));
            } else {
                y.whole[i] = whole = wrapped(whole + x.whole[i], c.type);
                y.set_error(i, e);
            }
        }
    }
    return {y};
}

/// y(k) of y(k - 1) along every row, in the order of the attribute: step(places of the row, k), each call for one row
/// from k = 0 on.
template <class Step>
void each_running(loop_call const& c, array const& x, Step const& step) {
    std::size_t const axis = c.axis_of(x);
    std::int64_t const n = x.shape[axis], by = strides_of(x.shape)[axis];
    lengths rows = x.shape;
    rows[axis] = n > 0 ? 1 : 0;
    for (std::size_t first : walk(rows, strides_of(x.shape))) {
        places row;
        for (std::int64_t k = 0; k < n; ++k)
            row.push_back(first + static_cast<std::size_t>((c.attr.number == 1 ? n - 1 - k : k) * by));
        for (std::size_t k = 0; k < row.size(); ++k) step(row, k);
    }
}
/// y(i) = x(i - 1), and the offset in front.
inline std::vector<array> run_previous(loop_call const& c) {
    array const& x = *c.in[0];
    array y = c.result();
    each_running(c, x, [&](places const& row, std::size_t k) {
        y.real[row[k]] = k > 0 ? x.real[row[k - 1]] : static_cast<long double>(c.attr.offset);
        if (k > 0) y.set_error(row[k], x.error_of(row[k - 1]));
    });
    return {y};
}
/// y(i) = a(i) y(i - 1) + b(i)
inline std::vector<array> run_recurrence(loop_call const& c) {
    array const &a = *c.in[0], &b = *c.in[1];
    array y = c.result();
    each_running(c, y, [&](places const& row, std::size_t k) {
        std::size_t const i = row[k];
        long double const before = k > 0 ? y.real[row[k - 1]] : 0, term = k > 0 ? a.real[i] * before : 0;
        y.real[i] = term + b.real[i];
        double e = b.error_of(i);
        if (k > 0)
            e += a.error_of(i) * static_cast<double>(std::abs(before)) +
                 y.error_of(row[k - 1]) * static_cast<double>(std::abs(a.real[i]));
        y.set_error(i, e + 2 * roundoff(c.type) * static_cast<double>(std::abs(term) + std::abs(y.real[i])));
    });
    return {y};
}
inline std::vector<array> run_cumprod(loop_call const& c) {
    array const& x = *c.in[0];
    array y = c.result();
    each_running(c, x, [&](places const& row, std::size_t k) {
        std::size_t const i = row[k];
        if (!is_real(c.type)) {
            y.whole[i] = wrapped(x.whole[i] * (k > 0 ? y.whole[row[k - 1]] : 1), c.type);
            return;
        }
        long double const before = k > 0 ? y.real[row[k - 1]] : 1;
        y.real[i] = x.real[i] * before;
        double const e = x.error_of(i) * static_cast<double>(std::abs(before)) +
                         (k > 0 ? y.error_of(row[k - 1]) * static_cast<double>(std::abs(x.real[i])) : 0);
        y.set_error(i, e + 2 * roundoff(c.type) * static_cast<double>(std::abs(y.real[i])));
    });
    return {y};
}
/// y(i) = ln(e^x(0) + ... + e^x(i))
inline std::vector<array> run_logcumsumexp(loop_call const& c) {
    array const& x = *c.in[0];
    array y = c.result();
    long double const none = -std::numeric_limits<long double>::infinity();
    double e = 0;
    each_running(c, x, [&](places const& row, std::size_t k) {
        std::size_t const i = row[k];
        long double const before = k > 0 ? y.real[row[k - 1]] : none;
        if (k == 0) e = 0;
        e = std::max(e, x.error_of(i));
        y.real[i] = before == none ? x.real[i] : x.real[i] == none ? before : log_of_sum(before, x.real[i]);
        double const size = 1 + static_cast<double>(std::abs(y.real[i]));
        y.set_error(i, e + 2 * roundoff(c.type) * size + 4 * roundoff(dtype::f64) * static_cast<double>(k) * size);
    });
    return {y};
}
/// Where the largest (smallest) so far is: the first of several; NaN counts as one.
template <bool Largest>
std::vector<array> run_running_position(loop_call const& c) {
    array const& x = *c.in[0];
    array y = c.result();
    each_running(c, x, [&](places const& row, std::size_t k) {
        auto const was = k > 0 ? static_cast<std::size_t>(y.whole[row[k - 1]]) : 0;
        long double const best = x.number(row[was]), v = x.number(row[k]);
        double const both = x.error_of(row[was]) + x.error_of(row[k]);
        bool const better = Largest ? v > best : v < best;
        bool const uncertain = v != best && std::abs(v - best) <= static_cast<long double>(both);
        y.whole[row[k]] = static_cast<std::int64_t>(better || (std::isnan(v) && !std::isnan(best)) ? k : was);
        y.set_error(row[k], uncertain || (k > 0 && y.error_of(row[k - 1]) > 0) ? unknown : 0);
    });
    return {y};
}
/// The indices that sort, or the first attr.offset of them: equal elements stay in order, NaN is the largest.
inline std::vector<array> run_sort(loop_call const& c) {
    array const& x = *c.in[0];
    array y = c.result();
    std::size_t const axis = c.axis_of(x);
    std::int64_t const by = strides_of(x.shape)[axis], to_by = strides_of(c.shape)[axis];
    lengths rows = x.shape;
    rows[axis] = c.shape[axis] > 0 ? 1 : 0;
    places const from = walk(rows, strides_of(x.shape)), to = walk(rows, strides_of(c.shape));
    for (std::size_t r = 0; r < from.size(); ++r) {
        auto at = [&](std::int64_t i) { return from[r] + static_cast<std::size_t>(i * by); };
        std::vector<std::int64_t> order;
        for (std::int64_t i = 0; i < x.shape[axis]; ++i) order.push_back(i);
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
            long double a = x.number(at(i)), b = x.number(at(j));
            if (c.attr.number == 1) std::swap(a, b);
            return a < b || (std::isnan(b) && !std::isnan(a));
        });
        for (std::int64_t k = 0; k < c.shape[axis]; ++k) {
            std::size_t const i = to[r] + static_cast<std::size_t>(k * to_by);
            y.whole[i] = order[static_cast<std::size_t>(k)];
            for (std::int64_t other : {k - 1, k + 1}) {  // neighbours may be the other way round
                if (other < 0 || other >= x.shape[axis]) continue;
                std::size_t const p = at(y.whole[i]), q = at(order[static_cast<std::size_t>(other)]);
                if (x.number(p) != x.number(q) &&
                    std::abs(x.number(p) - x.number(q)) <= static_cast<long double>(x.error_of(p) + x.error_of(q)))
                    y.set_error(i, unknown);
            }
        }
    }
    return {y};
}
/// A search that says it has found something: whether it has.
inline std::vector<array> run_converged(loop_call const& c) {
    if (c.in[0]->whole.at(0) == 0 && c.in[0]->error_of(0) == 0) throw error("a search that has not converged");
    array y = c.result();
    y.whole.at(0) = 1;
    return {y};
}

/// A sum of n terms in any sensible order: a few roundings of the sum of the absolute values.
inline double roundings_of_sum(double n) { return 4 + std::sqrt(n); }

// ---- losses --------------------------------------------------------------------------------------------------------

/// The largest error of an array, for what is not followed number by number.
inline double largest_error(array const& x) {
    double most = 0;
    for (double e : x.error) most = std::max(most, e);
    return most;
}

/// -log of the sum over all paths through (steps, classes) of log-probabilities that give the labels once repeated
/// classes are merged and blanks left out, by the states blank, label, blank, ..., blank; and which share of the paths
/// is at each class at each step.
inline std::vector<array> run_ctc(loop_call const& c) {
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
inline std::vector<array> run_linear_cross_entropy(loop_call const& c) {
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
inline std::vector<array> run_label_margins(loop_call const& c) {
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

/// A test adds a loop of its own here: oracle::loops()[{"flood_fill", 2}] = function.
inline std::map<operation_key, loop_function>& loops() {
    static std::map<operation_key, loop_function> t{
        {{"gather", 2}, run_pick<pick_elements>},
        {{"index_select", 2}, run_pick<pick_rows>},
        {{"embedding", 2}, run_pick<pick_rows>},
        {{"take", 2}, run_pick<pick_flat>},
        {{"scatter_add", 3}, run_add<pick_elements>},
        {{"index_add", 3}, run_add<pick_rows>},
        {{"take_add", 3}, run_add<pick_flat>},
        {{"cumsum", 1}, run_cumsum},
        {{"previous", 1}, run_previous},
        {{"recurrence", 2}, run_recurrence},
        {{"cumprod", 1}, run_cumprod},
        {{"logcumsumexp", 1}, run_logcumsumexp},
        {{"cummax", 1}, run_running_position<true>},
        {{"cummin", 1}, run_running_position<false>},
        {{"sort", 1}, run_sort},
        {{"converged", 3}, run_converged},
        {{"ctc", 4}, run_ctc},
        {{"ctc", 5}, run_ctc},
        {{"fused_linear_cross_entropy", 4}, run_linear_cross_entropy},
        {{"fused_linear_cross_entropy", 5}, run_linear_cross_entropy},
        {{"multilabel_margin", 2}, run_label_margins},
    };
    return t;
}

}  // namespace oracle
