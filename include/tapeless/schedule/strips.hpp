// SPDX-License-Identifier: MIT
#pragma once
// Last step of a plan, strips: kernels that follow one another along the same long loop run strip by strip, so that
// what one leaves for another is in the cache, and needs no more memory than a strip.

#include <tapeless/schedule/machine.hpp>
#include <tapeless/schedule/plan.hpp>

namespace tapeless::detail {

class strip_finder {
public:
    constexpr explicit strip_finder(draft_plan& plan) : plan_(plan), buffers_(plan.buffers.size()) {
        int const kernels = plan.kernels.size();
        for (int first = 0, end; first < kernels; first = end) {
            end = first + 1;
            if (end == kernels || !goes_in_strips(first) || !goes_in_strips(end)) continue;
            begin_group();
            (void)takes(first);
            while (end < kernels && goes_in_strips(end) && is_same_loop(first, end) && takes(end)) ++end;
            if (end - first > 1) form(first, end);
        }
    }

private:
    /// What the kernels of a group do to an array.
    struct use {
        int group = 0;
        std::int64_t apart = 0;  ///< how far the loop's iterations are apart, if none touches what another does; else 0
        int kernel = -1;         ///< the last one that touches it
        int element_size = 0;
        bool written = false, cleared = false;
        bool flows = false;      ///< from one kernel to another
    };

    draft_plan& plan_;
    list<use> buffers_, outputs_;
    int group_ = 0;

    constexpr void begin_group() { ++group_; }
    constexpr use& use_of(place const& p) {
        list<use>& all = p.where == memory::buffer ? buffers_ : outputs_;
        if (p.index >= all.size()) all.resize(p.index + 1);
        use& u = all.items[p.index];
        if (u.group != group_) u = {group_};
        return u;
    }

    /// Whether pieces of its first loop have nothing to do with one another, but for numbers that are summed up.
    constexpr bool goes_in_strips(int number) const {
        kernel const& k = plan_.kernels.items[number];
        if (k.custom >= 0 || k.call >= 0 || k.product >= 0 || k.axes == 0) return false;
        if (!(k.cuttable & 1) || (k.summed_arrays & 1) || k.carries || (k.axes == 1 && k.phases > 1)) return false;
        for (int i = 0; i < k.roots; ++i) {
            root const& r = plan_.roots.items[k.first_root + i];
            if (r.adds || r.how == target::partial || r.how == target::column) return false;
            if (r.clears && (r.how != target::store || r.filling != 0)) return false;
            bool const number_in_all = r.level == k.axes && r.how == (k.axes == 1 ? target::row : target::everything);
            if (!(r.varies & 1) && !number_in_all) return false;
        }
        return true;
    }
    constexpr bool is_same_loop(int first, int other) const {
        kernel const &a = plan_.kernels.items[first], &b = plan_.kernels.items[other];
        if (a.extent[0] != b.extent[0]) return false;
        if (a.extent[0] >= 0) return true;
        int const axes = a.group[1] - a.group[0];
        if (b.group[1] - b.group[0] != axes) return false;
        for (int i = 0; i < axes; ++i)
            if (a.shape.extent[a.group[0] + i] != b.shape.extent[b.group[0] + i]) return false;
        return true;
    }
    /// How far the iterations of the first loop are apart in an array, if each stays within its own part of it; else 0.
    constexpr std::int64_t parts_of(kernel const& k, place const& p) const {
        if (!p.dense || p.origin < 0 || p.map.axis(0) == walk_map::none || p.stride[0] <= 0) return 0;
        std::int64_t last = p.origin;
        for (int l = 1; l < k.axes; ++l) {
            if (p.map.axis(l) == walk_map::none) continue;
            if (k.extent[l] < 0 || p.stride[l] < 0) return 0;
            last += (k.extent[l] - 1) * p.stride[l];
        }
        return last < p.stride[0] ? p.stride[0] : 0;
    }
    static constexpr bool is_made(place const& p) { return p.where == memory::buffer || p.where == memory::output; }

    /// Takes a kernel into the group, unless it touches of an array what another iteration of those before it writes.
    constexpr bool takes(int number) {
        kernel const& k = plan_.kernels.items[number];
        list<char> written(k.places, 0);
        for (int i = 0; i < k.roots; ++i)
            if (root const& r = plan_.roots.items[k.first_root + i]; r.place >= 0)
                written.items[r.place] = r.clears ? 2 : 1;
        for (int i = 0; i < k.places; ++i) {
            place const& p = plan_.places.items[k.first_place + i];
            if (!is_made(p)) continue;
            use const& u = use_of(p);
            if (u.kernel < 0 || (!u.written && !written.items[i])) continue;
            if (u.apart == 0 || u.apart != parts_of(k, p) || written.items[i] == 2) return false;
        }
        for (int i = 0; i < k.places; ++i) {
            place const& p = plan_.places.items[k.first_place + i];
            if (!is_made(p)) continue;
            use& u = use_of(p);
            std::int64_t const apart = parts_of(k, p);
            if (u.kernel < 0) u.apart = apart;
            else if (u.apart != apart) u.apart = 0;
            u.flows = u.flows || (u.written && u.kernel != number && u.kernel >= 0);
            u.kernel = number;
            u.element_size = size_of(p.type);
            u.written = u.written || written.items[i];
            u.cleared = u.cleared || written.items[i] == 2;
        }
        return true;
    }

    constexpr void form(int first, int end) {
        kernel const& k = plan_.kernels.items[first];
        std::int64_t bytes = 0;  // of an iteration
        for (int i = 0; i < buffers_.size(); ++i)
            if (use const& u = buffers_.items[i]; u.group == group_ && u.flows)
                bytes += u.apart * plan_.buffers.items[i].element_size;
        if (bytes == 0) return;
        list<char> staged(outputs_.size(), 0);
        for (int i = 0; i < outputs_.size(); ++i)
            if (use const& u = outputs_.items[i]; u.group == group_ && is_worth_staging(i, u, first, end)) {
                staged.items[i] = 1;
                bytes += u.apart * u.element_size;
            }
        std::int64_t length = machine::strip_bytes / bytes / machine::strip_unit * machine::strip_unit;
        if (length < machine::strip_unit) length = machine::strip_unit;
        if (k.extent[0] >= 0 && k.extent[0] < 2 * length) return;
        for (int n = first; n < end; ++n) {
            kernel& now = plan_.kernels.items[n];
            now.first_in_strip = first;
            now.last_in_strip = end - 1;
            now.strip = length;
        }
        for (int i = 0; i < buffers_.size(); ++i)
            if (use const& u = buffers_.items[i]; u.group == group_)
                place_buffer(plan_.buffers.items[i], u, first, end);
        for (int i = 0; i < staged.size(); ++i)
            if (staged.items[i]) stage(i, outputs_.items[i], first, end);
        for (int n = first; n < end; ++n) {
            kernel const& now = plan_.kernels.items[n];
            for (int i = 0; i < now.places; ++i) {
                place& p = plan_.places.items[now.first_place + i];
                p.strip = p.where == memory::buffer && plan_.buffers.items[p.index].strip;
            }
            for (int i = 0; i < now.roots; ++i) {
                root& r = plan_.roots.items[now.first_root + i];
                if (!r.clears || r.place < 0) continue;
                if (plan_.places.items[now.first_place + r.place].strip) r.clears = false;  // strip by strip
                else plan_.kernels.items[n].clears = true;
            }
        }
    }
    /// Whether a result is put together from columns: these kernels write all of it, and nothing else touches it.
    constexpr bool is_worth_staging(int output, use const& u, int first, int end) const {
        if (!u.written || u.apart < 2 || u.apart > 64) return false;
        std::uint64_t covered = 0;
        bool columns = false;
        for (int n = 0; n < plan_.kernels.size(); ++n) {
            kernel const& k = plan_.kernels.items[n];
            if ((n < first || n >= end) && (k.custom >= 0 || k.call >= 0)) return false;
            for (int i = 0; i < k.places; ++i) {
                place const& p = plan_.places.items[k.first_place + i];
                if (p.where != memory::output || p.index != output) continue;
                if (n < first || n >= end || k.axes > 2) return false;
                columns = columns || p.stride[k.axes - 1] != 1;
            }
            for (int i = 0; i < k.roots && n >= first && n < end; ++i) {
                root const& r = plan_.roots.items[k.first_root + i];
                if (r.place < 0) continue;
                place const& p = plan_.places.items[k.first_place + r.place];
                if (p.where != memory::output || p.index != output) continue;
                bool const walks = k.axes > 1 && p.map.axis(1) != walk_map::none;
                for (std::int64_t j = 0; j < (walks ? k.extent[1] : 1); ++j)
                    covered |= std::uint64_t{1} << (p.origin + j * (walks ? p.stride[1] : 0));
            }
        }
        return columns && (u.cleared || covered == (~std::uint64_t{0} >> (64 - u.apart)));
    }
    /// It is put together in a buffer, from where strips of it are copied: memory is written once, line by line.
    constexpr void stage(int output, use const& u, int first, int end) {
        kernel const& k = plan_.kernels.items[first];
        buffer b;
        for (int a = k.group[0]; a < k.group[1]; ++a) b.shape.extent[b.shape.rank++] = k.shape.extent[a];
        b.shape.extent[b.shape.rank++] = u.apart;
        b.element_size = u.element_size;
        b.first = first;
        b.last = end - 1;
        b.most = k.strip * u.apart;
        b.strip = true;
        b.cleared = u.cleared;
        b.copied_to = output;
        int const number = plan_.buffers.push(b);
        for (int n = first; n < end; ++n) {
            kernel const& now = plan_.kernels.items[n];
            for (int i = 0; i < now.places; ++i)
                if (place& p = plan_.places.items[now.first_place + i];
                    p.where == memory::output && p.index == output) {
                    p.where = memory::buffer;
                    p.index = number;
                }
        }
    }
    /// What is needed by these kernels only has the length of a strip; all else is there for all of them.
    constexpr void place_buffer(buffer& b, use const& u, int first, int end) const {
        std::int64_t const length = plan_.kernels.items[first].strip;
        bool const own = b.first >= first && b.last < end && u.apart > 0 && !b.apart && b.times == 1 && b.call < 0;
        if (own) {
            b.most = length * u.apart;
            b.strip = true;
            b.cleared = u.cleared;
            if (u.cleared) b.first = first;
        } else if (!b.apart) {
            if (b.first > first) b.first = first;
            if (b.last < end - 1) b.last = end - 1;
        }
    }
};

constexpr draft_plan find_strips(draft_plan plan) {
    if (plan.kernels.size() > 1) (void)strip_finder(plan);
    return plan;
}

}  // namespace tapeless::detail
