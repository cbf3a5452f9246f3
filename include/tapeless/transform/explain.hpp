// SPDX-License-Identifier: MIT
#pragma once
// explain: the plan of a call as text for people. to_dot: its graph for Graphviz.

#include <tapeless/transform/explainer.hpp>

namespace tapeless {
namespace detail::inline transform_part {

/// "product (64 x 784) x (784 x 128), tiles of 4 x 12", its operands, and where it is written; adds to the flops.
template <class Text>
Text product_text(explainer<Text> const& e, kernel const& k, product const& p, place const& to, double& flops) {
    auto extent = [&](dims const& d, int from, int end) {
        std::int64_t n = 1;
        for (int a = from; a < end; ++a) n *= e.length(d.extent[a]);
        return n;
    };
    std::int64_t batch = extent(k.shape, 0, k.group[k.axes - 2]),
                 m = extent(k.shape, k.group[k.axes - 2], k.group[k.axes - 1]),
                 n = extent(k.shape, k.group[k.axes - 1], k.shape.rank),
                 depth = extent(p.depth_shape, 0, p.depth_shape.rank);
    flops +=
        2.0 * static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(depth);
    Text s = "  product  ";
    if (batch != 1) s += std::to_string(batch) + " times ";
    s += "(" + std::to_string(m) + " x " + std::to_string(depth) + ") x (" + std::to_string(depth) + " x " +
         std::to_string(n) + "), tiles of " + std::to_string(p.rows) + " x " +
         std::to_string(p.batches * lanes_of(p.type)) + "\n";
    s += "  left     " + place_text(e, p.left) + "\n  right    " + place_text(e, p.right) +
         (p.stays_packed ? ", packed in the first step\n" : p.packed_before ? ", packed before\n" : "\n");
    if (to.where != memory::panel) s += "  writes   " + place_text(e, to) + ": the product\n";
    return s;
}

/// "gather, a loop of its own over (64, 10)", its operands, and where the result goes.
template <class Text>
Text loop_text(explainer<Text> const& e, kernel const& k, planned_loop const& c) {
    Text s = Text(c.op->name) + ", a loop of its own over " + e.shape(k.shape) + "\n";
    double bytes = 0;
    std::int64_t elements = 0;
    for (int j = 0; j < c.operands; ++j) {
        s += "  reads    " +
             (c.in[j].constant ? "the number " + e.number(c.in[j].number) : place_text(e, c.in[j].at)) + "\n";
        elements += e.size(c.in[j].shape);
        if (!c.in[j].constant)
            bytes += static_cast<double>(e.size(e.shape_of(c.in[j].at.node)) * size_of(c.in[j].at.type));
    }
    if (c.op->is_finished) {
        loop_operand const& added = c.in[c.operands - 1];
        s += "  computes";
        if (c.op->pools_results) s += " max_pool";
        if (!added.constant || added.number != 0) s += " add";
        s += std::string(c.attr.rectifies() ? " relu" : "") + " in its write-back\n";
    }
    for (int j = 0; j < c.parts; ++j) {
        if (!c.wanted[j]) continue;
        s += "  writes   " + place_text(e, c.out[j].at) + "\n";
        bytes += static_cast<double>(e.size(c.out[j].shape) * size_of(c.out[j].at.type));
        elements += e.size(c.out[j].shape);
    }
    s += "  about    " + e.bytes(bytes) + "\n";
    if (c.cut.least > 0 && elements >= c.cut.least)
        s += std::string("  threads  share ") + (c.item_axes > 0 ? "items" : "the first axis") + "\n";
    return s;
}

template <class Program>
std::string explain_program(std::int64_t const* extents);

/// Whether a value is a product, or a few steps from one.
template <class Text>
bool is_of_product(explainer<Text> const& e, int id, int steps = 4) {
    node const& n = e.at(id);
    bool found = n.kind == node_kind::contract;
    if (n.kind == node_kind::elementwise || n.is_axes_view())
        for (int j = 0; j < n.arity() && steps > 0 && !found; ++j) found = is_of_product(e, n.in[j], steps - 1);
    return found;
}

/// "scan, 100 steps of a body", its operands and results, and what the body does.
template <class Program, int C>
std::string call_text(explainer<std::string> const& e, std::int64_t const* extents) {
    constexpr planned_call c = Program::calls[C];
    std::string s = std::string(c.name) + ", ";
    if constexpr (is_stepwise_call(c.form))
        s += (c.steps == unbounded_steps       ? std::string("any number of")
              : c.form != call_form::loop ? "at most " + std::to_string(e.length(c.steps))
                                          : std::to_string(e.length(c.steps))) +
             " steps" + (c.backwards ? " backwards" : "") + " of a body\n";
    else s += c.form == call_form::either ? "one of two bodies\n" : "a body\n";
    for (int j = 0; j < c.operands; ++j) {
        place const& p = Program::call_operands[c.first_operand + j].at;
        int const k = j - steering_operands(c.form);
        bool const hoisted = c.form == call_form::loop && k >= c.carries && k < c.carries + c.sequences &&
                             p.where == memory::buffer && is_of_product(e, p.node);
        s += "  reads    " + place_text(e, p) + (hoisted ? ", products of all steps\n" : "\n");
    }
    for (int r = 0; r < c.results; ++r)
        s += "  writes   " + place_text(e, Program::call_results[c.first_result + r].to.at) + "\n";
    auto add = [&](char const* title, std::string const& text) {
        s += title;
        for (std::size_t i = 0; i + 1 < text.size(); ++i) s += text[i] == '\n' ? "\n    " : std::string(1, text[i]);
        s += "\n";
    };
    add("  body     ", explain_program<callee<Program, C, 0>>(callee_extents<Program, C, 0>(extents).value));
    if constexpr (c.form == call_form::either)
        add("  or       ", explain_program<callee<Program, C, 1>>(callee_extents<Program, C, 1>(extents).value));
    return s;
}
/// Call c of a program.
template <class Program>
std::string any_call_text(int c, explainer<std::string> const& e, std::int64_t const* extents) {
    std::string s;
    Program::each_call([&](auto i) {
        if (i.i == c) s = call_text<Program, i.i>(e, extents);
        return true;
    });
    return s;
}

/// The graph and the plan with their operations.
template <class Program>
struct in_full {
    static constexpr auto graph = Program::all_graphs::template graph<Program::number>();
    static constexpr auto plan = Program::fix_plan();
};

/// What is beyond the bounds of what is read.
template <class Plan>
std::string around_text(Plan const& plan, int bounds, place const& p) {
    if (bounds < 0 && p.margin == 0) return "";
    for (int b = bounds; b >= 0; b = plan.bounds[b].rest)
        if (plan.bounds[b].wraps >= 0) return " end to end";
    return " between zeros";
}
/// " at argument 1 int32(50)" of elements that an index picks.
template <class Text, class Plan>
Text picked_text(explainer<Text> const& e, Plan const& plan, kernel const& k, place const& p) {
    return p.picked < 0 ? Text() : Text(" at ") + place_text(e, plan.places[k.first_place + p.picked]);
}
/// "loop over (64, 10), as 64 x 10, 4 x 4 at a time", what it reads, computes and writes, and about how much that is.
template <class Program>
std::string loops_text(explainer<std::string> const& e, kernel const& k) {
    auto const& plan = in_full<Program>::plan;
    std::string s = "loop over " + e.shape(k.shape);
    if (k.axes > 0) {
        s += ", as ";
        for (int l = 0; l < k.axes; ++l) {
            std::int64_t n = 1;
            for (int a = k.group[l]; a < k.group[l + 1]; ++a) n *= e.length(k.shape.extent[a]);
            s += (l ? " x " : "") + std::to_string(n);
        }
        s += ", " + std::to_string(k.rows_at_once) + " x " + std::to_string(k.unroll * k.lanes) + " at a time";
    }
    if (k.phases > 1) s += ", " + std::to_string(k.phases) + " phases a row";
    int seldom = 0;
    for (int p = 0; p < k.phases; ++p) seldom += k.guard[p].size() > 0;
    if (seldom > 0) s += ", " + std::to_string(seldom) + " of them where the extreme is";
    s += "\n";
    double flops = 0, bytes = 0;
    for (int j = 0; j < k.steps; ++j) {
        step const& t = plan.steps[k.first_step + j];
        std::int64_t n = 1;
        for (int l = 0; l < k.axes; ++l)
            for (int a = k.group[l]; a < k.group[l + 1] && (t.varies >> l & 1); ++a) n *= e.length(k.shape.extent[a]);
        if (t.kind == step_kind::eval) flops += static_cast<double>(n);
    }
    for (int j = 0; j < k.roots; ++j)
        if (plan.roots[k.first_root + j].combine != combination::none) flops += static_cast<double>(e.size(k.shape));
    std::string reads, computes, writes;
    if (k.product >= 0)
        reads += product_text(e, k, plan.products[k.product], plan.places[k.first_place + plan.products[k.product].to],
                              flops);
    if (!k.loops) return s + reads + "  about    " + std::to_string(static_cast<long long>(flops)) + " flops\n";
    if (k.product >= 0) reads += "  in its write-back:\n";
    for (int j = 0; j < k.steps; ++j) {
        step const& t = plan.steps[k.first_step + j];
        if (t.kind == step_kind::load) {
            place const& p = plan.places[k.first_place + t.place];
            reads += "  reads    " + place_text(e, p) + picked_text(e, plan, k, p) + around_text(plan, t.bounds, p) +
                     "\n";
            bytes += static_cast<double>(e.size(e.shape_of(p.node)) * size_of(p.type));
        } else if (t.kind == step_kind::eval) {
            computes += (computes.empty() ? "" : " ") + std::string(t.op->name);
        }
    }
    char const* how[] = {"stored", "one number a row", "one number in all", "partial sums", "column by column"};
    for (int j = 0; j < k.roots; ++j) {
        root const& r = plan.roots[k.first_root + j];
        std::string what = r.combine == combination::none ? std::string("values") : std::string(e.at(r.node).op->name);
        if (r.place < 0 && k.product >= 0 && r.node == plan.products[k.product].node) continue;
        if (r.place < 0) {
            writes += "  keeps    " + what + ", " + how[static_cast<int>(r.how)] + "\n";
            continue;
        }
        place const& p = plan.places[k.first_place + r.place];
        writes += "  writes   " + place_text(e, p) + picked_text(e, plan, k, p) + ": " + what + ", " +
                  how[static_cast<int>(r.how)];
        writes += p.margin > 0 ? ", " + std::to_string(p.margin) + " zeros around its rows\n" : "\n";
        bytes += static_cast<double>(e.size(e.shape_of(p.node)) * size_of(p.type));
    }
    s += reads + "  computes " + computes + "\n" + writes;
    return s + "  about    " + std::to_string(static_cast<long long>(flops)) + " flops, " + e.bytes(bytes) +
           "\n";
}

/// "threads share loop 0, 1000 long, in 31 pieces": which loop of a kernel several threads would share.
template <class Text>
Text threads_text(explainer<Text> const& e, kernel const& k, product const* p) {
    std::int64_t extent[max_rank], depth = p ? 1 : 0;
    for (int l = 0; l < k.axes; ++l) {
        extent[l] = 1;
        for (int a = k.group[l]; a < k.group[l + 1]; ++a) extent[l] *= e.length(k.shape.extent[a]);
    }
    for (int a = 0; p && a < p->depth_shape.rank; ++a) depth *= e.length(p->depth_shape.extent[a]);
    pieces const c = cut_loops(k, extent, depth, most_threads);
    if (c.axis < 0) return "";
    Text s = "  threads  share ";
    bool const is_rows = k.axes > 1 && c.axis == k.axes - 2;
    if (is_rows && !(k.summed >> c.axis & 1) && is_batch_loop(k, k.axes - 3)) s += "matrices and ";
    s += is_rows ? "rows" : "loop " + std::to_string(c.axis);
    if (c.across > 1) s += " and columns";
    s += ", " + std::to_string(extent[c.axis]) + " long";
    if (k.summed >> c.axis & 1) s += ", in " + std::to_string(c.count) + " pieces, whose sums are added up in order";
    return s + "\n";
}

/// Of each kernel, which one came closest to taking what it was opened for. Kernels are chosen once more to find that
/// out, so that programs that explain nothing have nothing of it.
template <class Program>
constexpr fixed_list<refused_by, Program::plan_size.kernels> closest_kernels() {
    fixed_list<refused_by, Program::plan_size.kernels> r;
    r.take(find_refusals(Program::rebuild(), Program::output_list()));
    return r;
}

template <class Program>
std::string explain_program(std::int64_t const* extents) {
    auto const& plan = in_full<Program>::plan;
    static constexpr auto closest = closest_kernels<Program>();
    explainer<std::string> e(in_full<Program>::graph.nodes.items, Program::graph.shapes.items, extents,
                argument_names<typename Program::source>());
    std::string s = std::to_string(Program::plan_size.kernels) +
                    (Program::plan_size.kernels == 1 ? " kernel" : " kernels") + ", workspace " +
                    e.bytes(static_cast<double>(Program::make_layout(extents).bytes)) + "\n";
    for (int i = 0; i < Program::plan_size.kernels; ++i) {
        kernel const& k = plan.kernels[i];
        s += "kernel " + std::to_string(i) + ": ";
        if (k.custom >= 0) s += loop_text(e, k, plan.custom_loops[k.custom]);
        else if (k.call >= 0) s += any_call_text<Program>(k.call, e, extents);
        else s += loops_text<Program>(e, k) + threads_text(e, k, k.product >= 0 ? &plan.products[k.product] : nullptr);
        if (k.triangle) s += "  triangle in each row from the diagonal on\n";
        if (k.strip > 0)
            s += "  strips   of " + std::to_string(k.strip) +
                 (k.strip_items == 0 ? "" : k.strip == 1 ? " item" : " items") + ", together with kernels " +
                 std::to_string(k.first_in_strip) + " to " + std::to_string(k.last_in_strip) + "\n";
        if (refused_by const& c = closest[i]; c.kernel >= 0)
            s += "  not in kernel " + std::to_string(c.kernel) + ": " + text_of(c.why) + "\n";
    }
    return s;
}

template <class Program>
std::string dot_of_program(std::int64_t const* extents) {
    auto const& g = in_full<Program>::graph;
    explainer<std::string> e(g.nodes.items, g.shapes.items, extents, argument_names<typename Program::source>());
    list<char> live(Program::graph_size.nodes, 0);
    for (int o : g.outputs) live[o] = 1;
    for (int i = Program::graph_size.nodes - 1; i >= 0; --i)
        for (int j = 0; j < g.nodes[i].arity() && live[i]; ++j) live[g.nodes[i].in[j]] = 1;
    std::string s = "digraph tapeless {\n  node [shape=box, fontname=\"sans-serif\"];\n";
    for (int i = 0; i < Program::graph_size.nodes; ++i) {
        if (!live[i]) continue;
        node const& n = g.nodes[i];
        s += "  n" + std::to_string(i) + " [label=\"" + e.node_name(i) + "\\n" + name_of(n.type) +
             e.shape(e.shape_of(i)) + "\"" +
             (n.kind == node_kind::argument ? ", style=filled, fillcolor=lightblue"
              : n.kind == node_kind::reduce ? ", shape=invtrapezium"
                                            : "") +
             "];\n";
        for (int j = 0; j < n.arity(); ++j) s += "  n" + std::to_string(n.in[j]) + " -> n" + std::to_string(i) + ";\n";
    }
    for (int o = 0; o < g.outputs.size(); ++o)
        s += "  r" + std::to_string(o) + " [label=\"result " + std::to_string(o) +
             "\", shape=ellipse, style=filled, fillcolor=lightgrey];\n  n" + std::to_string(g.outputs[o]) + " -> r" +
             std::to_string(o) + ";\n";
    return s + "}\n";
}

template <class Callable, class Fn, class... A>
std::string with_extents(Callable const&, Fn const& fn, A const&... a) {
    if constexpr (!accepts(Callable::allowed::template why_not_called<A...>())) return {};
    else return Callable::with_program([&]<class P>(std::type_identity<P>) {
        handover<P> h;
        take_arguments(h, a...);
        return fn.template operator()<P>(h.extent);
    }, a...);
}
}  // namespace detail::transform_part

/// What a call of c with these arguments does: each kernel, its loop, what it reads, computes and writes.
template <class C, class... A>
std::string explain(C const& c, A const&... a) {
    return detail::with_extents(c, []<class P>(std::int64_t const* e) { return detail::explain_program<P>(e); }, a...);
}

/// The graph of a call, forward and backward together, as Graphviz text.
template <class C, class... A>
std::string to_dot(C const& c, A const&... a) {
    return detail::with_extents(c, []<class P>(std::int64_t const* e) { return detail::dot_of_program<P>(e); }, a...);
}

}  // namespace tapeless
