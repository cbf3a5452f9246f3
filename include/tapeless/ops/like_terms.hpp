// SPDX-License-Identifier: MIT
#pragma once
// Like terms of sums, which derivatives of products are full of: x x g + (x g) x is 2 x x g, and a gradient of
// x (1 - x x) is g (1 - 3 x x). Found once nothing is differentiated any more, before multiply-adds are made.

#include <tapeless/ops/fused.hpp>

namespace tapeless::detail::inline ops_part {

/// Rows for people: a sum has more than the two operands that a row is tried on.
struct like_term_rows {
    static constexpr int size = 2;
    static constexpr simplification rows[] = {
        {"like terms", "x * (y * z) + (x * y) * z", "2 * (x * y * z)", exactness::reassociates},
        {"like terms in a factor", "z * (c + x) + d * (z * x)", "z * (c + (1 + d) * x)", exactness::reassociates}};
};

/// The sums of graph `a`, which is made again. Of like terms one stays as it was written, so that nothing overflows
/// that did not before.
class like_terms {
public:
    constexpr like_terms(builder const& a, list<char> const& live, list<int> const& uses)
        : a_(a), uses_(uses), inside_(a.nodes.size(), 0) {
        for (int i = 0; i < a.nodes.size(); ++i) {
            node const& n = a.nodes.items[i];
            if (!live.items[i] || !leads_on(n)) continue;
            for (int j = 0; j < n.needed_inputs(); ++j)
                if (uses.items[n.in[j]] == 1) inside_.items[n.in[j]] = 1;
        }
    }
    /// The sum that node i is the last addition of, of fewer terms and in graph b; -1 where none are alike. `number`
    /// says what became of a's nodes.
    constexpr int of(builder& b, int i, list<int> const& number) const {
        node const& n = a_.nodes.items[i];
        if (!is_sum(n) || inside_.items[i]) return -1;
        if (products_in(n, 0) < 2) return -1;
        list<term> terms;
        if (!find(n, 1, 0, terms)) return -1;
        bool const alike = collect(terms), factored = collect_in_factors(b, terms, number);
        if (!alike && !factored) return -1;
        if (b.notes_simplifications && alike) b.simplified.push(like_term_rows::rows[0].name);
        if (b.notes_simplifications && factored) b.simplified.push(like_term_rows::rows[1].name);
        return total(b, terms, n.type, number);
    }

private:
    static constexpr int most_terms = 12, most_factors = 6, deepest = 24;
    /// A number times a product of factors, as node `is` of a, which is `own` times these, or as node `made` of b.
    struct term {
        double by = 1, own = 1;
        int is = -1, made = -1, factors = 0, products = 0;  ///< so many products are made for this term alone
        int factor[most_factors]{};
        constexpr bool is_like(term const& o) const {
            if (factors != o.factors || made >= 0 || o.made >= 0) return false;
            for (int k = 0; k < factors; ++k)
                if (factor[k] != o.factor[k]) return false;
            return true;
        }
    };

    builder const& a_;
    list<int> const& uses_;
    list<char> inside_;  ///< of each node: a sum, or a multiple of one, needs it, and nothing else does

    static constexpr bool is_real(node const& n) { return n.type == dtype::f32 || n.type == dtype::f64; }
    static constexpr bool computes(node const& n, builtin op) {
        return n.kind == node_kind::elementwise && n.item_axes == 0 && n.op->is == op && is_real(n);
    }
    static constexpr bool is_sum(node const& n) { return computes(n, builtin::add) || computes(n, builtin::sub); }
    constexpr bool is_multiple(node const& n) const { return computes(n, builtin::mul) && a_.is_constant(n.in[0]); }
    /// What is below it belongs to the same sum.
    constexpr bool leads_on(node const& n) const {
        return is_sum(n) || computes(n, builtin::neg) || n.kind == node_kind::alias || is_multiple(n);
    }

    /// How many terms of a sum are products, or two: fewer are never alike.
    constexpr int products_in(node const& n, int depth) const {
        if (++depth > deepest) return 2;
        int products = 0;
        for (int j = 0; j < n.needed_inputs() && products < 2; ++j) {
            node const& x = a_.nodes.items[n.in[j]];
            products += leads_on(x) ? products_in(x, depth) : computes(x, builtin::mul);
        }
        return products;
    }
    /// Both operands of a sum, `by` times.
    constexpr bool find(node const& n, double by, int depth, list<term>& to) const {
        return find(n.in[0], by, true, depth, to) &&
               find(n.in[1], n.op->is == builtin::sub ? -by : by, true, depth, to);
    }
    /// The terms of a node; of a sum that is needed elsewhere too it is one. Too many, or too deep: false.
    constexpr bool find(int id, double by, bool alone, int depth, list<term>& to) const {
        node const& n = a_.nodes.items[id];
        if (++depth > deepest) return false;
        alone = alone && uses_.items[id] == 1;
        if (n.kind == node_kind::alias) return find(n.in[0], by, alone, depth, to);
        if (alone && is_sum(n)) return find(n, by, depth, to);
        if (alone && computes(n, builtin::neg)) return find(n.in[0], -by, alone, depth, to);
        if (alone && is_multiple(n)) return find(n.in[1], by * number_of(a_, n.in[0]), alone, depth, to);
        term t;
        t.is = id;
        if (!take_factors(id, 0, t) || t.own == 0) {
            t.factors = 1, t.own = 1;
            t.factor[0] = id;
        }
        t.by = by * t.own;
        to.push(t);
        return to.size() <= most_terms;
    }
    constexpr bool take_factors(int id, int depth, term& t) const {
        node const& n = a_.nodes.items[id];
        if (++depth > deepest) return false;
        if (n.kind == node_kind::alias) return take_factors(n.in[0], depth, t);
        if (a_.is_constant(id) && is_real(n)) {
            t.own *= number_of(a_, id);
            return true;
        }
        if (computes(n, builtin::neg)) {
            t.own = -t.own;
            return take_factors(n.in[0], depth, t);
        }
        if (computes(n, builtin::mul))
            return take_factors(n.in[0], depth, t) && take_factors(n.in[1], depth, t);
        if (t.factors == most_factors) return false;
        int k = t.factors++;
        for (; k > 0 && t.factor[k - 1] > id; --k) t.factor[k] = t.factor[k - 1];
        t.factor[k] = id;
        return true;
    }

    /// Whether one can take up the other: what cancels may have hidden a NaN.
    static constexpr bool may_meet(term const& x, term const& y) {
        return x.is_like(y) && x.by + y.by != 0;
    }
    /// Each is a moderate multiple of the other.
    static constexpr bool is_near(double x, double y) {
        double const most = 1e6, a = x < 0 ? -x : x, c = y < 0 ? -y : y;
        return a < most * c && c < most * a;
    }
    static constexpr void remove(list<term>& terms, int j) {
        for (; j + 1 < terms.size(); ++j) terms.items[j] = terms.items[j + 1];
        terms.resize(terms.size() - 1);
    }
    /// How many products are made for node `id` alone, which is needed here so many times.
    constexpr int products_for(int id, int times) const {
        node const& n = a_.nodes.items[id];
        if (uses_.items[id] > times) return 0;
        if (n.kind == node_kind::alias || computes(n, builtin::neg)) return products_for(n.in[0], 1);
        return computes(n, builtin::mul) ? 1 + products_for(n.in[0], 1) + products_for(n.in[1], 1) : 0;
    }
    /// Products: of single values a sum may be written so that its rounding tells something.
    constexpr bool collect(list<term>& terms) const {
        bool any = false;
        for (term& t : terms) {
            int times = 0;
            for (term const& o : terms) times += o.is == t.is;
            if (t.factors > 1) t.products = products_for(t.is, times);
        }
        for (int i = 0; i < terms.size(); ++i)
            for (int j = i + 1; j < terms.size();) {
                term const x = terms.items[i], y = terms.items[j];
                if (x.factors < 2 || !may_meet(x, y) || !is_near(x.own, y.own)) {
                    ++j;
                    continue;
                }
                terms.items[i] = y.products < x.products ? y : x;
                terms.items[i].by = x.by + y.by;
                remove(terms, j);
                any = true;
            }
        return any;
    }

    /// z (c + x) and multiples of z x: they are added within the factor.
    constexpr bool collect_in_factors(builder& b, list<term>& terms, list<int> const& number) const {
        bool any = false;
        for (int i = 0; i < terms.size(); ++i)
            for (int k = 0; k < terms.items[i].factors; ++k) {
                node const& sum = a_.nodes.items[terms.items[i].factor[k]];
                list<term> within;
                if (terms.items[i].factors < 2 || !is_sum(sum)) continue;
                if (!find(sum, 1, 0, within) || !is_short(within)) continue;
                term outside = terms.items[i];
                for (int l = k; l + 1 < outside.factors; ++l) outside.factor[l] = outside.factor[l + 1];
                --outside.factors;
                bool took = false;
                for (int j = 0; j < terms.size();) {
                    if (j == i || !takes(within, outside, terms.items[j])) {
                        ++j;
                        continue;
                    }
                    remove(terms, j);
                    if (j < i) --i;
                    took = true;
                }
                if (!took) continue;
                int made = number.items[outside.factor[0]];
                for (int l = 1; l < outside.factors; ++l)
                    made = b.real(made).mul(b, made, number.items[outside.factor[l]]);
                term& t = terms.items[i];
                t.made = b.real(made).mul(b, made, total(b, within, sum.type, number));
                t.own = 1;
                any = true;
                break;
            }
        return any;
    }
    /// A sum that is made again rather than kept: one value, and numbers.
    static constexpr bool is_short(list<term> const& terms) {
        int values = 0;
        for (term const& t : terms) values += t.factors > 0;
        return values == 1;
    }
    /// Adds `t`, which is a multiple of all factors outside and of a term within, to that term.
    constexpr bool takes(list<term>& within, term const& outside, term const& t) const {
        if (t.made >= 0 || t.products == 0) return false;
        term rest = t;
        rest.factors = 0;
        int k = 0;
        for (int j = 0; j < t.factors; ++j)
            if (k < outside.factors && t.factor[j] == outside.factor[k]) ++k;
            else rest.factor[rest.factors++] = t.factor[j];
        if (k < outside.factors || rest.factors == 0 || !is_near(t.by, outside.by)) return false;
        rest.by /= outside.by;
        for (term& w : within)
            if (may_meet(w, rest)) {
                w.by += rest.by;
                return true;
            }
        return false;
    }

    /// The terms added up, as multiply-adds where they are products; what is added comes first.
    constexpr int total(builder& b, list<term> const& terms, dtype type, list<int> const& number) const {
        int first = 0;
        for (int k = terms.size() - 1; k >= 0; --k)
            if (terms.items[k].by / terms.items[k].own > 0) first = k;
        int r = -1;
        for (int k = 0; k < terms.size(); ++k) {
            term const& t = terms.items[k == 0 ? first : k <= first ? k - 1 : k];
            double by = t.factors == 0 ? 1 : t.by / t.own;
            int x = t.factors == 0 ? b.constant(t.by, type) : t.made >= 0 ? t.made : number.items[t.is];
            if (by != 1 && by != -1) x = b.real(x).mul(b, b.constant(by, type), x), by = 1;
            if (r < 0) r = by < 0 ? b.real(x).neg(b, x) : x;
            else r = plus(b, r, x, by < 0);
        }
        return r;
    }
    static constexpr int plus(builder& b, int x, int y, bool negative) {
        int const shape = b.broadcast_shapes(b.nodes.items[x].shape, b.nodes.items[y].shape);
        auto is_product = [&](int id) { return is_op(b, id, builtin::mul) && b.nodes.items[id].shape == shape; };
        if (is_product(y)) return emit_fused(b, negative ? &real_rules::fnma : &real_rules::fma, y, x);
        if (is_product(x)) return emit_fused(b, negative ? &real_rules::fms : &real_rules::fma, x, y);
        return (negative ? b.real(x).sub : b.real(x).add)(b, x, y);
    }
};

}  // namespace tapeless::detail::ops_part
