// SPDX-License-Identifier: MIT
#pragma once
// An interpreter of traced graphs, node by node, with plain loops in long double: slow, and nothing of the library's passes, plans
// or kernels is in it.

#include "support/oracle_loops.hpp"

#include <tapeless/graph/simplify.hpp>

#include <memory>

namespace oracle {

namespace graph = tapeless::detail;

/// A graph, or the body of a call.
struct graph_view {
    graph::list<graph::node> const* nodes;
    graph::list<graph::dims> const* shapes;
    graph::list<graph::run_time_extent> const* extents;
    graph::list<graph::call_info> const* calls;
    graph::list<graph::body> const* bodies;  ///< of the whole graph
    int shared = 0;                          ///< of a body: so many of its extents are its caller's

    explicit graph_view(graph::builder const& b)
        : nodes(&b.nodes), shapes(&b.shapes), extents(&b.extents), calls(&b.calls), bodies(&b.bodies) {}
    graph_view(graph::body const& x, graph::list<graph::body> const& all)
        : nodes(&x.nodes), shapes(&x.shapes), extents(&x.extents), calls(&x.calls), bodies(&all), shared(x.shared) {}
};

// ---- nodes without a graph around them -----------------------------------------------------------------------------

inline operation_key key_of(graph::node const& n) { return {n.op->name, n.arity()}; }
inline std::string name_of(graph::node const& n) { return std::string(n.op->name) + " of " + std::to_string(n.arity()) + " operands"; }

/// Comparisons and logic: a mask, and where it is uncertain.
inline bool compare(std::string const& name, std::vector<array const*> const& in, std::vector<places> const& at, array& y) {
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

inline array choose(std::vector<array const*> const& in, std::vector<places> const& at, array y) {
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

inline array convert(array const& x, places const& at, array y) {
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
                e = static_cast<double>(std::max(std::abs(to(v + static_cast<long double>(e)) - r), std::abs(to(v - static_cast<long double>(e)) - r)));
        }
        y.set_error(i, e);
    }
    return y;
}

/// For what is computed in float, double is exact enough, and where long double is software much faster.
inline long double in_double(function const& f, int operands, long double const* x, double number) {
    double near[5]{};
    for (int j = 0; j < operands; ++j) near[j] = static_cast<double>(x[j]);
    return f.fast(near, number);
}

inline array elementwise(graph::node const& n, std::vector<array const*> const& in, lengths const& shape) {
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
        if (found == whole_functions().end()) throw error("the oracle does not know the integer operation " + name_of(n));
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
        long double const r = y.real[i] = n.type == dtype::f32 ? in_double(f, arity, x, n.attr.number) : f.value(x, n.attr.number);
        if (std::isfinite(r)) y.set_error(i, spread(f, arity, x, e, n.attr.number, r) + u * std::abs(static_cast<double>(r)));
    }
    return y;
}

/// A sum of n terms in any sensible order: a few roundings of the sum of the absolute values.
inline double roundings_of_sum(double n) { return 4 + std::sqrt(n); }

inline array reduce(graph::node const& n, array const& x, lengths const& shape) {
    using graph::reduction;
    lengths own = strides_of(shape);
    for (std::size_t k = 0; k < own.size(); ++k)
        if (n.attr.axes >> k & 1) own[own.size() - 1 - k] = 0;
    places const to = walk(x.shape, own);
    reduction const how = n.op->combine;
    array y(n.type, shape);
    long double const infinite = std::numeric_limits<long double>::infinity();
    std::int64_t const most = n.type == dtype::i32 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < y.size(); ++i) {
        if (is_real(n.type)) y.real[i] = how == reduction::sum ? 0 : how == reduction::product ? 1 : how == reduction::max ? -infinite : infinite;
        else y.whole[i] = how == reduction::sum ? 0 : how == reduction::product ? 1 : how == reduction::max ? -most - 1 : most;
    }
    std::vector<double> e(y.size()), size(y.size()), terms(y.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
        std::size_t const t = to[i];
        double const off = x.error_of(i);
        terms[t] += 1;
        if (!is_real(n.type)) {
            std::int64_t &a = y.whole[t], b = x.whole[i];
            a = how == reduction::sum ? wrapped(a + b, n.type) : how == reduction::product ? wrapped(a * b, n.type) : how == reduction::max ? std::max(a, b) : std::min(a, b);
            e[t] = how == reduction::product && off > 0 ? unknown : how == reduction::sum ? e[t] + off : std::max(e[t], off);
            continue;
        }
        long double &a = y.real[t], b = x.real[i];
        switch (how) {
            case reduction::sum:
                a += b;
                e[t] += off;
                size[t] += static_cast<double>(std::abs(b));
                break;
            case reduction::product:
                e[t] = e[t] * static_cast<double>(std::abs(b)) + static_cast<double>(std::abs(a)) * off;
                a *= b;
                e[t] += 2 * roundoff(n.type) * static_cast<double>(std::abs(a));
                break;
            default:
                a = std::isnan(a) ? a : how == reduction::max ? larger(b, a) : smaller(b, a);
                e[t] = std::max(e[t], off);
        }
    }
    for (std::size_t t = 0; t < y.size(); ++t) y.set_error(t, e[t] + (terms[t] > 1 ? roundings_of_sum(terms[t]) : 0) * roundoff(n.type) * size[t]);
    return y;
}

/// sum over axes of x * y, the two side by side.
inline array contract(graph::node const& n, array const& x, array const& y, lengths const& shape) {
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

// ---- graphs --------------------------------------------------------------------------------------------------------

class interpreter {
public:
    /// `caller` is the length of an extent of the graph that calls a body.
    template <class Caller>
    interpreter(graph_view g, Caller const& caller) : g_(g), extent_(static_cast<std::size_t>(g.extents->size()), -1) {
        for (int i = 0; i < g_.extents->size(); ++i) (void)find_extent(i, caller);
        for (int i = 0; i < g_.extents->size(); ++i) {  // what the passes found out is so
            graph::run_time_extent const& x = g_.extents->items[i];
            std::int64_t const is = extent_[static_cast<std::size_t>(i)];
            if ((x.value >= 0 && x.value != is) || (x.parent >= 0 && extent_[static_cast<std::size_t>(x.parent)] != is))
                throw error("extent " + std::to_string(i) + " is " + std::to_string(is) + ", which is not what the graph says");
        }
    }

    std::int64_t length(std::int64_t e) const { return e >= 0 ? e : extent_.at(static_cast<std::size_t>(~e)); }

    std::vector<array> run(std::vector<array> const& arguments, graph::list<int> const& outputs) {
        int const size = g_.nodes->size();
        value_.assign(static_cast<std::size_t>(size), {});
        std::vector<char> live(static_cast<std::size_t>(size), 0);
        for (int o : outputs) live.at(static_cast<std::size_t>(o)) = 1;
        for (int i = size - 1; i >= 0; --i) {
            graph::node const& n = g_.nodes->items[i];
            int const inputs = n.kind == graph::node_kind::alias ? 1 : n.arity();
            for (int j = 0; live[static_cast<std::size_t>(i)] && j < inputs; ++j) {
                if (n.in[j] < 0 || n.in[j] >= i) throw error("node " + std::to_string(i) + " is before what it needs");
                live[static_cast<std::size_t>(n.in[j])] = 1;
            }
        }
        for (int i = 0; i < size; ++i)
            if (live[static_cast<std::size_t>(i)]) value_[static_cast<std::size_t>(i)] = compute(i, arguments);
        std::vector<array> r;
        for (int o : outputs) r.push_back(value(o));
        return r;
    }

private:
    graph_view g_;
    std::vector<std::int64_t> extent_;
    std::vector<std::vector<array>> value_;  ///< of each node, and its further results
    std::map<int, std::unique_ptr<interpreter>> callee_;

    array const& value(int id) const { return value_.at(static_cast<std::size_t>(id)).at(0); }
    lengths shape(graph::dims const& d) const {
        lengths s;
        for (int a = 0; a < d.rank; ++a) s.push_back(length(d.extent[a]));
        return s;
    }
    lengths shape(int number) const { return shape(g_.shapes->items[number]); }

    template <class Caller>
    std::int64_t find_extent(int i, Caller const& caller) {
        std::int64_t& known = extent_[static_cast<std::size_t>(i)];
        if (known >= 0) return known;
        graph::run_time_extent const& x = g_.extents->items[i];
        auto of = [&](std::int64_t e) { return e >= 0 ? e : find_extent(static_cast<int>(~e), caller); };
        std::int64_t is = 0;
        if (i < g_.shared) is = caller(i, x);
        else if (x.outer >= 0) is = caller(x.outer, x);
        else if (x.formula.rule != graph::length_rule::given) is = x.formula.apply(of(x.formula.a), of(x.formula.b));
        else is = caller(-1, x);
        return extent_[static_cast<std::size_t>(i)] = is;
    }

    std::vector<array> compute(int i, std::vector<array> const& arguments) {
        using graph::node_kind;
        graph::node const& n = g_.nodes->items[i];
        lengths const s = shape(n.shape);
        std::vector<array const*> in;
        for (int j = 0; j < n.arity() && n.kind != node_kind::own; ++j)
            if (n.kind != node_kind::alias || j == 0) in.push_back(&value(n.in[j]));
        switch (n.kind) {
            case node_kind::argument: {
                array const& a = arguments.at(static_cast<std::size_t>(i));
                if (a.type != n.type || a.shape != s) throw error("argument " + std::to_string(i) + " is " + text_of(a.shape) + ", not " + text_of(s));
                return {a};
            }
            case node_kind::constant: return {filled(n.type, {}, n.attr.number)};
            case node_kind::extent: return {filled(n.type, {}, static_cast<double>(length(~static_cast<std::int64_t>(n.source))))};
            case node_kind::blank: return {array(n.type, s)};
            case node_kind::coordinate: {
                array y(n.type, s);
                for (std::size_t k = 0; k < y.size(); ++k)
                    if (is_real(n.type)) y.real[k] = static_cast<long double>(k);
                    else y.whole[k] = static_cast<std::int64_t>(k);
                return {y};
            }
            case node_kind::elementwise: return {elementwise(n, in, s)};
            case node_kind::reduce: return {reduce(n, *in[0], s)};
            case node_kind::contract: return {contract(n, *in[0], *in[1], s)};
            case node_kind::view: return {pick(*in[0], s, view(n, in[0]->shape, s))};
            case node_kind::put: return {put(n, s)};
            case node_kind::alias: return {pick(*in[0], s, stretched(in[0]->shape, s))};
            case node_kind::own: return own(i, n, s);
        }
        throw error("a node of no kind");
    }

    static array filled(dtype type, lengths const& s, double number) {
        array y(type, s);
        for (long double& x : y.real) x = number;
        for (std::int64_t& x : y.whole) x = static_cast<std::int64_t>(number);
        return y;
    }

    /// Where the elements of a view are in what it looks at. Axes in attributes count from the right.
    places view(graph::node const& n, lengths const& from, lengths const& to) const {
        lengths const own = strides_of(from);
        if (n.op->form == graph::view_form::reshape) {
            if (count(from) != count(to)) throw error("reshape: " + text_of(from) + " to " + text_of(to));
            return walk({count(to)}, {1});
        }
        if (n.op->form == graph::view_form::slice) {
            lengths stride = own, other = from;
            std::size_t const a = from.size() - 1 - static_cast<std::size_t>(n.attr.axes);
            auto const step = static_cast<std::int64_t>(n.attr.number), start = length(n.attr.offset);
            std::int64_t const last = start + (to.at(a) - 1) * step;
            if (to[a] > 0 && (start < 0 || last < 0 || start >= from[a] || last >= from[a])) throw error("a slice beyond " + text_of(from));
            other[a] = to[a];
            if (other != to) throw error("a slice of " + text_of(from) + " that is " + text_of(to));
            stride[a] *= step;
            return walk(to, stride, count(to) > 0 ? start * own[a] : 0);
        }
        graph::axis_map const m{n.attr.axes};
        lengths stride(to.size(), 0);
        for (std::size_t k = 0; k < to.size(); ++k) {
            int const source = m.source(static_cast<int>(k));
            std::size_t const a = to.size() - 1 - k;
            bool const has = source >= 0 && static_cast<std::size_t>(source) < from.size();
            std::size_t const f = has ? from.size() - 1 - static_cast<std::size_t>(source) : 0;
            if (to[a] != (has ? from[f] : 1)) throw error("axes of " + text_of(from) + " that are " + text_of(to));
            if (has) stride[a] = own[f];
        }
        return walk(to, stride);
    }
    /// The places that a chain of views of a blank names.
    places window(int id, lengths& s) const {
        graph::node const& n = g_.nodes->items[id];
        if (n.kind == graph::node_kind::blank) {
            s = shape(n.shape);
            return walk({count(s)}, {1});
        }
        if (n.kind != graph::node_kind::view) throw error("put: the window is no view of a blank");
        lengths from;
        places const inner = window(n.in[0], from);
        s = shape(n.shape);
        places at = view(n, from, s);
        for (std::size_t& p : at) p = inner.at(p);
        return at;
    }
    array put(graph::node const& n, lengths const& s) const {
        array y = pick(value(n.in[0]), s, stretched(value(n.in[0]).shape, s));
        lengths of;
        places const to = window(n.in[2], of);
        array const& x = value(n.in[1]);
        places const from = stretched(x.shape, of);
        for (std::size_t i = 0; i < to.size(); ++i) {
            bool const adds = n.attr.number == 1;
            double e = x.error_of(from[i]);
            if (is_real(y.type)) {
                y.real.at(to[i]) = x.real[from[i]] + (adds ? y.real[to[i]] : 0);
                if (adds) e += y.error_of(to[i]) + roundoff(y.type) * std::abs(static_cast<double>(y.real[to[i]]));
            } else {
                y.whole.at(to[i]) = wrapped(x.whole[from[i]] + (adds ? y.whole[to[i]] : 0), y.type);
                if (adds) e += y.error_of(to[i]);
            }
            y.set_error(to[i], e);
        }
        return y;
    }

    // ---- loops of the operations' own ------------------------------------------------------------------------------

    std::vector<array> own(int i, graph::node const& n, lengths const& s) {
        using graph::own_role;
        if (n.op->role == own_role::operands) return {};
        if (n.op->role == own_role::call) return call(i, n);
        if (n.op->role == own_role::result)
            return {reshaped(value_.at(static_cast<std::size_t>(n.in[0])).at(static_cast<std::size_t>(n.attr.offset)), s)};
        if (n.op->part > 0) return {reshaped(value_.at(static_cast<std::size_t>(n.in[0])).at(static_cast<std::size_t>(n.op->part)), s)};
        std::vector<array const*> in;
        std::vector<char> fixed;
        for (int j = 0; j < n.arity(); ++j) {
            in.push_back(&value(n.in[j]));
            fixed.push_back(g_.nodes->items[n.in[j]].kind == graph::node_kind::constant);
        }
        return each_item(n, n.items, in, fixed, s);
    }
    /// Of many items along leading axes, each by itself; numbers have no such axes.
    static std::vector<array> each_item(graph::node const& n, int items, std::vector<array const*> const& in, std::vector<char> const& fixed,
                                        lengths const& s) {
        if (items == 0) return loop(n, in, s);
        lengths const one(s.begin() + 1, s.end());
        std::vector<array> all;
        for (std::int64_t k = 0; k < s.at(0); ++k) {
            std::vector<array> arrays(in.size());
            std::vector<array const*> of(in);
            for (std::size_t j = 0; j < in.size(); ++j)
                if (!fixed[j]) {
                    arrays[j] = item(*in[j], k);
                    of[j] = &arrays[j];
                }
            std::vector<array> const made = each_item(n, items - 1, of, fixed, one);
            for (std::size_t p = 0; p < made.size(); ++p) {
                if (k == 0) {
                    lengths whole = made[p].shape;
                    whole.insert(whole.begin(), s[0]);
                    all.push_back(array(made[p].type, whole));
                }
                set_item(all[p], k, made[p]);
            }
        }
        if (s[0] == 0) all.push_back(array(n.type, s));
        return all;
    }
    static std::vector<array> loop(graph::node const& n, std::vector<array const*> const& in, lengths const& s) {
        auto const found = loops().find(key_of(n));
        if (found != loops().end()) return found->second({in, n.attr, s, n.type});
        if (n.arity() == 1 && !is_real(n.type) && in[0]->shape == s && is_class_index(n.op->name)) return {*in[0]};
        throw error("the oracle does not know the loop " + name_of(n));
    }
    /// Losses that copy computed class indices to look at them.
    static bool is_class_index(std::string const& name) {
        for (char const* known : {"one_hot", "nll", "cross_entropy", "multi_margin", "fused_linear_cross_entropy"})
            if (name == known) return true;
        return false;
    }

    // ---- calls -----------------------------------------------------------------------------------------------------

    void flatten(int id, std::vector<array>& to) const {
        graph::node const& n = g_.nodes->items[id];
        for (int j = 0; j < n.arity(); ++j) {
            graph::node const& o = g_.nodes->items[n.in[j]];
            if (o.kind == graph::node_kind::own && o.op->role == graph::own_role::operands) flatten(n.in[j], to);
            else to.push_back(value(n.in[j]));
        }
    }
    /// Body b of a call, ready to run.
    interpreter& callee(int node, graph::call_info const& c, int b) {
        auto& known = callee_[2 * node + b];
        if (!known) {
            graph::body const& x = g_.bodies->items[c.body[b]];
            known = std::make_unique<interpreter>(graph_view(x, *g_.bodies), [&](int outer, graph::run_time_extent const&) {
                if (outer < 0) throw error("a length of a body that nobody knows");
                return extent_.at(static_cast<std::size_t>(outer));
            });
            int const first = b == 1 && c.extents.size() > 0 ? g_.bodies->items[c.body[0]].extents.size() : 0;
            for (int e = 0; e < x.extents.size() && c.extents.size() > 0; ++e)  // what the last pass noted is the same
                if (length(c.extents[first + e]) != known->extent_[static_cast<std::size_t>(e)])
                    throw error("the extent " + std::to_string(e) + " of a body is not what its call says");
        }
        return *known;
    }
    std::vector<array> call(int node, graph::node const& n) {
        graph::call_info const& c = g_.calls->items[n.source];
        std::vector<array> in;
        flatten(n.in[0], in);
        if (c.form == graph::call_form::loop) return steps(node, c, in);
        int b = 0;
        if (c.form == graph::call_form::either) {
            b = in.at(0).whole.at(0) == 0;
            in.erase(in.begin());
        }
        std::vector<array> const out = callee(node, c, b).run(in, g_.bodies->items[c.body[b]].outputs), empty(1);
        std::vector<array> r;
        for (graph::call_result const& rule : c.results) r.push_back(rule.which < 0 ? array() : out.at(static_cast<std::size_t>(rule.which)));
        return r;
    }
    /// Carries from carries, an element of every sequence, and what is the same for all steps.
    std::vector<array> steps(int node, graph::call_info const& c, std::vector<array> const& operands) {
        using graph::result_form;
        std::int64_t const n = length(c.steps);
        auto const carries = static_cast<std::size_t>(c.carries), sequences = static_cast<std::size_t>(c.sequences);
        interpreter& body = callee(node, c, 0);
        graph::list<int> const& outputs = g_.bodies->items[c.body[0]].outputs;
        std::vector<array> in = operands, r(static_cast<std::size_t>(c.results.size()));
        auto along = [&](array const& x, std::int64_t length_of_all) {
            lengths s = x.shape;
            s.insert(s.begin(), length_of_all);
            return array(x.type, s);
        };
        auto record = [&](std::int64_t s) {  // the carries before step s
            for (int k = 0; k < c.results.size(); ++k)
                if (graph::call_result const rule = c.results[k]; rule.form == result_form::record && rule.which >= 0) {
                    array const& x = in.at(static_cast<std::size_t>(rule.which));
                    array& to = r[static_cast<std::size_t>(k)];
                    if (s == 0) to = along(x, n + 1);
                    set_item(to, c.backwards ? n - s : s, x);
                }
        };
        record(0);
        if (n == 0) no_steps(c, body, outputs, operands, r);
        for (std::int64_t s = 0; s < n; ++s) {
            std::int64_t const t = c.backwards ? n - 1 - s : s;
            for (std::size_t j = carries; j < carries + sequences; ++j) {
                if (operands[j].shape.at(0) != n) throw error("a sequence of " + std::to_string(operands[j].shape[0]) + " elements for " + std::to_string(n) + " steps");
                in[j] = item(operands[j], t);
            }
            std::vector<array> const out = body.run(in, outputs);
            for (std::size_t k = 0; k < carries; ++k) in[k] = reshaped(out.at(k), in[k].shape);
            for (int k = 0; k < c.results.size(); ++k)
                if (graph::call_result const rule = c.results[k]; rule.form == result_form::stack && rule.which >= 0) {
                    array const& x = out.at(carries + static_cast<std::size_t>(rule.which));
                    array& to = r[static_cast<std::size_t>(k)];
                    if (s == 0) to = along(x, n);
                    set_item(to, t, x);
                }
            record(s + 1);
        }
        for (int k = 0; k < c.results.size(); ++k)
            if (graph::call_result const rule = c.results[k]; rule.form == result_form::last && rule.which >= 0)
                r[static_cast<std::size_t>(k)] = in.at(static_cast<std::size_t>(rule.which));
        return r;
    }
    /// Without a step nothing is stacked: arrays of no elements.
    void no_steps(graph::call_info const& c, interpreter const& body, graph::list<int> const& outputs, std::vector<array> const&,
                  std::vector<array>& r) const {
        for (int k = 0; k < c.results.size(); ++k)
            if (graph::call_result const rule = c.results[k]; rule.form == graph::result_form::stack && rule.which >= 0) {
                graph::node const& o = body.g_.nodes->items[outputs[c.carries + rule.which]];
                lengths s = body.shape(o.shape);
                s.insert(s.begin(), 0);
                r[static_cast<std::size_t>(k)] = array(o.type, s);
            }
    }
};

/// The results of a traced graph on these arguments.
inline std::vector<array> evaluate(graph::traced const& t, std::vector<array> const& arguments) {
    interpreter i(graph_view(t.graph), [&](int, graph::run_time_extent const& x) {
        return arguments.at(static_cast<std::size_t>(x.leaf)).shape.at(static_cast<std::size_t>(x.axis));
    });
    return i.run(arguments, t.outputs);
}

/// Whether the arguments have lengths that the function takes: what the library checks before it runs.
inline bool takes(graph::traced const& t, std::vector<array> const& arguments) {
    try {
        interpreter i(graph_view(t.graph), [&](int, graph::run_time_extent const& x) {
            return arguments.at(static_cast<std::size_t>(x.leaf)).shape.at(static_cast<std::size_t>(x.axis));
        });
        using graph::relation;
        for (graph::extent_check const& c : t.graph.checks) {
            std::int64_t const is = i.length(~static_cast<std::int64_t>(c.extent));
            std::int64_t const wanted = c.other >= 0 ? i.length(~static_cast<std::int64_t>(c.other)) : c.value;
            bool const ok = c.is == relation::at_most    ? is <= wanted
                            : c.is == relation::at_least ? is >= wanted
                            : c.is == relation::multiple ? is % wanted == 0
                            : c.other == -2              ? is != 0
                                                         : is == wanted;
            if (!ok) return false;
        }
    } catch (error const&) {
        return false;
    }
    return true;
}

}  // namespace oracle
