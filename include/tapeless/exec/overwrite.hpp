// SPDX-License-Identifier: MIT
#pragma once
// Results written over arguments: in place where every element is read before it is written, otherwise by way of the workspace.

#include <string>

#include <tapeless/core/errors.hpp>
#include <tapeless/core/overlap.hpp>
#include <tapeless/exec/program.hpp>

namespace tapeless::detail {

/// What may be written over what in a program.
template <class Program>
struct overwrite {
    static constexpr int leaves = Program::leaves, outputs = Program::graph_size.outputs;
    using numbers = fixed_list<int, leaves + outputs>;

    /// The last kernel that reads each argument, then the first that writes each result.
    static constexpr numbers find_uses() {
        numbers r;
        for (int& k : r.items) k = -1;
        auto const& plan = Program::plan;
        int now = 0;
        auto reads = [&](place const& p) {
            if (p.where == memory::argument && r[p.index] < now) r[p.index] = now;
        };
        auto writes = [&](place const& p) {
            if (p.where == memory::output && r[leaves + p.index] < 0) r[leaves + p.index] = now;
        };
        for (; now < plan.kernels.size(); ++now) {
            kernel const& k = plan.kernels[now];
            if (k.own >= 0) {
                own_call const& c = plan.owns[k.own];
                for (int j = 0; j < c.operands; ++j)
                    if (!c.in[j].constant) reads(c.in[j].at);
                for (int j = 0; j < c.parts; ++j)
                    if (c.wanted[j]) writes(c.out[j].at);
            } else if (k.call >= 0) {
                planned_call const& c = plan.calls[k.call];
                for (int j = 0; j < c.operands; ++j)
                    if (own_operand const& o = plan.call_operands[c.first_operand + j]; !o.constant) reads(o.at);
                for (int j = 0; j < c.results; ++j) writes(plan.call_results[c.first_result + j].to.at);
            } else {
                for (int p = 0; p < k.places; ++p) reads(plan.places[k.first_place + p]);
                for (int i = 0; i < k.roots; ++i)
                    if (int const p = plan.roots[k.first_root + i].place; p >= 0) writes(plan.places[k.first_place + p]);
                if (k.product >= 0) {
                    product const& m = plan.products[k.product];
                    reads(m.left);
                    reads(m.right);
                    writes(plan.places[k.first_place + m.to]);
                }
            }
        }
        for (planned_check const& c : plan.index_checks) {
            now = c.before;
            reads(c.index.at);
            if (c.by_row) reads(c.lengths.at);
        }
        return r;
    }
    static constexpr numbers uses = find_uses();

    /// Whether result o may have argument l's own elements for its own: each is read before it is written, and not again.
    static bool in_place(int l, int o) {
        int const read = uses[l], written = uses[leaves + o];
        return read < written || written < 0 || (read == written && goes_in_step(Program::kernels[read], l, o));
    }
    static bool goes_in_step(kernel const& k, int l, int o) {
        if (k.own >= 0 || k.call >= 0) return false;
        auto is = [](place const& p, memory where, int index) { return p.where == where && p.index == index; };
        place const* const places = Program::places.items + k.first_place;
        if (k.product >= 0) {
            product const& m = Program::products[k.product];
            if (is(m.left, memory::argument, l) || is(m.right, memory::argument, l) || is(places[m.to], memory::output, o)) return false;
        }
        for (int i = 0; i < k.roots; ++i) {
            root const& r = Program::roots[k.first_root + i];
            if (r.place < 0 || !is(places[r.place], memory::output, o)) continue;
            if (r.how != target::store || r.adds || r.clears) return false;
            for (int j = 0; j < k.steps; ++j) {
                step const& s = Program::steps[k.first_step + j];
                if (s.kind != step_kind::load || !is(places[s.place], memory::argument, l)) continue;
                if (!walk_alike(places[r.place], places[s.place])) return false;
                for (int p = r.slot + 1; p < k.phases; ++p)  // later in the row
                    for (int q = k.column[p].begin; q < k.inner[p].end; ++q)
                        if (Program::order[q] == j) return false;
            }
        }
        return true;
    }
    static bool walk_alike(place const& a, place const& b) {
        bool same = a.shape == b.shape && a.walk == b.walk && a.map == b.map;
        for (int l = 0; l < max_rank; ++l) same = same && a.step[l] == b.step[l];
        return same;
    }

    /// Sizes of elements, and whether arrays are contiguous for certain: of the arguments, then of the results.
    static constexpr auto find_sizes() {
        fixed_list<int, leaves + outputs> r;
        auto size = [](int node) {
            dtype const t = Program::graph.nodes[node].type;
            return size_of(is_mask(t) ? dtype::b8 : t);
        };
        for (int l = 0; l < leaves; ++l) r[l] = size(l);
        for (int o = 0; o < outputs; ++o) r[leaves + o] = size(Program::graph.outputs[o]);
        return r;
    }
    static constexpr auto sizes = find_sizes();
    static constexpr auto dense = fix<leaves + outputs>(Program::source::dense());
};

/// An array of this shape, with these strides in elements; without any it is contiguous.
inline byte_array describe_array(void* data, int element, dims const& d, std::int64_t const* extents, std::ptrdiff_t const* strides) {
    byte_array a;
    a.at.data = data;
    a.at.rank = d.rank;
    a.element = element;
    std::ptrdiff_t dense = element;
    for (int k = 0; k < d.rank; ++k) {
        a.at.extent[k] = d.from_right(k) >= 0 ? d.from_right(k) : extents[~d.from_right(k)];
        a.at.stride[k] = strides ? strides[k] * element : dense;
        dense *= a.at.extent[k];
    }
    return a;
}

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_alias_error(int first, int second) {
    throw alias_error("into: targets " + std::to_string(first) + " and " + std::to_string(second) +
                      " have memory in common; arrays are counted one by one, the members of a struct in order");
}

/// Runs a program whose results from number `first` on are targets that somebody else holds. `spare` grows where one of them lies
/// over an argument that is still to be read.
template <class Program>
void run_over(workspace& memory, workspace& spare, void const* const* arguments, void** outputs, std::int64_t const* extents,
              std::ptrdiff_t (*strides)[max_rank], int first) {
    using over = overwrite<Program>;
    constexpr int leaves = over::leaves, count = over::outputs;
    byte_array all[static_cast<std::size_t>(leaves + count > 0 ? leaves + count : 1)];
    auto row = [&](int i) -> std::ptrdiff_t const* {
        if constexpr (Program::has_strided) return over::dense[i] ? nullptr : strides[i];
        else return nullptr;
    };
    for (int l = 0; l < leaves; ++l)
        all[l] = describe_array(const_cast<void*>(arguments[l]), over::sizes[l], Program::shapes[Program::leaf_shape[l]], extents, row(l));
    byte_array* const target = all + leaves;
    bool elsewhere[static_cast<std::size_t>(count > 0 ? count : 1)]{};
    std::int64_t bytes = 0;
    for (int o = first; o < count; ++o) {
        int const i = leaves + o;
        target[o] = describe_array(outputs[o], over::sizes[i], Program::shapes[Program::output_shape[o]], extents, row(i));
        for (int other = first; other < o; ++other)
            if (meet(target[o], target[other])) throw_alias_error(other - first, o - first);
        for (int l = 0; l < leaves && !elsewhere[o]; ++l)
            elsewhere[o] = meet(target[o], all[l]) && !(are_same(target[o], all[l]) && over::in_place(l, o));
        if (elsewhere[o]) bytes += (target[o].at.size() * target[o].element + 63) / 64 * 64;
    }
    if (bytes == 0) return Program::run(memory, arguments, outputs, extents, strides);
    std::byte* room = spare.reserve(static_cast<std::size_t>(bytes));
    for (int o = first; o < count; ++o)
        if (elsewhere[o]) {
            outputs[o] = room;
            room += (target[o].at.size() * target[o].element + 63) / 64 * 64;
            if constexpr (Program::has_strided) {
                std::ptrdiff_t stride = 1;
                for (int k = 0; k < target[o].at.rank; stride *= target[o].at.extent[k++]) strides[leaves + o][k] = stride;
            }
        }
    Program::run(memory, arguments, outputs, extents, strides);
    for (int o = first; o < count; ++o)
        if (elsewhere[o])
            copy_elements(describe_array(outputs[o], target[o].element, Program::shapes[Program::output_shape[o]], extents, nullptr),
                          target[o]);
}

}  // namespace tapeless::detail
