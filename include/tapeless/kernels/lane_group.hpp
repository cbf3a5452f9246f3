// SPDX-License-Identifier: MIT
#pragma once
// As many numbers as some registers have lanes, as one: what is computed with them is computed in every lane.

#include <cstdint>
#include <type_traits>
#include <utility>

#include <tapeless/kernels/pack.hpp>
#include <tapeless/simd/elementary.hpp>

namespace tapeless::detail::inline kernels_part {

/// W registers side by side, so that what one waits for is hidden by the others; one number where W is 0.
template <class T, int W>
struct lane_group {
    using part = std::conditional_t<W == 0, T, simd::batch<T>>;
    static constexpr int parts = W ? W : 1, lanes = W ? W * simd::lanes<T> : 1;
    part v[static_cast<std::size_t>(parts)];

    TAPELESS_CONFIG_INLINE static lane_group all(T x) {
        return each([&](int) TAPELESS_CONFIG_INLINE { return part(x); });
    }
    template <class F>
    TAPELESS_CONFIG_INLINE static lane_group each(F const& f) {
        if constexpr (parts == 2) return {{f(0), f(1)}};
        else return {{f(0)}};
    }
    template <class F>
    TAPELESS_CONFIG_INLINE static void both(F const& f) {
        f(0);
        if constexpr (parts == 2) f(1);
    }
    T get(int l) const {
        if constexpr (W == 0) return v[0];
        else return v[l / simd::lanes<T>].get(static_cast<std::size_t>(l % simd::lanes<T>));
    }
    TAPELESS_CONFIG_INLINE friend lane_group operator+(lane_group const& a, lane_group const& b) {
        return each([&](int p) TAPELESS_CONFIG_INLINE { return simd::add(a.v[p], b.v[p]); });
    }
    TAPELESS_CONFIG_INLINE friend lane_group operator*(lane_group const& a, lane_group const& b) {
        return each([&](int p) TAPELESS_CONFIG_INLINE { return simd::mul(a.v[p], b.v[p]); });
    }
    TAPELESS_CONFIG_INLINE friend lane_group operator/(lane_group const& a, lane_group const& b) {
        return each([&](int p) TAPELESS_CONFIG_INLINE { return simd::div(a.v[p], b.v[p]); });
    }
    /// c - a b
    TAPELESS_CONFIG_INLINE static lane_group minus_product(lane_group const& c, lane_group const& a,
                                                           lane_group const& b) {
        return each([&](int p) TAPELESS_CONFIG_INLINE { return simd::fnma(a.v[p], b.v[p], c.v[p]); });
    }
    TAPELESS_CONFIG_INLINE static lane_group least(lane_group const& a, lane_group const& b) {
        return each([&](int p) TAPELESS_CONFIG_INLINE { return simd::minimum(a.v[p], b.v[p]); });
    }
    TAPELESS_CONFIG_INLINE static lane_group root(lane_group const& x) {
        return each([&](int p) TAPELESS_CONFIG_INLINE { return simd::sqrt(x.v[p]); });
    }
    TAPELESS_CONFIG_INLINE static lane_group size(lane_group const& x) {
        return each([&](int p) TAPELESS_CONFIG_INLINE { return simd::abs(x.v[p]); });
    }
    /// The larger one of a and |b|.
    TAPELESS_CONFIG_INLINE static lane_group larger_size(lane_group const& a, lane_group const& b) {
        return each([&](int p) TAPELESS_CONFIG_INLINE { return simd::maximum(a.v[p], simd::abs(b.v[p])); });
    }
    /// Whether a > |b| anywhere.
    TAPELESS_CONFIG_INLINE static bool any_larger(lane_group const& a, lane_group const& b) {
        if constexpr (W == 0) return simd::abs(b.v[0]) < a.v[0];
        else {
            auto found = simd::less(simd::abs(b.v[0]), a.v[0]);
            for (int p = 1; p < parts; ++p) found = simd::either(found, simd::less(simd::abs(b.v[p]), a.v[p]));
            return simd::any(found);
        }
    }
    /// |b| where it is less than a, else a
    TAPELESS_CONFIG_INLINE static lane_group least_size(lane_group const& a, lane_group const& b) {
        return each([&](int p) TAPELESS_CONFIG_INLINE {
            part const size = simd::abs(b.v[p]);
            return simd::select(simd::less(size, a.v[p]), size, a.v[p]);
        });
    }
    /// x and y change places where |x| < |y|; so do those that f is given, f(exchange).
    template <class F>
    TAPELESS_CONFIG_INLINE static void larger_first(lane_group const& x, lane_group const& y, F const& f) {
        decltype(simd::less(x.v[0], y.v[0])) m[static_cast<std::size_t>(parts)];
        both([&](int p) TAPELESS_CONFIG_INLINE { m[p] = simd::less(simd::abs(x.v[p]), simd::abs(y.v[p])); });
        f([&](lane_group& a, lane_group& b) TAPELESS_CONFIG_INLINE {
            both([&](int p) TAPELESS_CONFIG_INLINE {
                part const t = simd::select(m[p], b.v[p], a.v[p]);
                b.v[p] = simd::select(m[p], a.v[p], b.v[p]);
                a.v[p] = t;
            });
        });
    }
    /// i where |x| is `size`, else j; i where a < b, else j.
    TAPELESS_CONFIG_INLINE static lane_group where_size(lane_group const& size, lane_group const& x,
                                                        lane_group const& i, lane_group const& j) {
        return each([&](int p) TAPELESS_CONFIG_INLINE {
            return simd::select(simd::equal(simd::abs(x.v[p]), size.v[p]), i.v[p], j.v[p]);
        });
    }
    TAPELESS_CONFIG_INLINE static lane_group where_less(lane_group const& a, lane_group const& b, lane_group const& i,
                                                        lane_group const& j) {
        return each([&](int p)
                        TAPELESS_CONFIG_INLINE { return simd::select(simd::less(a.v[p], b.v[p]), i.v[p], j.v[p]); });
    }
    /// 1 in lane l, else 0; and a and b change places where there is not 0.
    TAPELESS_CONFIG_INLINE static lane_group only(int l) {
        alignas(64) T one[static_cast<std::size_t>(lanes)]{};
        one[l] = 1;
        if constexpr (W == 0) return all(1);
        else
            return each([&](int p) TAPELESS_CONFIG_INLINE {
                return simd::load(static_cast<T const*>(one + p * simd::lanes<T>));
            });
    }
    TAPELESS_CONFIG_INLINE static void exchange(lane_group const& where, lane_group& a, lane_group& b) {
        both([&](int p) TAPELESS_CONFIG_INLINE {
            auto const here = simd::less(part(T(0)), where.v[p]);
            part const t = simd::select(here, b.v[p], a.v[p]);
            b.v[p] = simd::select(here, a.v[p], b.v[p]);
            a.v[p] = t;
        });
    }
    /// 1/x; 1 where x is 0
    TAPELESS_CONFIG_INLINE static lane_group inverse_or_one(lane_group const& x) {
        return each([&](int p) TAPELESS_CONFIG_INLINE {
            part const one(T(1)), zero(T(0));
            return simd::div(one, simd::select(simd::equal(x.v[p], zero), one, x.v[p]));
        });
    }
    bool any_zero() const {
        bool any = false;
        for (int l = 0; l < lanes; ++l) any = any || get(l) == 0;
        return any;
    }
    /// Whether x > 0 in all lanes: not where there is NaN.
    TAPELESS_CONFIG_INLINE bool all_positive() const { return all_more_than(0); }
    TAPELESS_CONFIG_INLINE bool all_more_than(T bound) const {
        if constexpr (W == 0) return v[0] > bound;
        else {
            auto good = simd::less(part(bound), v[0]);
            for (int p = 1; p < parts; ++p) good = simd::both(good, simd::less(part(bound), v[p]));
            return !simd::any(simd::none_of(good));
        }
    }
};

}  // namespace tapeless::detail::kernels_part
