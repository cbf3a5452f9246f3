// SPDX-License-Identifier: MIT
#pragma once
// Factors of matrices in lanes, by loops: of sizes that only run time knows, or too large to be written out.

#include <tapeless/kernels/lane_group.hpp>

namespace tapeless::detail::inline kernels_part {

/// Matrices of n rows, one in each lane.
template <class Number, int Most>
struct lane_matrix {
    Number at[static_cast<std::size_t>(Most * Most)];
    int n;
    TAPELESS_CONFIG_INLINE Number* operator[](int i) { return at + i * n; }
    TAPELESS_CONFIG_INLINE Number const* operator[](int i) const { return at + i * n; }
};

template <class T, int W, int Most>
struct lane_loops {
    using number = lane_group<T, W>;
    using matrix = lane_matrix<number, Most>;
    using vector = number[static_cast<std::size_t>(Most)];

    /// As small_matrices::cholesky. Two columns at a time: of two rows below, four sums stay in registers while the
    /// columns before are gone through.
    static number cholesky(matrix& a, int n) {
        number const one = number::all(1), zero = number::all(0), half = number::all(T(0.5));
        number least = one;
        auto both = [&](number const* row, int i, int j) TAPELESS_CONFIG_INLINE {
            number& above = a[j][i];
            number const sum = half * (row[j] + above);
            above = zero;
            return sum;
        };
        for (int j = 0; j < n; j += 2) {
            int const next = j + 1 < n ? j + 1 : j;
            number *const x = a[j], *const y = a[next];
            number p = x[j], q = next > j ? both(y, next, j) : zero, r = y[next];
            for (int k = 0; k < j; ++k) {
                p = number::minus_product(p, x[k], x[k]);
                q = number::minus_product(q, x[k], y[k]);
                r = number::minus_product(r, y[k], y[k]);
            }
            least = number::least(least, p);
            number const by = (x[j] = number::root(p)) * (one / p);
            if (next == j) break;
            number const beside = y[j] = q * by;
            r = number::minus_product(r, beside, beside);
            least = number::least(least, r);
            number const by_next = (y[next] = number::root(r)) * (one / r);
            for (int i = j + 2; i < n; i += 2) {
                int const below = i + 1 < n ? i + 1 : i;  // an odd last one twice
                number *const s = a[i], *const t = a[below];
                number c00 = both(s, i, j), c01 = both(s, i, next), c10 = c00, c11 = c01;
                if (below > i) c10 = both(t, below, j), c11 = both(t, below, next);
                for (int k = 0; k < j; ++k) {
                    c00 = number::minus_product(c00, s[k], x[k]);
                    c01 = number::minus_product(c01, s[k], y[k]);
                    c10 = number::minus_product(c10, t[k], x[k]);
                    c11 = number::minus_product(c11, t[k], y[k]);
                }
                s[j] = c00 = c00 * by;
                s[next] = number::minus_product(c01, c00, beside) * by_next;
                t[j] = c10 = c10 * by;
                t[next] = number::minus_product(c11, c10, beside) * by_next;
            }
        }
        return least;
    }

    /// p a = l u in the place of a, two columns at a time, and p x in that of x; with Eliminate l⁻¹ p x, and of a only
    /// u, unless there is room for p in `from`.
    template <bool Eliminate = false>
    static void lu(matrix& a, vector& x, int n, number* from = nullptr) {
        bool const keep = !Eliminate || from;
        for (int k = 0; k < n; k += 2) {
            number *const p = a[k], *const q = a[k + 1];
            number inverse = pivot(a, x, from, k, keep ? 0 : k, n);
            if (k + 1 == n) break;
            for (int i = k + 1; i < n; ++i) {
                number* const r = a[i];
                number const f = r[k] = r[k] * inverse;
                r[k + 1] = number::minus_product(r[k + 1], f, p[k + 1]);
            }
            inverse = pivot(a, x, from, k + 1, keep ? 0 : k, n);
            number const own = q[k], known = x[k];
            if (Eliminate) x[k + 1] = number::minus_product(x[k + 1], own, known);
            number const next = x[k + 1];
            for (int j = k + 2; j < n; ++j) q[j] = number::minus_product(q[j], own, p[j]);
            for (int i = k + 2; i < n; i += 2) {
                number *const s = a[i], *const t = a[i + 1 < n ? i + 1 : i];  // an odd last one twice
                number const f = s[k], g = s[k + 1] * inverse, h = t[k], e = t[k + 1] * inverse;
                for (int j = k + 2; j < n; ++j) {
                    number const first = number::minus_product(number::minus_product(s[j], f, p[j]), g, q[j]),
                                 second = number::minus_product(number::minus_product(t[j], h, p[j]), e, q[j]);
                    s[j] = first;
                    t[j] = second;
                }
                if (Eliminate) {
                    number const y = number::minus_product(number::minus_product(x[i], f, known), g, next);
                    if (i + 1 < n) x[i + 1] = number::minus_product(number::minus_product(x[i + 1], h, known), e, next);
                    x[i] = y;
                }
                if (keep) {
                    s[k + 1] = g;
                    t[k + 1] = e;
                }
            }
        }
    }

    /// x = t⁻¹ x (see small_matrices): each one is subtracted from those that follow as soon as it is known.
    template <bool Lower, bool Transposed>
    static void solve(matrix const& a, vector const& inverse, vector& x, int n) {
        for (int s = 0; s < n; ++s) {
            int const i = Lower ? s : n - 1 - s;
            number const known = x[i] = x[i] * inverse[i];
            for (int j = Lower ? i + 1 : 0, end = Lower ? n : i; j < end; ++j)
                x[j] = number::minus_product(x[j], Transposed ? a[i][j] : a[j][i], known);
        }
    }

private:
    /// The row with the largest number in column k changes places with row k, from a column on, lane by lane: of many
    /// rows that is less than exchanging them as they are met. Returns 1 / pivot, 1 where it is 0: then all below are,
    /// too.
    static number pivot(matrix& a, vector& x, number* from, int k, int first, int n) {
        number largest = number::all(0), which = number::all(static_cast<T>(k));
        for (int i = k + 1; i < n; ++i) largest = number::larger_size(largest, a[i][k]);
        if (number::any_larger(largest, a[k][k])) {
            number const own = a[k][k];
            for (int i = n - 1; i > k; --i)
                which = number::where_size(largest, a[i][k], number::all(static_cast<T>(i)), which);
            which = number::where_less(number::size(own), largest, which, number::all(static_cast<T>(k)));
            for (int l = 0; l < number::lanes; ++l) {
                int const row = static_cast<int>(which.get(l));
                if (row == k) continue;
                number const lane = number::only(l);
                number *const s = a[k], *const t = a[row];
                for (int j = first; j < n; ++j) number::exchange(lane, s[j], t[j]);
                number::exchange(lane, x[k], x[row]);
                if (from) number::exchange(lane, from[k], from[row]);
            }
        }
        return number::inverse_or_one(a[k][k]);
    }
};

}  // namespace tapeless::detail::kernels_part
