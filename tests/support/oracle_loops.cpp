// SPDX-License-Identifier: MIT
// What the oracle knows of loops along an axis: gather and its kin, sorting, what runs along an axis.

#include "support/oracle_loops.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace oracle {
namespace {

// ---- indices -------------------------------------------------------------------------------------------------------

/// For each element that an index picks, where it is in the array, and which index that was.
struct picked {
    places element, index;
};
/// One element along an axis: x(..., index(..., i, ...), ...).
picked pick_elements(lengths const& x, array const& index, std::size_t axis) {
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
picked pick_rows(lengths const& x, array const& index, std::size_t axis) {
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
picked pick_flat(lengths const& x, array const& index, std::size_t) {
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

std::vector<array> run_cumsum(loop_call const& c) {
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
std::vector<array> run_previous(loop_call const& c) {
    array const& x = *c.in[0];
    array y = c.result();
    each_running(c, x, [&](places const& row, std::size_t k) {
        y.real[row[k]] = k > 0 ? x.real[row[k - 1]] : static_cast<long double>(c.attr.offset);
        if (k > 0) y.set_error(row[k], x.error_of(row[k - 1]));
    });
    return {y};
}
/// y(i) = a(i) y(i - 1) + b(i)
std::vector<array> run_recurrence(loop_call const& c) {
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
std::vector<array> run_cumprod(loop_call const& c) {
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
std::vector<array> run_logcumsumexp(loop_call const& c) {
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
std::vector<array> run_sort(loop_call const& c) {
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
std::vector<array> run_converged(loop_call const& c) {
    if (c.in[0]->whole.at(0) == 0 && c.in[0]->error_of(0) == 0) throw error("a search that has not converged");
    array y = c.result();
    y.whole.at(0) = 1;
    return {y};
}

}  // namespace

std::map<operation_key, loop_function>& loops() {
    static std::map<operation_key, loop_function> t{
        {{"gather", 2}, run_pick<pick_elements>},
        {{"index_select", 2}, run_pick<pick_rows>},
        {{"embedding", 2}, run_pick<pick_rows>},
        {{"select", 2}, run_pick<pick_rows>},
        {{"x[i]", 2}, run_pick<pick_rows>},
        {{"x(i, j)", 2}, run_pick<pick_rows>},
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
    };
    return t;
}

}  // namespace oracle
