// SPDX-License-Identifier: MIT
#pragma once
// Where a large program is cut into segments that become kernels: where few values cross. Steps that are written out
// one after the other are so cut at the same place of each, and their kernels are one piece of code.

#include <tapeless/schedule/graph_to_plan.hpp>
#include <tapeless/schedule/machine.hpp>

namespace tapeless::detail::inline schedule_part {

class segment_cutter {
public:
    list<int> segment;  ///< of each node
    bool is_cut = false;

    constexpr segment_cutter(graph_to_plan const& p, list<char> const& live, bool is_body)
        : segment(p.g.nodes.size(), 0), p_(p), live_(live), number_(p.g.nodes.size(), 0) {
        for (int i = 0; i < p.g.nodes.size(); ++i) {
            if (live.items[i] && p.computes(p.at(i))) computed_.push(i);
            number_.items[i] = computed_.size();
        }
        bool const is_large = computed_.size() > machine::kernel_cap, waits = steps_wait();
        is_cut = waits || (is_large && !is_body);
        if (!is_cut) return;
        find_crossings();
        list<int> const last = find_ends(waits ? machine::segment_steps : machine::large_program_cap,
                                         !is_large ? machine::kernel_cap
                                         : is_body ? machine::segment_length
                                                   : machine::large_program_cap);
        for (int i = 0, s = 0; i < p.g.nodes.size(); ++i) {
            while (s < last.size() && number_.items[i] > last.items[s]) ++s;
            segment.items[i] = s;
        }
    }

private:
    graph_to_plan const& p_;
    list<char> const& live_;
    list<int> number_;    ///< of each node, how many are computed up to it
    list<int> computed_;  ///< these
    list<int> crossing_;  ///< of each of them, how many values a cut behind it would cross

    /// Whether most of what is computed waits for what is computed before it, element by element. Otherwise one kernel
    /// is as fast, and leaves less in memory. (What is shifted is in memory anyway: kernels end there.)
    constexpr bool steps_wait() const {
        list<int> depth(p_.g.nodes.size(), 0);
        int longest = 0, all = 0, count = 0;
        for (int i = 0; i < p_.g.nodes.size(); ++i)
            if (live_.items[i] && p_.at(i).kind == node_kind::padded) return false;
        for (int i : computed_) {
            dims const& shape = p_.g.shape_of(i);
            if (shape.is_static() && shape.static_size() <= machine::few_elements) continue;
            ++count;
            int& d = depth.items[i];
            for (int j = 0; j < p_.at(i).arity(); ++j)
                if (int const t = p_.source(p_.at(i).in[j]); depth.items[t] > d) d = depth.items[t];
            int const cost = p_.at(i).op->cost;
            d += cost;
            all += cost;
            longest = d > longest ? d : longest;
        }
        return count > machine::cut_from && longest * machine::waiting > 2 * all;
    }
    /// Of each shape, whether an array of it is read or written anyway: others may be larger than all that are.
    constexpr list<char> find_in_memory() const {
        list<char> r(p_.g.shapes.size(), 0);
        for (int i = 0; i < p_.g.nodes.size(); ++i) {
            bool const given = p_.at(i).kind == node_kind::argument;
            if (live_.items[i] && (given || p_.is_output(i))) r.items[p_.at(i).shape] = 1;
        }
        return r;
    }
    /// What is needed soon counts: what is needed much later is stored wherever the cuts are.
    constexpr void find_crossings() {
        int const n = computed_.size();
        list<int> soon(p_.g.nodes.size(), 0);  // the last of those computed soon after a node that need it
        for (int i = 0; i < p_.g.nodes.size(); ++i)
            for (int j = 0; live_.items[i] && j < p_.at(i).arity(); ++j) {
                int const t = p_.source(p_.at(i).in[j]);
                if (number_.items[i] - number_.items[t] <= machine::soon_after_cut) soon.items[t] = number_.items[i];
            }
        list<int> change(n + 2, 0);
        list<char> const in_memory = find_in_memory();
        for (int i : computed_) {
            if (soon.items[i] == 0 || soon.items[i] == number_.items[i]) continue;
            int const weight = in_memory.items[p_.at(i).shape] ? 1 : machine::few_crossing + 1;
            change.items[number_.items[i]] += weight;
            change.items[soon.items[i]] -= weight;
        }
        for (int c = 0, now = 0; c <= n; ++c) crossing_.push(now += change.items[c]);
    }

    /// Of each segment, how many are computed up to its end: the place up to a good length that the fewest values
    /// cross, or a later one where too many do.
    constexpr list<int> find_ends(int good, int most) const {
        list<int> ends, seen(p_.g.nodes.size(), -1);
        for (int begin = 0;;) {
            int steps = 0, best = -1, c = begin;
            for (; c < computed_.size(); ++c) {
                int const i = computed_.items[c];
                ++steps;
                for (int j = 0; j < p_.at(i).arity(); ++j) {
                    int const t = p_.source(p_.at(i).in[j]);
                    bool const inside = p_.computes(p_.at(t)) && number_.items[t] > begin;
                    if (inside || seen.items[t] == begin) continue;
                    seen.items[t] = begin;
                    ++steps;  // it is read
                }
                bool const few = best >= 0 && crossing_.items[best] <= machine::few_crossing;
                if (steps > (few ? good : most)) break;
                bool const fewer = best < 0 || crossing_.items[c + 1] <= crossing_.items[best];
                if (fewer && steps > good - machine::shorter_to_cross) best = c + 1;
            }
            if (c == computed_.size()) return ends;
            begin = best > begin ? best : c > begin ? c : begin + 1;
            ends.push(begin);
        }
    }
};

}  // namespace tapeless::detail::schedule_part
