// SPDX-License-Identifier: MIT
#pragma once
// Which loops of a kernel several threads may share, and the pieces that they are cut into. Every element is computed
// by the same code whoever computes it, and sums are taken piece by piece in an order that does not depend on the
// number of threads: so neither do results, not in the last bit.

#include <tapeless/base/executor.hpp>
#include <tapeless/kernels/cblas.hpp>
#include <tapeless/schedule/machine.hpp>
#include <tapeless/schedule/plan.hpp>
#include <tapeless/schedule/product.hpp>

namespace tapeless::detail::inline schedule_part {

/// The pieces of a kernel: ranges of one loop, all but the last so long; of a product whose rows are few, also of its
/// columns; of products in a batch, at each position of the loop around it.
struct pieces {
    int axis = -1;
    std::int64_t count = 1, size = 0;
    std::int64_t across = 1, columns = 0;  ///< so many beside each other, so wide; `count` are all
    std::int64_t outside = 1;              ///< positions of loop `axis` - 1, of which each piece has one
};

/// Whether the iterations of loop l have nothing to do with one another, but for sums that can be taken piece by piece.
constexpr bool is_cuttable(draft_plan const& plan, kernel const& k, int l) {
    if (k.axes > 1 && l == k.axes - 1) return false;  // a row is not divided
    for (int i = 0; k.axes == 1 && i < k.steps; ++i)  // masks that are kept have no length
        if (step const& t = plan.steps.items[k.first_step + i]; t.scratch >= 0 && is_mask(t.type)) return false;
    if (k.product >= 0 && l == k.axes - 2) {
        product const& p = plan.products.items[k.product];
        if (p.small) return false;  // its rows are known to its code
        std::int64_t const strips = machine::strips_beside_right * p.rows;
        std::int64_t const block = (machine::block_rows + p.rows - 1) / p.rows * p.rows;
        if (strips % k.rows_at_once != 0 || block % k.rows_at_once != 0) return false;
    }
    for (int i = 0; i < k.roots; ++i) {
        root const& r = plan.roots.items[k.first_root + i];
        bool const in_memory = r.how == target::column || r.how == target::partial;
        if (r.place < 0) continue;
        if (!((r.varies | r.reduced) >> l & 1)) {
            if (r.how != target::store || r.level != 0) return false;  // what is left once is, at the end
            continue;
        }
        place const& p = plan.places.items[k.first_place + r.place];
        if (p.picked >= 0) return false;  // what is added up at an index is, in the order of the indices
        if (in_memory && (r.reduced >> l & 1) && !p.dense) return false;
        if (r.adds)  // to windows, which have elements in common
            for (int other = 0; other < k.axes; ++other)
                if (other != l && p.map.axis(other) != walk_map::none && p.map.axis(other) == p.map.axis(l))
                    return false;
    }
    return true;
}
/// What all of a kernel costs, in instructions; `depth` are the products that an element of its product takes.
constexpr std::int64_t cost_of_loops(kernel const& k, std::int64_t elements, std::int64_t depth) {
    return elements / k.lanes * (k.cost + depth);
}
/// What a piece of a kernel costs at least.
constexpr std::int64_t least_cost(kernel const& k) {
    return k.summed != 0 ? machine::summed_piece_cost : machine::piece_cost;
}
/// The arrays that every piece sums up into.
constexpr std::int64_t bytes_of_arrays(kernel const& k, std::int64_t const* extent) {
    std::int64_t bytes = k.summed_bytes;
    for (int l = 0; l < k.axes; ++l)
        if (!(k.summed_by_all >> l & 1)) bytes *= extent[l];
    return bytes;
}
/// Positions of loop l that a piece has at least.
constexpr std::int64_t grain_of(kernel const& k, int l) { return l == k.axes - 2 || k.axes == 1 ? k.grain : 1; }
/// Whether loop l goes from one product to the next, and any thread can have any of them.
constexpr bool is_batch_loop(kernel const& k, int l) {
    return k.product >= 0 && l >= 0 && l < k.axes - 2 && (k.cuttable >> l & 1) && !(k.summed >> l & 1);
}
/// Whether there are lengths for which `cut_loops` or `cut_product` chooses loop l: where there are none, its length
/// and where it begins stay constants of the code. Loops further out have fewer pieces then, so the kernel may be too
/// small for any.
constexpr bool is_ever_cut(kernel const& k, int l) {
    if (k.extent[l] < 0 || (k.panel > 0 && l == k.axes - 2)) return true;
    std::int64_t const n = k.extent[l] / grain_of(k, l);
    if (n < 2) return false;
    if (is_batch_loop(k, l)) return true;
    std::int64_t all = 1;
    for (int other = 0; other < k.axes; ++other) {
        bool const fewer = other < l && (k.cuttable >> other & 1);
        if (k.extent[other] < 0 && !fewer) return true;
        if (k.extent[other] >= 0 && fewer && k.extent[other] / grain_of(k, other) >= n) return false;
        if (all >= 2 * least_cost(k) * k.lanes) return true;
        all *= k.extent[other] >= 0 ? k.extent[other] : n * grain_of(k, other) - 1;
    }
    return l == 0 || k.product >= 0 || cost_of_loops(k, all, 0) >= 2 * least_cost(k);
}
constexpr void find_cuts(draft_plan const& plan, kernel& k) {
    if (k.axes == 0 || (k.product >= 0 && uses_cblas)) return;
    for (int l = 0; l < k.axes; ++l)
        if (is_cuttable(plan, k, l)) k.cuttable |= 1u << l;
    for (int i = 0; i < k.roots; ++i) {
        root const& r = plan.roots.items[k.first_root + i];
        k.summed |= r.reduced;
        if (r.how != target::column && r.how != target::partial) continue;
        k.summed_by_all = k.summed_bytes == 0 ? r.reduced : k.summed_by_all & r.reduced;
        k.summed_arrays |= r.reduced;
        k.summed_bytes += size_of(r.type);
    }
    for (int p = 0; p < k.phases; ++p)
        for (int q = k.column[p].begin; q < k.inner[p].end; ++q) {
            step const& t = plan.steps.items[k.first_step + plan.order.items[q]];
            k.cost += t.kind == step_kind::eval ? t.op->cost : 1;
        }
    k.cost *= k.side_by_side;
    k.grain = k.axes == 1 ? k.unroll * k.lanes : k.rows_at_once;
    if (k.product >= 0) {
        int const rows = plan.products.items[k.product].rows;
        int strips = (machine::product_rows + rows - 1) / rows;
        while (rows * strips % k.rows_at_once != 0) ++strips;
        k.grain = rows * strips;
        product const& p = plan.products.items[k.product];
        if (!k.loops && !p.small && (k.cuttable >> (k.axes - 2) & 1) && right_is_common(k, p))
            k.panel = p.batches * lanes_of(p.type);
    }
    for (int l = 0; l < k.axes; ++l)
        if (!is_ever_cut(k, l)) k.cuttable &= ~(1u << l);
}

/// How the kernel is cut where its loops have these lengths.
constexpr pieces cut_loops(kernel const& k, std::int64_t const* extent, std::int64_t depth, int threads) {
    using namespace machine;
    std::int64_t all = 1;
    for (int l = 0; l < k.axes; ++l) all *= extent[l];
    std::int64_t const cost = cost_of_loops(k, all, depth), least = least_cost(k);
    if (k.cuttable == 0 || cost < 2 * least) return {};
    int axis = -1;
    for (std::int64_t most = 1, l = 0; l < k.axes && most < enough_pieces; ++l)
        if (std::int64_t const n = extent[l] / grain_of(k, static_cast<int>(l)); (k.cuttable >> l & 1) && n > most) {
            axis = static_cast<int>(l);
            most = n;
        }
    if (axis < 0 && k.panel > 0) axis = k.axes - 2;
    if (axis < 0) return {};
    bool const sums = (k.summed >> axis & 1) != 0;
    if (!sums && threads <= 1) return {};
    std::int64_t const most = !sums ? threads * pieces_a_thread : k.product >= 0 ? most_product_pieces : most_pieces;
    std::int64_t n = cost / least < most ? cost / least : most;
    std::int64_t const unit = grain_of(k, axis);
    std::int64_t const arrays = k.summed_arrays >> axis & 1 ? bytes_of_arrays(k, extent) : 0;
    if (n > fewest_summed && n * arrays > summed_in_all)
        n = summed_in_all < fewest_summed * arrays ? fewest_summed : summed_in_all / arrays;
    std::int64_t size = (extent[axis] + n - 1) / n;
    if ((k.summed_arrays >> axis & 1) && size < summed_length) size = summed_length;
    size = (size + unit - 1) / unit * unit;
    pieces p{axis, (extent[axis] + size - 1) / size, size};
    if (!sums && k.product < 0 && axis == k.axes - 2)  // the last has as many rows as go at once, as without pieces
        if (std::int64_t const left = extent[axis] % size; left > 0 && left < k.rows_at_once) --p.count;
    if (k.panel > 0 && axis == k.axes - 2 && p.count < n) {
        std::int64_t const columns = extent[axis + 1], wide = product_panels * k.panel;
        std::int64_t const across = (n + p.count - 1) / p.count, width = (columns + across - 1) / across;
        p.columns = width < wide ? wide : (width + k.panel - 1) / k.panel * k.panel;
        p.across = columns / p.columns + (columns % p.columns >= k.panel ? 1 : 0);  // the last begins with a panel
        if (p.across < 1) p.across = 1;
        p.count *= p.across;
    }
    return p.count > 1 ? p : pieces{};
}

/// Pieces of a product's rows, of its columns where those can be cut, and of its batch, that so many threads are done
/// with first: each costs its elements and its edges, and the last one may come half too late.
inline pieces cut_product(kernel const& k, pieces const& one, std::int64_t const* extent, std::int64_t depth,
                          int threads) {
    using namespace machine;
    int const row = k.axes - 2, batch = k.axes - 3;
    bool const cuts_rows = (k.cuttable >> row & 1) && !(k.summed >> row & 1);
    std::int64_t const rows = extent[row], columns = extent[row + 1];
    std::int64_t items = 1;
    for (int l = 0; l <= batch; ++l) items *= extent[l];
    std::int64_t const most = cost_of_loops(k, items * rows * columns, depth) / least_cost(k);
    std::int64_t const wanted = most < pieces_a_thread * threads ? most : pieces_a_thread * threads;
    pieces best = one;
    std::int64_t least = -1;
    auto consider = [&](pieces const& p, std::int64_t size, std::int64_t width, std::int64_t products) {
        std::int64_t const rounds = (p.count + threads - 1) / threads;
        std::int64_t const cost = (2 * rounds + 1) * products * (size * width + edge_cost * k.lanes * (size + width));
        if (p.count < 2 || p.count > most || (least >= 0 && cost >= least)) return;
        least = cost;
        best = p;
    };
    for (std::int64_t n = 1, size = rows; cuts_rows && n <= wanted && size > k.grain; ++n) {
        size = ((rows + n - 1) / n + k.grain - 1) / k.grain * k.grain;
        std::int64_t const down = (rows + size - 1) / size;
        consider({row, down, size}, size, columns, items);
        if (is_batch_loop(k, batch) && extent[batch] > 1)
            consider({row, down * extent[batch], size, 1, 0, extent[batch]}, size, columns, items / extent[batch]);
        for (std::int64_t rounds = 1; k.panel > 0 && rounds <= pieces_a_thread; ++rounds) {
            std::int64_t const across = (rounds * threads + down - 1) / down;
            std::int64_t const share = ((columns + across - 1) / across + k.panel - 1) / k.panel * k.panel;
            std::int64_t const width = share < product_panels * k.panel ? product_panels * k.panel : share;
            std::int64_t const beside = columns / width + (columns % width >= k.panel ? 1 : 0);  // each begins with one
            if (beside > 1) consider({row, down * beside, size, beside, width}, size, width, items);
        }
    }
    for (int l = 0; l <= batch; ++l) {
        if (!is_batch_loop(k, l) || extent[l] < 1) continue;
        std::int64_t const outside = is_batch_loop(k, l - 1) ? extent[l - 1] : 1, others = items / extent[l] / outside;
        std::int64_t const each = (wanted + outside - 1) / outside, size = (extent[l] + each - 1) / each;
        consider({l, (extent[l] + size - 1) / size * outside, size, 1, 0, outside}, rows, columns, others * size);
    }
    return best;
}

/// Whether kernel K can have more pieces than one.
template <class Program, int K>
constexpr bool can_be_cut() {
    constexpr kernel const& k = Program::kernels[K];
    if (k.cuttable == 0) return false;
    if (k.strip > 0) return true;
    for (int l = 0; l < k.axes; ++l)
        if (k.extent[l] < 0) return true;
    std::int64_t depth = 0;
    if constexpr (k.product >= 0) {
        product const& p = Program::products[k.product];
        depth = 1;
        for (int l = 0; l < p.depth_axes; ++l) {
            if (p.depth[l] < 0) return true;
            depth *= p.depth[l];
        }
    }
    return cut_loops(k, k.extent, depth, most_threads).axis >= 0;
}

}  // namespace tapeless::detail::schedule_part
