// SPDX-License-Identifier: MIT
#pragma once
// Last step of a plan, strips: kernels that follow one another along the same long loop run strip by strip, so that
// what one leaves for another is in the cache, and needs no more memory than a strip. Where there are loops of their
// own among them, such as a convolution, strips are items along the first axis of all that they make: biases,
// activations and pooling follow while the images of a strip are at hand.

#include <tapeless/schedule/machine.hpp>
#include <tapeless/schedule/product.hpp>
#include <tapeless/schedule/strip_group.hpp>

namespace tapeless::detail::inline schedule_part {

class strip_finder : strip_group {
public:
    constexpr explicit strip_finder(draft_plan& plan) : strip_group(plan) {
        int const kernels = plan.kernels.size();
        for (int first = 0, end; first < kernels; first = end) {
            end = first + 1;
            if (end == kernels || forms_by_items(first, end)) continue;
            end = first + 1;
            if (forms_of_products(first, end)) continue;
            end = first + 1;
            if (!goes_in_strips(first) || !goes_in_strips(end)) continue;
            begin_group();
            (void)takes(first);
            while (end < kernels && goes_in_strips(end) && is_same_loop(first, end) && takes(end)) ++end;
            if (end - first > 1) form(first, end);
        }
    }

private:
    int tried_ = 0;  ///< no group of items begins before this kernel

    /// Whether pieces of its first loop have nothing to do with one another, but for numbers that are summed up.
    constexpr bool goes_in_strips(int number) const {
        kernel const& k = plan_.kernels.items[number];
        return k.product < 0 && has_parts(k);
    }
    constexpr bool has_parts(kernel const& k) const {
        if (k.custom >= 0 || k.call >= 0 || k.axes == 0) return false;
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

    // ---- products of batches ---------------------------------------------------------------------------------------

    /// Whether the first loop is one over matrices, each of which has a right operand of its own.
    constexpr bool is_of_matrices(int number) const {
        kernel const& k = plan_.kernels.items[number];
        return k.product >= 0 && k.axes > 2 && has_parts(k) && !right_is_common(k, plan_.products.items[k.product]);
    }
    /// Kernels from `first` on that multiply matrices of one batch, and what is between them: what one leaves for
    /// another is in the cache, as the scores of a head and their gradients.
    constexpr bool forms_of_products(int first, int& end) {
        if (!is_of_matrices(first)) return false;
        begin_group();
        (void)takes(first);
        int last = first;  // with a product
        while (end < plan_.kernels.size() && (is_of_matrices(end) || goes_in_strips(end)) && is_same_loop(first, end) &&
               takes(end)) {
            if (is_of_matrices(end)) last = end;
            ++end;
        }
        end = last + 1;
        begin_group();  // without what follows the last product
        for (int n = first; n < end; ++n) (void)takes(n);
        if (bytes_ == 0) return false;
        std::int64_t const fit = machine::item_strip_bytes / bytes_, length = fit < 1 ? 1 : fit;
        std::int64_t const all = plan_.kernels.items[first].extent[0];
        if (length * bytes_ > machine::most_strip_bytes || (all >= 0 && all * bytes_ < machine::least_in_strips))
            return false;
        if (all >= 0 && all < 2 * length) return false;
        run_in_strips(first, end, length);
        return true;
    }

    // ---- items -----------------------------------------------------------------------------------------------------

    /// The length of the first axis of what a kernel makes, as in a shape.
    constexpr std::int64_t items_of(int number) const {
        kernel const& k = plan_.kernels.items[number];
        if (k.custom < 0) return k.shape.extent[k.group[0]];
        planned_loop const& c = plan_.custom_loops.items[k.custom];
        int first = 0;
        while (!c.wanted[first]) ++first;
        return c.out[first].shape.rank > 0 ? c.out[first].shape.extent[0] : 0;
    }
    /// Whether pieces of its items have nothing to do with one another; indices that it computes itself are not looked
    /// at item by item.
    constexpr bool goes_by_items(int number) const {
        kernel const& k = plan_.kernels.items[number];
        if (k.custom < 0) return goes_in_strips(number) && loops_of_item(k) > 0;
        loop_cut const& cut = plan_.custom_loops.items[k.custom].cut;
        if (cut.least == 0 || cut.grain != 1) return false;
        for (planned_check const& c : plan_.index_checks)
            if (c.before == number) return false;
        return true;
    }
    /// What a loop of its own reads anew for each strip, such as the weights of a convolution.
    constexpr void count_what_is_read_again(int number) {
        kernel const& k = plan_.kernels.items[number];
        if (k.custom < 0) return;
        planned_loop const& c = plan_.custom_loops.items[k.custom];
        for (int j = 0; j < c.operands; ++j) {
            if (c.in[j].constant || c.cut.axis[j] == 0) continue;
            std::int64_t n = size_of(c.in[j].at.type);
            for (int l = 0; l < c.in[j].shape.rank; ++l)
                n = n < 0 || c.in[j].shape.extent[l] < 0 ? -1 : n * c.in[j].shape.extent[l];
            again_ = n < 0 || n > machine::most_strip_bytes ? machine::most_strip_bytes : again_ + n;
        }
    }
    /// So many items a strip that they are in the cache, or 0 where they are not, or not worth what is read again.
    constexpr std::int64_t items_in_strip() const {
        if (bytes_ == 0) return 0;
        std::int64_t const fit = machine::item_strip_bytes / bytes_, length = fit < 1 ? 1 : fit;
        if (length * bytes_ > machine::most_strip_bytes || length * bytes_ < machine::worth_reading_again * again_)
            return 0;
        return items_ < 0 || items_ >= 2 * length ? length : 0;
    }
    /// Kernels from `first` on that run by items, if some are loops of their own; `end`: the first that does not.
    constexpr bool forms_by_items(int first, int& end) {
        int const kernels = plan_.kernels.size();
        if (plan_.custom_loops.empty() || first < tried_ || !goes_by_items(first) || items_of(first) == 0) return false;
        items_ = items_of(first);
        auto const take = [&](int n) {
            if (!takes(n)) return false;
            count_what_is_read_again(n);
            return true;
        };
        begin_group();
        (void)take(first);
        bool whole = true;
        while (whole && end < kernels && goes_by_items(end) && items_of(end) == items_ && take(end))
            if (bytes_ > 0 && items_in_strip() == 0) whole = false;  // too much: without this one
            else ++end;
        tried_ = end;
        if (!whole) {
            begin_group();
            for (int n = first; n < end; ++n) (void)take(n);
        }
        int loops = 0;
        for (int n = first; n < end; ++n) loops += plan_.kernels.items[n].custom >= 0;
        bool const forms = end - first > 1 && loops > 0 && items_in_strip() > 0 && saves_memory(first, end);
        if (forms) form_by_items(first, end);
        items_ = 0;
        return forms;
    }
    /// Whether something that flows between these kernels is needed by them only. Where all of it is kept, as for a
    /// gradient, strips cost more than they save (bench_convolution).
    constexpr bool saves_memory(int first, int end) const {
        for (int i = 0; i < buffers_.size(); ++i)
            if (use const& u = buffers_.items[i]; u.group == group_ && u.flows)
                if (is_needed_here_only(plan_.buffers.items[i], u, first, end)) return true;
        return false;
    }
    constexpr void form_by_items(int first, int end) {
        for (int n = first; n < end; ++n) {
            kernel& now = plan_.kernels.items[n];
            now.strip_items = items_;
            if (now.custom < 0) now.of_item = loops_of_item(now);
            else  // elements of an item
                each_array(n, [&](place const&, char, std::int64_t apart) { now.cost += static_cast<int>(apart); });
        }
        run_in_strips(first, end, items_in_strip());
    }

    // ---- strips ----------------------------------------------------------------------------------------------------

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
        run_in_strips(first, end, length, staged);
    }
    constexpr void run_in_strips(int first, int end, std::int64_t length, list<char> const& staged = {}) {
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
            each_array(n, [&](place& p, char, std::int64_t) {
                p.strip = p.where == memory::buffer && plan_.buffers.items[p.index].strip;
            });
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
    static constexpr bool is_needed_here_only(buffer const& b, use const& u, int first, int end) {
        return b.first >= first && b.last < end && u.apart > 0 && !b.apart && b.times == 1 && b.call < 0;
    }
    /// What is needed by these kernels only has the length of a strip; all else is there for all of them.
    constexpr void place_buffer(buffer& b, use const& u, int first, int end) const {
        std::int64_t const length = plan_.kernels.items[first].strip;
        if (is_needed_here_only(b, u, first, end)) {
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

}  // namespace tapeless::detail::schedule_part
