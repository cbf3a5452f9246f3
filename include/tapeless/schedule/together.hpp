// SPDX-License-Identifier: MIT
#pragma once
// Products of matrices of one batch come next to one another, as far as what is between them allows: then they can run
// matrix by matrix, and what one leaves for another is in the cache (schedule/strips.hpp).

#include <tapeless/schedule/group.hpp>

namespace tapeless::detail::inline schedule_part {

class batch_gatherer {
public:
    list<int> order;  ///< of the kernels, by the numbers they have so far

    constexpr batch_gatherer(builder const& g, grouping const& made) : g_(g), made_(made) {
        for (int k = 0; k < made.kernels.size(); ++k) order.push(k);
        for (int first = 0; first < order.size();) {
            int end = first + 1;
            while (is_of_batch(first) && gathers_one_more(first, end)) {}
            first = end;
        }
    }

private:
    /// So many kernels are looked at for the next one of a batch.
    static constexpr int most_between = 8;

    builder const& g_;
    grouping const& made_;

    constexpr kernel_draft const& kernel_at(int position) const { return made_.kernels.items[order.items[position]]; }
    constexpr bool is_of_batch(int position) const {
        kernel_draft const& k = kernel_at(position);
        return k.product.node >= 0 && k.axes > 2 && k.product.map[0].axis(0) != walk_map::none &&
               k.product.map[1].axis(0) != walk_map::none && is_plain(k);
    }
    constexpr bool is_same_batch(int position, int other) const {
        kernel_draft const &a = kernel_at(position), &b = kernel_at(other);
        if (a.axes != b.axes) return false;
        for (int l = 0; l + 2 < a.axes; ++l)
            if (a.extent[l] != b.extent[l]) return false;
        return true;
    }
    /// Whether what a kernel writes is what its nodes are, each whole.
    constexpr bool is_plain(kernel_draft const& k) const {
        if (k.custom >= 0) return false;
        for (root_draft const& r : k.roots)
            if (r.adds || r.clears || g_.nodes.items[r.node].kind == node_kind::put) return false;
        return true;
    }
    /// f(kernel) for those that make what a kernel reads; -1: nobody knows.
    template <class F>
    constexpr void each_maker(kernel_draft const& k, F const& f) const {
        auto const reads = [&](int node) {
            int const id = array_behind(g_, node);
            if (g_.nodes.items[id].is_given()) return;
            f(g_.nodes.items[id].kind == node_kind::put ? -1 : made_.home.items[id]);
        };
        for (step_draft const& s : k.steps)
            if (s.kind == step_kind::load) reads(s.node);
        for (int id : k.product.operand)
            if (id >= 0) reads(id);
    }
    /// Whether the kernel at a position reads what some of those at `from` to `end` - 1 make, of which `where` says
    /// which.
    template <class W>
    constexpr bool reads_from(int position, int from, int end, W const& where) const {
        bool any = false;
        each_maker(kernel_at(position), [&](int made_in) {
            for (int i = from; i < end; ++i) any = any || made_in < 0 || (where(i) && order.items[i] == made_in);
        });
        return any;
    }

    /// Brings the next kernel of the batch behind those from `first` to `end` - 1, and what it needs of the kernels
    /// between before them.
    constexpr bool gathers_one_more(int& first, int& end) {
        int next = end;
        while (next < order.size() && next <= end + most_between && !(is_of_batch(next) && is_same_batch(first, next)))
            if (!is_plain(kernel_at(next++))) return false;
        if (next >= order.size() || next > end + most_between) return false;
        list<char> needed(next - end, 0);
        auto const is_needed = [&](int i) { return needed.items[i - end] != 0; };
        auto const every = [](int) { return true; };
        for (int i = next - 1; i >= end; --i) {
            int const now = i;
            needed.items[i - end] = reads_from(next, i, i + 1, every);
            for (int later = now + 1; later < next; ++later)
                if (is_needed(later) && reads_from(later, i, i + 1, every)) needed.items[i - end] = 1;
            if (is_needed(i) && reads_from(i, first, end, every)) return false;
        }
        list<int> moved;
        for (int i = end; i < next; ++i)
            if (is_needed(i)) moved.push(order.items[i]);
        int const before = moved.size();
        for (int i = first; i < end; ++i) moved.push(order.items[i]);
        moved.push(order.items[next]);
        for (int i = end; i < next; ++i)
            if (!is_needed(i)) moved.push(order.items[i]);
        for (int i = 0; i < moved.size(); ++i) order.items[first + i] = moved.items[i];
        first += before;
        end += before + 1;
        return true;
    }
};

/// The number that each kernel has in another order.
constexpr list<int> numbers_in(list<int> const& order) {
    list<int> number(order.size(), 0);
    for (int i = 0; i < order.size(); ++i) number.items[order.items[i]] = i;
    return number;
}

constexpr grouping gather_batches(builder const& g, grouping made) {
    list<int> const order = batch_gatherer(g, made).order, number = numbers_in(order);
    list<kernel_draft> kernels;
    for (int k : order) kernels.push(made.kernels.items[k]);
    made.kernels = static_cast<list<kernel_draft>&&>(kernels);
    for (list<int>* numbers : {&made.home, &made.begun, &made.computed})
        for (int& k : *numbers)
            if (k >= 0) k = number.items[k];
    return made;
}

}  // namespace tapeless::detail::schedule_part
