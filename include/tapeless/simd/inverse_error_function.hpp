// SPDX-License-Identifier: MIT
#pragma once
// erfinv, erfcinv and the quantiles of the normal distribution.

#include <numbers>

#include <tapeless/simd/through_double.hpp>

namespace tapeless::simd {

namespace detail {

// erfinv x = x (centre_0 + centre[0] v + centre[1] v^2 + ...) with v = x^2 - 9/32 for |x| <= 3/4, relative error 7e-17.
// Further out, with t = sqrt(-ln z), erfcinv z = t (near[0] + near[1] u + ...) for u = (t - pole)/(t + pole), and
// from t = 4 on with the other constants; 5e-17.
template <class T>
struct erfinv_constants {
    static constexpr T centre_0 = 0.9640216376238271, centre_0_root_2 = 1.3633324743487374;
    static constexpr T centre[] = {0.3323299940576822, 0.24893511100365384, 0.2325230501536039,  0.24128321682528003,
                                   0.2662517271366084, 0.30588531014107107, 0.36155284470335153, 0.4364734893321661,
                                   0.5355815090105687, 0.6657678698121416,  0.8363278223132812,  1.0598456898286868,
                                   1.354695088705246,  1.7412907517601133,  2.2146356022453153,  2.8618327554842447,
                                   4.220666478442351,  5.640383175493403,   3.050714102636866,   3.383605451889536,
                                   26.476687751721276, 36.48924625227927};
    static constexpr T near[] = {
        0.8525575119943756, 0.3933930747650397, -0.41268882904560633, 0.23577508639702993, -0.04712497570324776,
        -0.0875059259425872, 0.13366295665056985, -0.10537169701943717, 0.03615158961737584, 0.03248756302551825,
        -0.07118131001528169, 0.06879761090673535, -0.03478282794924427, -0.009838712504650278, 0.04244333365667056,
        -0.050368055071679664, 0.035098042928116906, -0.002806485347873464, -0.03711588582061254, 0.040256373886406065};
    static constexpr T far[] = {
        0.9865589184834137, 0.04470316112589744, -0.07140128552842052, 0.0863053548156148, -0.09547263054261958,
        0.10007654991379976, -0.10133327458213603, 0.09979967236606363, -0.09606804376961256, 0.09052560679190652,
        -0.0835805035538549, 0.07554751929216356, -0.06674261125949064, 0.05744085493926883, -0.0479873742746239,
        0.03844932291006959, -0.028214323574125733, 0.01904117774239326, -0.01647011362320565, 0.009309438906926829,
        0.025484461555946393, -0.03385930823377459, -0.0439146194863342, 0.042723659560537135, 0.10695615120659596,
        -0.11210244955953926};
    static constexpr T near_pole = 2.1875, far_pole = 10.4375, border = 4, last = 27.31;
};

// erfinv x for x = 1 - z, where x is used next to 0 and z, from 0 to 1/4, for large |x|; as Normal times sqrt(2).
template <class T, bool Normal = false>
[[gnu::always_inline]] inline vec<T> erf_inverse(vec<T> x, vec<T> z) {
    using k = erfinv_constants<T>;
    constexpr T scale = Normal ? std::numbers::sqrt2_v<T> : T(1);
    vec<T> const v = madd<T>(x, x, splat<T>(T(-0.28125)));
    vec<T> const start = x * (Normal ? k::centre_0_root_2 : k::centre_0);
    vec<T> const sum = madd<T>(x * scale, v * polynomial<T>(k::centre, v, v * v), start);
    vec<T> const centre = x == T(0) ? start : sum;  // keeps the sign of 0
    auto const is_tail = lanes_where<T>(z < T(0.25));
    if (!any_lane<T>(is_tail)) return centre;
    vec<T> const t2 = (Normal ? T(-2) : T(-1)) * log<T>(z), t = root<T>(t2), a = at_most<T>(t / scale, k::last);
    vec<T> const u = (a - k::near_pole) / (a + k::near_pole);
    vec<T> tail = t * polynomial<T>(k::near, u, u * u);
    auto const is_far = lanes_where<T>(a > k::border) & is_tail;
    if (any_lane<T>(is_far)) {
        vec<T> const w = (a - k::far_pole) / (a + k::far_pole);
        tail = is_far ? t * polynomial<T>(k::far, w, w * w) : tail;
    }
    // the rounding error of the root; the derivative by t is about 1
    tail += a < k::last ? T(0.5) * madd<T>(-t, t, t2) / t : vec<T>{};
    return is_tail ? (x < T(0) ? -tail : tail) : centre;
}

struct erfinv_kernel {
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> x) {
        return erf_inverse<T>(x, T(1) - magnitude<T>(x));
    }
};
struct erfcinv_kernel {
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> z) {
        return erf_inverse<T>(T(1) - z, z < T(1) ? z : T(2) - z);
    }
};
struct inv_normal_cdf_kernel {
    template <class T>
    [[gnu::always_inline]] static vec<T> of(vec<T> p) {
        vec<T> const twice = p + p;
        return erf_inverse<T, true>(twice - T(1), p < T(0.5) ? twice : T(2) - twice);
    }
};

}  // namespace detail

/// The x whose erf it is: infinite at -1 and 1, NaN beyond.
inline constexpr detail::through_double<detail::erfinv_kernel> erfinv{};
/// The x whose erfc it is: infinite at 0 and 2, NaN beyond.
inline constexpr detail::through_double<detail::erfcinv_kernel> erfcinv{};
/// The x whose normal_cdf it is: infinite at 0 and 1, NaN beyond.
inline constexpr detail::through_double<detail::inv_normal_cdf_kernel> inv_normal_cdf{};

}  // namespace tapeless::simd
