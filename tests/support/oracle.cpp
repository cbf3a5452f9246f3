// SPDX-License-Identifier: MIT
// How the oracle walks over a graph, and over the bodies of its calls.

#include "support/oracle.hpp"
#include "support/oracle_items.hpp"
#include "support/oracle_nodes.hpp"
#include "support/oracle_views.hpp"

#include <map>
#include <memory>

namespace oracle {
namespace {

/// A graph, or the body of a call.
struct graph_view {
    graph::list<graph::node> const* nodes;
    graph::list<graph::dims> const* shapes;
    graph::list<graph::run_time_extent> const* extents;
    graph::list<graph::call_info> const* calls;
    graph::list<graph::body> const* bodies;  ///< of the whole graph
    graph::constant_table const* constants;  ///< of the whole graph
    int shared = 0;                          ///< of a body: so many of its extents are its caller's

    explicit graph_view(graph::builder const& b)
        : nodes(&b.nodes), shapes(&b.shapes), extents(&b.extents), calls(&b.calls), bodies(&b.bodies),
          constants(&b.constants) {}
    graph_view(graph::body const& x, graph_view const& whole)
        : nodes(&x.nodes), shapes(&x.shapes), extents(&x.extents), calls(&x.calls), bodies(whole.bodies),
          constants(whole.constants), shared(x.shared) {}
};

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
                throw error("extent " + std::to_string(i) + " is " + std::to_string(is) +
                            ", which is not what the graph says");
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
        for (int j = 0; j < n.arity() && n.kind != node_kind::custom_loop; ++j)
            if (n.kind != node_kind::alias || j == 0) in.push_back(&value(n.in[j]));
        switch (n.kind) {
            case node_kind::argument: {
                array const& a = arguments.at(static_cast<std::size_t>(i));
                if (a.type != n.type || a.shape != s)
                    throw error("argument " + std::to_string(i) + " is " + text_of(a.shape) + ", not " + text_of(s));
                return {a};
            }
            case node_kind::constant: return {filled(n.type, {}, n.attr.number)};
            case node_kind::extent:
                return {filled(n.type, {}, static_cast<double>(length(~static_cast<std::int64_t>(n.source))))};
            case node_kind::blank: return {array(n.type, s)};
            case node_kind::table: {
                double const* const numbers = g_.constants->numbers_at(n.source);
                array y(n.type, s);
                for (std::size_t k = 0; k < y.size(); ++k)
                    if (is_real(n.type)) y.real[k] = numbers[k];
                    else y.whole[k] = static_cast<std::int64_t>(numbers[k]);
                return {y};
            }
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
            case node_kind::padded: return {padded(n, n.attr.shift() != 0 ? 0 : length(n.attr.offset), *in[0], s)};
            case node_kind::put: return {put(n, s)};
            case node_kind::alias: return {pick(*in[0], s, stretched(in[0]->shape, s))};
            case node_kind::custom_loop: return own(i, n, s);
        }
        throw error("a node of no kind");
    }

    places view(graph::node const& n, lengths const& from, lengths const& to) const {
        if (n.is_picked()) return picked(n, from, to);
        return view_of(n, n.is_slice() ? length(n.attr.offset) : 0, from, to);
    }
    /// Rows at an index across an axis: its axes stand where that one was.
    places picked(graph::node const& n, lengths const& from, lengths const& to) const {
        array const& index = value(n.in[1]);
        std::size_t const inner = static_cast<std::size_t>(n.attr.axes), axis = from.size() - 1 - inner;
        std::size_t inside = 1, outside = 1;
        for (std::size_t a = 0; a < axis; ++a) outside *= static_cast<std::size_t>(from[a]);
        for (std::size_t a = axis + 1; a < from.size(); ++a) inside *= static_cast<std::size_t>(from[a]);
        places r;
        for (std::size_t o = 0; o < outside; ++o)
            for (std::int64_t i : index.whole) {
                if (i < 0 || i >= from[axis]) throw error("an index that is out of range was not looked at");
                for (std::size_t k = 0; k < inside; ++k)
                    r.push_back((o * static_cast<std::size_t>(from[axis]) + static_cast<std::size_t>(i)) * inside + k);
            }
        if (r.size() != static_cast<std::size_t>(count(to))) throw error("rows that are " + text_of(to));
        return r;
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
        using graph::loop_role;
        if (n.op->role == loop_role::operands) return {};
        if (n.op->role == loop_role::call) return call(i, n);
        if (n.op->role == loop_role::result)
            return {
                reshaped(value_.at(static_cast<std::size_t>(n.in[0])).at(static_cast<std::size_t>(n.attr.offset)), s)};
        if (n.op->part > 0) {
            if (count(s) == 0) return {array(n.type, s)};  // there may be no item to have parts
            return {reshaped(value_.at(static_cast<std::size_t>(n.in[0])).at(static_cast<std::size_t>(n.op->part)), s)};
        }
        std::vector<array const*> in;
        std::vector<char> fixed;
        for (int j = 0; j < n.arity(); ++j) {
            in.push_back(&value(n.in[j]));
            fixed.push_back(g_.nodes->items[n.in[j]].kind == graph::node_kind::constant);
        }
        return each_item(n, n.item_axes, in, fixed, s);
    }
    // ---- calls -----------------------------------------------------------------------------------------------------

    void flatten(int id, std::vector<array>& to) const {
        graph::node const& n = g_.nodes->items[id];
        for (int j = 0; j < n.arity(); ++j) {
            graph::node const& o = g_.nodes->items[n.in[j]];
            if (o.kind == graph::node_kind::custom_loop && o.op->role == graph::loop_role::operands)
                flatten(n.in[j], to);
            else to.push_back(value(n.in[j]));
        }
    }
    /// Body b of a call, ready to run.
    interpreter& callee(int node, graph::call_info const& c, int b) {
        auto& known = callee_[2 * node + b];
        if (!known) {
            graph::body const& x = g_.bodies->items[c.body[b]];
            known =
                std::make_unique<interpreter>(graph_view(x, g_), [&](int outer, graph::run_time_extent const&) {
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
        if (graph::is_stepwise_call(c.form)) return steps(node, c, in);
        int b = 0;
        if (c.form == graph::call_form::either) {
            b = in.at(0).whole.at(0) == 0;
            in.erase(in.begin());
        }
        std::vector<array> const out = callee(node, c, b).run(in, g_.bodies->items[c.body[b]].outputs);
        std::vector<array> r;
        for (graph::call_result const& rule : c.results)
            r.push_back(rule.which < 0 ? array() : out.at(static_cast<std::size_t>(rule.which)));
        return r;
    }
    /// Carries from carries, an element of every sequence, and what is the same for all steps.
    std::vector<array> steps(int node, graph::call_info const& c, std::vector<array> operands) {
        using graph::call_form;
        using graph::result_form;
        std::int64_t const most = length(c.steps);
        std::int64_t n = most;
        if (c.form == call_form::counted) {
            n = operands.at(0).whole.at(0);
            operands.erase(operands.begin());
        }
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
                    if (s == 0) to = along(x, most + 1);
                    set_item(to, c.backwards ? n - s : s, x);
                }
        };
        record(0);
        no_steps(c, body, outputs, most, r);
        std::int64_t s = 0;
        for (; c.form == call_form::until ? in.at(0).whole.at(0) != 0 : s < n; ++s) {
            if (s == most) throw error("a loop that still goes on after " + std::to_string(most) + " steps");
            std::int64_t const t = c.backwards ? n - 1 - s : s;
            for (std::size_t j = carries; j < carries + sequences; ++j) {
                if (operands[j].shape.at(0) != most)
                    throw error("a sequence of " + std::to_string(operands[j].shape[0]) + " elements for " +
                                std::to_string(most) + " steps");
                in[j] = item(operands[j], t);
            }
            std::vector<array> const out = body.run(in, outputs);
            for (std::size_t k = 0; k < carries; ++k) in[k] = reshaped(out.at(k), in[k].shape);
            for (int k = 0; k < c.results.size(); ++k)
                if (graph::call_result const rule = c.results[k]; rule.form == result_form::stack && rule.which >= 0) {
                    array const& x = out.at(carries + static_cast<std::size_t>(rule.which));
                    array& to = r[static_cast<std::size_t>(k)];
                    if (s == 0) to = along(x, most);
                    set_item(to, t, x);
                }
            record(s + 1);
        }
        for (int k = 0; k < c.results.size(); ++k)
            if (graph::call_result const rule = c.results[k]; rule.form == result_form::last && rule.which >= 0)
                r[static_cast<std::size_t>(k)] = in.at(static_cast<std::size_t>(rule.which));
            else if (rule.form == result_form::count) {
                r[static_cast<std::size_t>(k)] = array(dtype::i32, {});
                r[static_cast<std::size_t>(k)].whole.at(0) = s;
            }
        return r;
    }
    /// Without a step nothing is stacked.
    static void no_steps(graph::call_info const& c, interpreter const& body, graph::list<int> const& outputs,
                         std::int64_t most, std::vector<array>& r) {
        for (int k = 0; k < c.results.size(); ++k)
            if (graph::call_result const rule = c.results[k];
                rule.form == graph::result_form::stack && rule.which >= 0) {
                graph::node const& o = body.g_.nodes->items[outputs[c.carries + rule.which]];
                lengths s = body.shape(o.shape);
                s.insert(s.begin(), most);
                r[static_cast<std::size_t>(k)] = array(o.type, s);
            }
    }
};

}  // namespace

std::vector<array> evaluate(graph::traced const& t, std::vector<array> const& arguments) {
    interpreter i(graph_view(t.graph), [&](int, graph::run_time_extent const& x) {
        return arguments.at(static_cast<std::size_t>(x.leaf)).shape.at(static_cast<std::size_t>(x.axis));
    });
    return i.run(arguments, t.outputs);
}

bool takes(graph::traced const& t, std::vector<array> const& arguments) {
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
    } catch (error const&) { return false; }
    return true;
}

}  // namespace oracle
