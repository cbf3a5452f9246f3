// SPDX-License-Identifier: MIT
#pragma once
// Bijections from arrays of any real numbers to what parameters are allowed to be, for samplers: positive, interval,
// simplex, cholesky_corr. Each has forward(u), inverse(x), and log_jacobian(u) = ln |d forward/du|, summed over all
// elements: the density of u is that of forward(u) plus this.

#include <tapeless/functional/softmax.hpp>
#include <tapeless/ops/cumulative.hpp>
#include <tapeless/ops/hyperbolic.hpp>
#include <tapeless/ops/join.hpp>
#include <tapeless/ops/normal.hpp>
#include <tapeless/ops/power.hpp>
#include <tapeless/ops/slice.hpp>
#include <tapeless/ops/triangle.hpp>

namespace tapeless {

/// Refuses a vector that is no triangle.
template <class Shape>
struct cholesky_corr_needs_a_triangle {
    static_assert(never<Shape>,
                  "cholesky_corr: u is a vector of n (n - 1)/2 elements (1, 3, 6, ...), known when compiled");
};

namespace detail::inline functional_part {

/// x = e^u
struct positive_bijection {
    template <expression U>
    static constexpr auto forward(U const& u) {
        return exp(u);
    }
    template <expression X>
    static constexpr auto inverse(X const& x) {
        return log(x);
    }
    template <expression U>
    static constexpr auto log_jacobian(U const& u) {
        return sum(u);
    }
};

/// x = lo + (hi - lo) sigmoid(u)
template <class Lo, class Hi>
struct interval_bijection {
    Lo lo;
    Hi hi;
    template <expression U>
    constexpr auto forward(U const& u) const {
        return lo + (hi - lo) * sigmoid(u);
    }
    template <expression X>
    constexpr auto inverse(X const& x) const {
        return logit((x - lo) / (hi - lo));
    }
    /// ln(hi - lo) + ln sigmoid(u) + ln(1 - sigmoid(u))
    template <expression U>
    constexpr auto log_jacobian(U const& u) const {
        auto const v = let(u);
        using T = typename U::value_type;
        if constexpr (number<Lo> && number<Hi>)
            return sum(v - 2.0 * log1pexp(v) + log(literal<T>(static_cast<double>(hi - lo))));
        else return sum(v - 2.0 * log1pexp(v) + log(hi - lo));
    }
};

/// n - 1 numbers along the last axis to n that are positive and sum to 1: softmax of them and a 0 at the end.
struct simplex_bijection {
    template <expression U>
    static constexpr auto forward(U const& u) {
        return softmax<-1>(with_zero(u));
    }
    template <expression X>
    static constexpr auto inverse(X const& x) {
        auto const l = let(log(x));
        return slice<-1, 0, -1>(l) - slice<-1, -1, to_end>(l);
    }
    /// The determinant of dx_i/du_j is the product of all x.
    template <expression U>
    static constexpr auto log_jacobian(U const& u) {
        return sum(log_softmax<-1>(with_zero(u)));
    }

private:
    template <class U, int... K>
    static constexpr auto padded(U const& u, std::integer_sequence<int, K...>) {
        return pad<(K == 2 * U::rank - 1 ? 1 : 0)...>(u);
    }
    template <class U>
    static constexpr auto with_zero(U const& u) {
        static_assert(U::rank > 0, "simplex: u is an array of rank 1 or more");
        return padded(u, std::make_integer_sequence<int, 2 * U::rank>{});
    }
};

/// n (n-1)/2 numbers, row by row below the diagonal, to the Cholesky factor of an n x n correlation matrix: with z =
/// tanh(u), L_ij = z_ij sqrt((1 - z_i1^2) ... (1 - z_i,j-1^2)), and such a root in the diagonal.
struct cholesky_corr_bijection {
    template <expression U>
    static constexpr auto forward(U const& u) {
        return at(u, [](auto z, auto s, auto) { return z * exp(0.5 * (cumsum<1>(s) - s)); });
    }
    /// The sum over i > j of ln(1 - z_ij^2) and of half of what stands before it in its row.
    template <expression U>
    static constexpr auto log_jacobian(U const& u) {
        return at(u, [](auto, auto s, auto all) { return sum(all) + 0.5 * sum(tril(cumsum<1>(s) - s, -1)); });
    }
    template <expression L>
    static constexpr auto inverse(L const& l) {
        constexpr int n = static_cast<int>(dims_of<typename L::shape_type>().from_right(0));
        auto const sq = let(square(l));
        auto const z = let(l * rsqrt(1.0 - (cumsum<1>(sq) - sq)));
        return below<n>(z, std::make_integer_sequence<int, n - 1>{});
    }

private:
    /// f(z with 1 in the diagonal, ln(1 - z^2), the same as a vector), the first two as matrices
    template <class U, class F>
    static constexpr auto at(U const& u, F f) {
        constexpr std::int64_t m = U::rank == 1 ? dims_of<typename U::shape_type>().from_right(0) : -1;
        constexpr int n = [] {
            int k = 1;
            while (k < 1000 && k * (k - 1) / 2 < m) ++k;
            return k;
        }();
        auto const v = let(u);
        if constexpr (m < 1 || n * (n - 1) / 2 != m) {
            refuse(because<cholesky_corr_needs_a_triangle<typename U::shape_type>>{});
            auto const one = let(reshape<1, 1>(sum(v)));
            return f(one, one, one);
        } else {
            auto const z = let(tanh(v));
            // ln(1 - tanh(v)^2) = ln 4 - 2 ln(e^v + e^-v)
            auto const s = let(2.0 * (v - log1pexp(2.0 * v)) + 1.38629436111989061883);
            using rows = std::make_integer_sequence<int, n>;
            return f(let(triangle<n, true>(z, rows{})), let(triangle<n, false>(s, rows{})), s);
        }
    }
    template <int N, bool Diagonal, class V, int... I>
    static constexpr auto triangle(V const& v, std::integer_sequence<int, I...>) {
        return stack<0>(row<N, I, Diagonal>(v)...);
    }
    template <int N, int I, bool Diagonal, class V>
    static constexpr auto row(V const& v) {
        auto const part = slice<0, I*(I - 1) / 2, I*(I + 1) / 2>(v);
        return pad<0, N - 1 - I>(pad<0, 1>(part, Diagonal ? 1.0 : 0.0));
    }
    template <int N, class Z, int... I>
    static constexpr auto below(Z const& z, std::integer_sequence<int, I...>) {
        return atanh(concat<0>(slice<0, 0, I + 1>(select<0>(z, I + 1))...));
    }
};

}  // namespace detail::functional_part

namespace bijection {

inline constexpr detail::positive_bijection positive{};
inline constexpr detail::simplex_bijection simplex{};
inline constexpr detail::cholesky_corr_bijection cholesky_corr{};
/// To numbers between lo and hi, which are numbers or expressions.
template <operand_like Lo, operand_like Hi>
constexpr detail::interval_bijection<Lo, Hi> interval(Lo const& lo, Hi const& hi) {
    return {lo, hi};
}

}  // namespace bijection
}  // namespace tapeless
