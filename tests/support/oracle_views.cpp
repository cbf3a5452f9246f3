// SPDX-License-Identifier: MIT
// What the oracle makes of views and of padding: where their elements are in the operand.

#include "support/oracle_views.hpp"

#include <tapeless/ops/layout.hpp>

namespace oracle {

array filled(dtype type, lengths const& s, double number) {
    array y(type, s);
    for (long double& x : y.real) x = number;
    for (std::int64_t& x : y.whole) x = static_cast<std::int64_t>(number);
    return y;
}

/// Where the elements of a view are in what it looks at. Axes in attributes count from the right; `start` is that of a
/// slice.
places view_of(graph::node const& n, std::int64_t start, lengths const& from, lengths const& to) {
    lengths const own = strides_of(from);
    if (n.op->form == graph::view_form::reshape) {
        if (count(from) != count(to)) throw error("reshape: " + text_of(from) + " to " + text_of(to));
        return walk({count(to)}, {1});
    }
    if (n.op->form == graph::view_form::slice) {
        lengths stride = own, other = from;
        std::size_t const a = from.size() - 1 - static_cast<std::size_t>(n.attr.axes);
        auto const step = static_cast<std::int64_t>(n.attr.number);
        std::int64_t const last = start + (to.at(a) - 1) * step;
        if (to[a] > 0 && (start < 0 || last < 0 || start >= from[a] || last >= from[a]))
            throw error("a slice beyond " + text_of(from));
        other[a] = to[a];
        if (other != to) throw error("a slice of " + text_of(from) + " that is " + text_of(to));
        stride[a] *= step;
        return walk(to, stride, count(to) > 0 ? start * own[a] : 0);
    }
    if (n.op->form == graph::view_form::windows) {
        lengths stride = own;
        std::size_t const a = from.size() - 1 - static_cast<std::size_t>(n.attr.axes);
        auto const by = static_cast<std::int64_t>(n.attr.number), apart = n.attr.offset;
        if (to.size() != from.size() + 1 || (to[a] - 1) * by + (to.back() - 1) * apart >= from[a])
            throw error("windows of " + text_of(from) + " that are " + text_of(to));
        stride.push_back(own[a] * apart);
        stride[a] *= by;
        return walk(to, stride);
    }
    graph::axis_map const m{n.attr.axes};
    lengths stride(to.size(), 0);
    for (std::size_t k = 0; k < to.size(); ++k) {
        int const source = m.source(static_cast<int>(k));
        std::size_t const a = to.size() - 1 - k;
        bool const has = source >= 0 && static_cast<std::size_t>(source) < from.size();
        std::size_t const f = has ? from.size() - 1 - static_cast<std::size_t>(source) : 0;
        if (to[a] != (has ? from[f] : 1)) throw error("axes of " + text_of(from) + " that are " + text_of(to));
        if (has) stride[a] = own[f];
    }
    return walk(to, stride);
}
namespace {
/// y((i + shift) modulo length) = x(i) along an axis.
array rolled(array const& x, std::size_t axis, std::int64_t shift) {
    std::int64_t const step = strides_of(x.shape)[axis], length = x.shape[axis];
    places at;
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.size()); ++i) {
        std::int64_t const k = i / step % length, from = ((k - shift) % length + length) % length;
        at.push_back(static_cast<std::size_t>(i + (from - k) * step));
    }
    return pick(x, x.shape, at);
}
}  // namespace

/// The operand where it is, so far from the beginning, and zeros around it; or moved along the axis.
array padded(graph::node const& n, std::int64_t before, array const& x, lengths const& s) {
    std::size_t const a = s.size() - 1 - static_cast<std::size_t>(n.attr.axes);
    if (n.attr.shift() != 0) return rolled(pick(x, s, stretched(x.shape, s)), a, n.attr.shift());
    lengths own = strides_of(s);
    if (before < 0 || before + x.shape.at(a) > s[a]) throw error("padded: " + text_of(x.shape) + " to " + text_of(s));
    array y(n.type, s);
    places const to = walk(x.shape, own, x.size() > 0 ? before * own[a] : 0);
    for (std::size_t i = 0; i < to.size(); ++i) {
        if (is_real(y.type)) y.real.at(to[i]) = x.real[i];
        else y.whole.at(to[i]) = x.whole[i];
        y.set_error(to[i], x.error_of(i));
    }
    return y;
}

}  // namespace oracle
