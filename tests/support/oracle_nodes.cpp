// SPDX-License-Identifier: MIT
// What the oracle makes of one node and its operands: elementwise operations, reductions, contractions.

#include "support/oracle_loop_call.hpp"
#include "support/oracle_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace oracle {

operation_key key_of(graph::node const& n) { return {n.op->name, n.arity()}; }
std::string name_of(graph::node const& n) {
    return std::string(n.op->name) + " of " + std::to_string(n.arity()) + " operands";
}

namespace {

/// Comparisons and logic: a mask, and where it is uncertain.
bool compare(std::string const& name, std::vector<array const*> const& in, std::vector<places> const& at,
                    array& y) {
    auto each = [&](auto f) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            bool uncertain = false;
            y.whole[i] = f(i, uncertain);
            y.set_error(i, uncertain ? 1 : 0);
        }
        return true;
    };
    auto number = [&](std::size_t j, std::size_t i) { return in[j]->number(at[j][i]); };
    auto off = [&](std::size_t j, std::size_t i) { return in[j]->error_of(at[j][i]); };
    /// Equal numbers are one value by construction; others within their errors may be either way round.
    auto ordered = [&](auto test) {
        return each([&, test](std::size_t i, bool& uncertain) {
            long double const a = number(0, i), b = number(1, i);
            if (a != b) uncertain = std::abs(a - b) <= static_cast<long double>(off(0, i) + off(1, i));
            return test(a, b);
        });
    };
    auto tested = [&](auto test) { return each([&, test](std::size_t i, bool&) { return test(number(0, i)); }); };
    if (name == "less") return ordered([](auto a, auto b) { return a < b; });
    if (name == "less_equal") return ordered([](auto a, auto b) { return a <= b; });
    if (name == "equal") return ordered([](auto a, auto b) { return a == b; });
    if (name == "not_equal") return ordered([](auto a, auto b) { return a != b; });
    if (name == "isnan") return tested([](long double x) { return std::isnan(x); });
    if (name == "isinf") return tested([](long double x) { return std::isinf(x); });
    if (name == "isfinite") return tested([](long double x) { return std::isfinite(x); });
    if (name == "not" || name == "mask")
        return each([&, flip = name == "not"](std::size_t i, bool& uncertain) {
            uncertain = off(0, i) > 0;
            return (number(0, i) != 0) != flip;
        });
    if (name == "and" || name == "or")
        return each([&, all = name == "and"](std::size_t i, bool& uncertain) {
            bool const a = number(0, i) != 0, b = number(1, i) != 0, ua = off(0, i) > 0, ub = off(1, i) > 0;
            auto of = [&](bool x, bool z) { return all ? x && z : x || z; };
            uncertain = of(a || ua, b || ub) != of(a && !ua, b && !ub);
            return of(a, b);
        });
    return false;
}

array choose(std::vector<array const*> const& in, std::vector<places> const& at, array y) {
    for (std::size_t i = 0; i < y.size(); ++i) {
        std::size_t const a = at[1][i], b = at[2][i];
        bool const first = in[0]->whole[at[0][i]] != 0;
        array const& x = first ? *in[1] : *in[2];
        std::size_t const from = first ? a : b;
        if (is_real(y.type)) y.real[i] = x.real[from];
        else y.whole[i] = x.whole[from];
        double e = x.error_of(from);
        if (in[0]->error_of(at[0][i]) > 0) {
            long double const apart = std::abs(in[1]->number(a) - in[2]->number(b));
            e = std::isfinite(apart) ? static_cast<double>(apart) + in[1]->error_of(a) + in[2]->error_of(b) : unknown;
        }
        y.set_error(i, e);
    }
    return y;
}

array convert(array const& x, places const& at, array y) {
    bool const keeps = is_real(x.type) && is_real(y.type) && roundoff(y.type) <= roundoff(x.type);
    auto to = [&](long double v) { return keeps ? v : rounded(v, y.type); };
    for (std::size_t i = 0; i < y.size(); ++i) {
        std::size_t const from = at[i];
        double e = x.error_of(from);
        if (!is_real(x.type) && !is_real(y.type)) {
            y.whole[i] = wrapped(x.whole[from], y.type);
        } else {
            long double const v = x.number(from), r = to(v);
            if (is_real(y.type)) y.real[i] = r;
            else y.whole[i] = static_cast<std::int64_t>(r);
            if (e > 0 && !keeps && std::isfinite(v))  // it may round to a neighbour
                e = static_cast<double>(std::max(std::abs(to(v + static_cast<long double>(e)) - r),
                                                 std::abs(to(v - static_cast<long double>(e)) - r)));
        }
        y.set_error(i, e);
    }
    return y;
}

/// For what is computed in float, double is exact enough, and where long double is software much faster.
long double in_double(function const& f, int operands, long double const* x, double number) {
    double near[5]{};
    for (int j = 0; j < operands; ++j) near[j] = static_cast<double>(x[j]);
    return f.fast(near, number);
}

}  // namespace

array elementwise(graph::node const& n, std::vector<array const*> const& in, lengths const& shape) {
    array y(n.type, shape);
    std::vector<places> at;
    for (array const* x : in) at.push_back(stretched(x->shape, shape));
    std::string const name = n.op->name;
    if (n.op->same_value) return pick(*in[0], shape, at[0]);
    if (name == "where") return choose(in, at, y);
    if (name == "cast") return convert(*in[0], at[0], y);
    if (!is_real(y.type) && compare(name, in, at, y)) return y;
    int const arity = n.arity();
    if (!is_real(y.type)) {
        auto const found = whole_functions().find(key_of(n));
        if (found == whole_functions().end())
            throw error("the oracle does not know the integer operation " + name_of(n));
        for (std::size_t i = 0; i < y.size(); ++i) {
            std::int64_t x[5]{};
            double e = 0;
            for (int j = 0; j < arity; ++j) {
                auto const J = static_cast<std::size_t>(j);
                x[j] = in[J]->whole[at[J][i]];
                if (in[J]->error_of(at[J][i]) > 0) e = unknown;
            }
            y.whole[i] = wrapped(found->second(x), y.type);
            y.set_error(i, e);
        }
        return y;
    }
    auto const found = functions().find(key_of(n));
    if (found == functions().end()) throw error("the oracle does not know the operation " + name_of(n));
    function const& f = found->second;
    double const u = f.ulps * roundoff(y.type);
    for (std::size_t i = 0; i < y.size(); ++i) {
        long double x[5]{};
        double e[5]{};
        for (int j = 0; j < arity; ++j) {
            auto const J = static_cast<std::size_t>(j);
            x[j] = in[J]->number(at[J][i]);
            e[j] = in[J]->error_of(at[J][i]);
        }
        long double const r = y.real[i] =
            n.type == dtype::f32 ? in_double(f, arity, x, n.attr.number) : f.value(x, n.attr.number);
        if (std::isfinite(r))
            y.set_error(i, spread(f, arity, x, e, n.attr.number, r) + u * std::abs(static_cast<double>(r)));
    }
    return y;
}

array reduce(graph::node const& n, array const& x, lengths const& shape) {
    using graph::combination;
    lengths own = strides_of(shape);
    for (std::size_t k = 0; k < own.size(); ++k)
        if (n.attr.axes >> k & 1) own[own.size() - 1 - k] = 0;
    places const to = walk(x.shape, own);
    combination const how = n.op->combine;
    array y(n.type, shape);
    long double const infinite = std::numeric_limits<long double>::infinity();
    std::int64_t const most =
        n.type == dtype::i32 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (is_real(n.type))
            y.real[i] = how == combination::sum       ? 0
                        : how == combination::product ? 1
                        : how == combination::max     ? -infinite
                                                    : infinite;
        else
            y.whole[i] = how == combination::sum       ? 0
                         : how == combination::product ? 1
                         : how == combination::max     ? -most - 1
                                                     : most;
    }
    std::vector<double> e(y.size()), size(y.size()), terms(y.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
        std::size_t const t = to[i];
        double const off = x.error_of(i);
        terms[t] += 1;
        if (!is_real(n.type)) {
            std::int64_t &a = y.whole[t], b = x.whole[i];
            a = how == combination::sum       ? wrapped(a + b, n.type)
                : how == combination::product ? wrapped(a * b, n.type)
                : how == combination::max     ? std::max(a, b)
                                            : std::min(a, b);
            e[t] = how == combination::product && off > 0 ? unknown
                   : how == combination::sum              ? e[t] + off
                                                        : std::max(e[t], off);
            continue;
        }
        long double &a = y.real[t], b = x.real[i];
        switch (how) {
            case combination::sum:
                a += b;
                e[t] += off;
                size[t] += static_cast<double>(std::abs(b));
                break;
            case combination::product:
                e[t] = e[t] * static_cast<double>(std::abs(b)) + static_cast<double>(std::abs(a)) * off;
                a *= b;
                e[t] += 2 * roundoff(n.type) * static_cast<double>(std::abs(a));
                break;
            default:
                a = std::isnan(a) ? a : how == combination::max ? larger(b, a) : smaller(b, a);
                e[t] = std::max(e[t], off);
        }
    }
    for (std::size_t t = 0; t < y.size(); ++t)
        y.set_error(t, e[t] + (terms[t] > 1 ? roundings_of_sum(terms[t]) : 0) * roundoff(n.type) * size[t]);
    return y;
}

/// sum over axes of x * y, the two side by side.
array contract(graph::node const& n, array const& x, array const& y, lengths const& shape) {
    std::size_t const rank = std::max(x.shape.size(), y.shape.size());
    lengths all(rank), kept(rank), summed(rank);
    for (std::size_t k = 0; k < rank; ++k) {
        auto from_right = [&](lengths const& s) { return k < s.size() ? s[s.size() - 1 - k] : 1; };
        std::size_t const a = rank - 1 - k;
        all[a] = from_right(x.shape) == 1 ? from_right(y.shape) : from_right(x.shape);
        bool const is_summed = n.attr.axes >> k & 1;
        kept[a] = is_summed ? 1 : all[a];
        summed[a] = is_summed ? all[a] : 1;
    }
    lengths const sx = stretched_strides(x.shape, all), sy = stretched_strides(y.shape, all);
    places const x0 = walk(kept, sx), y0 = walk(kept, sy), dx = walk(summed, sx), dy = walk(summed, sy);
    array r(n.type, kept);
    double const u = roundings_of_sum(static_cast<double>(dx.size())) * roundoff(n.type);
    for (std::size_t i = 0; i < r.size(); ++i) {
        long double sum = 0;
        double e = 0, size = 0;
        for (std::size_t k = 0; k < dx.size(); ++k) {
            std::size_t const p = x0[i] + dx[k], q = y0[i] + dy[k];
            long double const term = x.real[p] * y.real[q];
            sum += term;
            size += std::abs(static_cast<double>(term));
            if (!x.error.empty()) e += x.error[p] * std::abs(static_cast<double>(y.real[q]));
            if (!y.error.empty()) e += y.error[q] * std::abs(static_cast<double>(x.real[p]));
        }
        r.real[i] = sum;
        r.set_error(i, e + u * size);
    }
    return reshaped(r, shape);
}

}  // namespace oracle
