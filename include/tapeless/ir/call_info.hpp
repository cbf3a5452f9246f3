// SPDX-License-Identifier: MIT
#pragma once
// Calls of bodies, and bodies: graphs of their own.

#include <cstdint>

#include <tapeless/base/list.hpp>
#include <tapeless/ir/checks.hpp>
#include <tapeless/ir/extent_table.hpp>
#include <tapeless/ir/node.hpp>

namespace tapeless::detail::inline ir_part {

/// A value that a later operation makes as well, in the sweep that makes other things too.
struct made_again {
    int value = -1, by = -1;
};

/// How a call runs its body.
enum class call_form : std::uint8_t {
    once,    ///< results from operands
    either,  ///< the first operand, an integer, chooses one of two bodies
    loop,    ///< step by step: carries from carries, an element of every sequence, and what is the same for all steps
    until,   ///< the same as long as the first carry, an integer, is not 0: no more steps than it has
    counted, ///< the same for as many steps as the first operand, an integer, says: no more than it has
    /// once; the result solves an equation, the second body, and is differentiated by that (graph/implicit.hpp)
    implicit,
};
/// Whether a call goes step by step.
constexpr bool is_stepwise_call(call_form f) {
    return f == call_form::loop || f == call_form::until || f == call_form::counted;
}
/// Operands that say how a call runs: they come before those of its bodies.
constexpr int steering_operands(call_form f) { return f == call_form::either || f == call_form::counted; }
constexpr int bodies_of(call_form f) { return f == call_form::either ? 2 : 1; }
/// The steps of a loop that may go on for ever: nothing of it can be recorded.
inline constexpr std::int64_t unbounded_steps = std::int64_t{1} << 62;
/// What a result of a call is made of.
enum class result_form : std::uint8_t {
    plain,   ///< an output of the body
    last,    ///< a carry after the last step
    record,  ///< a carry before every step and after the last one; steps that run backwards fill it from its end
    stack,   ///< an output of the body after the carries, one element a step
    count,   ///< how many steps there were
};
constexpr bool is_of_carry(result_form f) { return f == result_form::last || f == result_form::record; }
constexpr bool is_of_output(result_form f) { return f == result_form::plain || f == result_form::stack; }
struct call_result {
    result_form form = result_form::plain;
    int which = 0;
    constexpr bool operator==(call_result const&) const = default;
};
struct builder;
/// Emits the solution of a linear system.
using linear_solver = int(builder& b, int matrix, int right, std::int64_t flags);
/// The same where the matrix is dr/dx, of which nothing is known but its products.
using product_solver = int(builder& b, int r, int x, int right, std::int64_t flags);
/// How the linear system of an implicit function's derivatives is solved.
struct system_solver {
    bool lanewise = false;        ///< each element of the equation depends on that element of the unknown alone
    bool without_matrix = false;  ///< or there is to be no matrix, only products with it
    linear_solver* solver = nullptr;
    product_solver* products = nullptr;
};

/// What a call does, but for its lists. Operands of a loop are the first carries, then sequences along a first axis,
/// then constants. A record or stack of a loop that ended early holds nothing beyond its steps, and only loops with
/// that count read it; but a stack of a counted loop has zeros after its last element: what is stacked may be
/// cotangents of a record, which has one element more.
struct call_header : system_solver {
    char const* name = "";
    call_form form = call_form::once;
    int body[2]{-1, -1};
    int carries = 0, sequences = 0;
    bool backwards = false;
    std::int64_t steps = 1;  ///< an extent; of two bodies: 0 where lengths alone say that the second one is run
    int item_axes = 0;       ///< of an implicit function: the second body is for one item along so many leading axes
};
/// The call of a body.
struct call_info : call_header {
    list<call_result> results;
    /// of an implicit function's operands: the item axes they have, the first in the lowest bit
    list<int> leads;
    /// of each body, one after the other, when all passes are done: what its run-time extents are here
    list<std::int64_t> extents;

    constexpr call_header const& header() const { return *this; }
    constexpr bool operator==(call_info const& o) const {
        bool same = form == o.form && body[0] == o.body[0] && body[1] == o.body[1] && carries == o.carries &&
                    sequences == o.sequences && backwards == o.backwards && steps == o.steps &&
                    item_axes == o.item_axes && lanewise == o.lanewise && without_matrix == o.without_matrix &&
                    results.size() == o.results.size() &&
                    extents.size() == o.extents.size() && leads.size() == o.leads.size();
        for (int i = 0; same && i < leads.size(); ++i) same = leads.items[i] == o.leads.items[i];
        for (int i = 0; same && i < results.size(); ++i) same = results.items[i] == o.results.items[i];
        for (int i = 0; same && i < extents.size(); ++i) same = extents.items[i] == o.extents.items[i];
        return same;
    }
};
/// A graph that calls run: its nodes begin with its arguments. The first `shared` of its run-time extents are those
/// of the graph it was cut out of, under the same numbers.
struct body {
    int inputs = 0, shared = 0;
    list<node> nodes;
    list<dims> shapes;
    list<run_time_extent> extents;
    list<index_check> index_checks;
    list<made_again> remade;
    list<call_info> calls;
    list<int> outputs, output_shape;
    list<std::int64_t> output_axes;
    list<char> dense;  ///< of each input: contiguous for certain; empty: all are
    list<char> steady;  ///< of each input: the same array in all steps; empty: none is known to be
};

}  // namespace tapeless::detail::ir_part
