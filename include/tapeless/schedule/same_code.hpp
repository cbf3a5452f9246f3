// SPDX-License-Identifier: MIT
#pragma once
// Which kernels of a plan are the same up to the arrays they walk: these are compiled once, and told at run time
// which they are.

#include <bit>

#include <tapeless/schedule/plan.hpp>

namespace tapeless::detail::inline schedule_part {

/// Whether two kernels are one piece of code. Where an array lies, at which element its walk begins and what run time
/// knows of its lengths and strides are found when a kernel runs; all else has to agree.
template <class Plan>
struct same_code {
    Plan const& plan;

    constexpr bool operator()(kernel const& a, kernel const& b) const {
        if (a.custom >= 0 || a.call >= 0 || b.custom >= 0 || b.call >= 0) return false;
        if (a.axes != b.axes || a.steps != b.steps || a.roots != b.roots) return false;
        if (a.places != b.places || a.phases != b.phases) return false;
        if (a.lanes != b.lanes || a.rows_at_once != b.rows_at_once || a.unroll != b.unroll) return false;
        if (a.triangle != b.triangle || a.carries != b.carries) return false;
        if ((a.product < 0) != (b.product < 0) || a.loops != b.loops) return false;
        if (a.cuttable != b.cuttable || a.panel != b.panel || (a.strip > 0) != (b.strip > 0)) return false;
        for (int l = 0; l < a.axes; ++l)
            if (a.extent[l] != b.extent[l]) return false;
        for (int i = 0; i < a.steps; ++i) {
            if (!steps(plan.steps[a.first_step + i], plan.steps[b.first_step + i])) return false;
            // whether bounds are along columns is part of the code
            if (plan.steps[a.first_step + i].bounds >= 0 && a.group[a.axes] != b.group[b.axes]) return false;
        }
        for (int i = 0; i < a.roots; ++i)
            if (!roots(plan.roots[a.first_root + i], plan.roots[b.first_root + i])) return false;
        for (int i = 0; i < a.places; ++i)
            if (!places(plan.places[a.first_place + i], plan.places[b.first_place + i], a.axes)) return false;
        if (a.product >= 0 && !products(plan.products[a.product], plan.products[b.product], a.axes)) return false;
        for (int l = 0; l < max_rank; ++l)
            if (!orders(a.outer[l], b.outer[l])) return false;
        for (int p = 0; p <= a.phases; ++p)
            if (!orders(a.row[p], b.row[p])) return false;
        for (int p = 0; p < a.phases; ++p)
            if (!orders(a.column[p], b.column[p]) || !orders(a.inner[p], b.inner[p]) || !orders(a.guard[p], b.guard[p]))
                return false;
        return orders(a.last, b.last);
    }

private:
    static constexpr bool numbers(double a, double b) {
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    }
    static constexpr bool steps(step const& a, step const& b) {
        for (int j = 0; j < step_inputs; ++j)
            if (a.in[j] != b.in[j]) return false;
        if (a.kind != b.kind) return false;
        if (a.kind == step_kind::eval && !same_operation(a.op, b.op)) return false;
        if (a.kind != step_kind::load && a.source != b.source) return false;  // what is loaded has a place
        return a.type == b.type && a.bounds == b.bounds && numbers(a.number, b.number) && a.place == b.place &&
               a.varies == b.varies && a.level == b.level && a.slot == b.slot && (a.scratch < 0) == (b.scratch < 0) &&
               a.kept_in == b.kept_in;
    }
    static constexpr bool roots(root const& a, root const& b) {
        return a.how == b.how && a.combine == b.combine && a.step == b.step && a.place == b.place && a.type == b.type &&
               a.level == b.level && a.slot == b.slot && a.varies == b.varies && a.reduced == b.reduced &&
               a.adds == b.adds && a.clears == b.clears && numbers(a.filling, b.filling) &&
               (a.carry < 0) == (b.carry < 0);
    }
    static constexpr bool is_array(memory m) {
        return m == memory::argument || m == memory::output || m == memory::buffer || m == memory::constants;
    }
    static constexpr bool walks(place const& p, int l) { return p.map.axis(l) != walk_map::none; }
    static constexpr bool places(place const& a, place const& b, int axes) {
        if (a.where != b.where && !(is_array(a.where) && is_array(b.where))) return false;
        for (int l = 0; l < axes; ++l)
            if (a.stride[l] != b.stride[l] || walks(a, l) != walks(b, l)) return false;
        return a.type == b.type && a.strip == b.strip && a.picked == b.picked && a.picked_stride == b.picked_stride;
    }
    static constexpr bool products(product const& a, product const& b, int axes) {
        for (int l = 0; l < a.depth_axes; ++l)
            if (a.depth[l] != b.depth[l]) return false;
        return a.type == b.type && a.depth_axes == b.depth_axes && a.rows == b.rows && a.batches == b.batches &&
               a.to == b.to && a.small == b.small && a.form == b.form && (a.packed_left < 0) == (b.packed_left < 0) &&
               (a.packed_right < 0) == (b.packed_right < 0) && places(a.left, b.left, axes + a.depth_axes) &&
               places(a.right, b.right, axes + a.depth_axes);
    }
    constexpr bool orders(sequence const& a, sequence const& b) const {
        if (a.size() != b.size()) return false;
        for (int i = 0; i < a.size(); ++i)
            if (plan.order[a.begin + i] != plan.order[b.begin + i]) return false;
        return true;
    }
};

/// Of each kernel, the first one that is the same code.
template <class Numbers, class Plan>
constexpr Numbers find_same_code(Plan const& plan) {
    Numbers first;
    for (int i = 0; i < plan.kernels.size(); ++i) {
        first[i] = 0;
        int& f = first[i];
        while (f < i && (first[f] != f || !same_code<Plan>{plan}(plan.kernels[f], plan.kernels[i]))) ++f;
    }
    return first;
}

}  // namespace tapeless::detail::schedule_part
