// SPDX-License-Identifier: MIT
#pragma once
// Kernels that may run strip by strip together: what each does to the arrays that they make, and whether a strip of one
// needs no more of them than the strips before it have left.

#include <tapeless/schedule/plan.hpp>

namespace tapeless::detail::inline schedule_part {

class strip_group {
public:
    constexpr explicit strip_group(draft_plan& plan) : plan_(plan), buffers_(plan.buffers.size()) {}

protected:
    /// What the kernels of a group do to an array.
    struct use {
        int group = 0;
        std::int64_t apart = 0;  ///< how far the loop's iterations are apart, if none touches what another does; else 0
        int kernel = -1;         ///< the last one that touches it
        int element_size = 0;
        bool written = false, cleared = false;
        bool flows = false;  ///< from one kernel to another
    };

    draft_plan& plan_;
    list<use> buffers_, outputs_;
    int group_ = 0;
    std::int64_t items_ = 0;  ///< of a group of items: how many there are, as in a shape
    std::int64_t bytes_ = 0;  ///< of an item that flow from one kernel to another
    std::int64_t again_ = 0;  ///< bytes that each strip of items reads again

    constexpr void begin_group() {
        ++group_;
        bytes_ = again_ = 0;
    }
    constexpr use& use_of(place const& p) {
        list<use>& all = p.where == memory::buffer ? buffers_ : outputs_;
        if (p.index >= all.size()) all.resize(p.index + 1);
        use& u = all.items[p.index];
        if (u.group != group_) u = {group_};
        return u;
    }

    /// Iterations of a kernel's first loop for each of them, or 0 where only run time knows.
    static constexpr std::int64_t loops_of_item(kernel const& k) {
        std::int64_t n = 1;
        for (int a = k.group[0] + 1; a < k.group[1]; ++a) {
            if (k.shape.extent[a] < 0) return 0;
            n *= k.shape.extent[a];
        }
        return n;
    }
    /// How far the iterations of the first loop are apart in an array, if each stays within its own part of it; else 0.
    /// Operands of a product are walked along the axes that are summed over, too.
    constexpr std::int64_t parts_of(kernel const& k, place const& p, product const* x = nullptr) const {
        if (!p.dense || p.origin < 0 || p.map.axis(0) == walk_map::none || p.stride[0] <= 0) return 0;
        std::int64_t const of_item = items_ != 0 ? loops_of_item(k) : 1, apart = of_item * p.stride[0];
        std::int64_t last = p.origin + apart - p.stride[0];
        for (int l = 1; l < k.axes; ++l) {
            if (p.map.axis(l) == walk_map::none) continue;
            if (k.extent[l] < 0 || p.stride[l] < 0) return 0;
            last += (k.extent[l] - 1) * p.stride[l];
        }
        for (int i = 0; x && i < x->depth_axes; ++i) {
            if (x->depth[i] < 0 || p.stride[k.axes + i] < 0) return 0;
            if (x->depth[i] > 0) last += (x->depth[i] - 1) * p.stride[k.axes + i];
        }
        return last < apart ? apart : 0;
    }
    /// The same of an operand or a result of a loop of its own, where `axis` goes with the items.
    static constexpr std::int64_t parts_of(loop_operand const& o, int axis) {
        int const first = o.shape.rank - 1;
        place const& p = o.at;
        if (axis != 0 || first < 0 || !p.dense || p.origin < 0 || p.map.axis(first) == walk_map::none) return 0;
        std::int64_t last = p.origin;
        for (int l = 0; l < first; ++l) {
            if (p.map.axis(l) == walk_map::none) continue;
            if (o.shape.from_right(l) < 0 || p.stride[l] < 0) return 0;
            last += (o.shape.from_right(l) - 1) * p.stride[l];
        }
        return last < p.stride[first] ? p.stride[first] : 0;
    }
    static constexpr bool is_made(place const& p) { return p.where == memory::buffer || p.where == memory::output; }

    /// f(place, whether it is written, how far parts of it are apart) for the arrays of a kernel that others make.
    template <class F>
    constexpr void each_array(int number, F const& f) {
        kernel const& k = plan_.kernels.items[number];
        if (k.custom >= 0) {
            planned_loop& c = plan_.custom_loops.items[k.custom];
            for (int j = 0; j < c.operands; ++j)
                if (!c.in[j].constant && is_made(c.in[j].at)) f(c.in[j].at, 0, parts_of(c.in[j], c.cut.axis[j]));
            for (int j = 0; j < c.parts; ++j)
                if (c.wanted[j] && is_made(c.out[j].at)) f(c.out[j].at, 1, parts_of(c.out[j], 0));
            return;
        }
        list<char> written(k.places, 0);
        for (int i = 0; i < k.roots; ++i)
            if (root const& r = plan_.roots.items[k.first_root + i]; r.place >= 0)
                written.items[r.place] = r.clears ? 2 : 1;
        if (k.product >= 0) written.items[plan_.products.items[k.product].to] = 1;  // a panel, or the array itself
        for (int i = 0; i < k.places; ++i)
            if (place& p = plan_.places.items[k.first_place + i]; is_made(p)) f(p, written.items[i], parts_of(k, p));
        if (k.product < 0) return;
        product& x = plan_.products.items[k.product];
        for (place* p : {&x.left, &x.right})
            if (is_made(*p)) f(*p, 0, parts_of(k, *p, &x));
    }

    /// Takes a kernel into the group, unless it touches of an array what another iteration of those before it writes.
    constexpr bool takes(int number) {
        bool fits = true;
        each_array(number, [&](place const& p, char written, std::int64_t apart) {
            use const& u = use_of(p);
            if (u.kernel < 0 || (!u.written && !written)) return;
            fits = fits && u.apart != 0 && u.apart == apart && written != 2;
        });
        if (!fits) return false;
        each_array(number, [&](place const& p, char written, std::int64_t apart) {
            use& u = use_of(p);
            if (u.kernel < 0) u.apart = apart;
            else if (u.apart != apart) u.apart = 0;
            bool const flows = u.written && u.kernel != number && u.kernel >= 0;
            if (flows && !u.flows) bytes_ += apart * size_of(p.type);
            u.flows = u.flows || flows;
            u.kernel = number;
            u.element_size = size_of(p.type);
            u.written = u.written || written;
            u.cleared = u.cleared || written == 2;
        });
        return true;
    }
};

}  // namespace tapeless::detail::schedule_part
