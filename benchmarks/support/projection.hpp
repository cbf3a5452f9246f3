// SPDX-License-Identifier: MIT
#pragma once
// A point seen by a camera, 15 numbers (rotation 3, place 3, focus, centre 2, distortion 2, point 3, weight) to 2, and
// the derivatives of both by all of them, by hand.

#include "loop_tools.hpp"

namespace handwritten {

/// out[r] is derivative number r / 2 of result r % 2 in `get(i)`'s terms; B is a register or a number.
template <class B, class Get, class Put>
[[gnu::always_inline]] inline void projection_jacobian(Get get, Put put) {
    using simd::fma;
    B const r0 = get(0), r1 = get(1), r2 = get(2);
    B const x0 = get(11) - get(3), x1 = get(12) - get(4), x2 = get(13) - get(5);
    B const theta = simd::sqrt(fma(r0, r0, fma(r1, r1, fma(r2, r2, B(1e-12)))));
    B const c = simd::cos(theta), s = simd::sin(theta), inverse = B(1) / theta;
    B const w0 = r0 * inverse, w1 = r1 * inverse, w2 = r2 * inverse;
    B const along = fma(w0, x0, fma(w1, x1, w2 * x2)), d = B(1) - c, t = along * d;
    B const e0 = w1 * x2 - w2 * x1, e1 = w2 * x0 - w0 * x2, e2 = w0 * x1 - w1 * x0;
    B const p0 = fma(x0, c, fma(e0, s, w0 * t)), p1 = fma(x1, c, fma(e1, s, w1 * t)),
            p2 = fma(x2, c, fma(e2, s, w2 * t));
    B const by = B(1) / p2, u = p0 * by, v = p1 * by, q = fma(u, u, v * v), k1 = get(9), k2 = get(10);
    B const l = fma(q, fma(k2, q, k1), B(1)), f = get(6), w = get(14), lf = l * f, wf = w * f, q2 = q * q;
    put(14, 0, fma(u, lf, get(7))), put(14, 1, fma(v, lf, get(8)));
    put(7, 0, w), put(7, 1, B(0)), put(8, 0, B(0)), put(8, 1, w);
    put(6, 0, w * u * l), put(6, 1, w * v * l);
    put(9, 0, wf * u * q), put(9, 1, wf * v * q), put(10, 0, wf * u * q2), put(10, 1, wf * v * q2);
    B const dl = wf * fma(B(2) * k2, q, k1), wlf = w * lf;
    for (int y = 0; y < 2; ++y) {
        B const h = B(2) * dl * (y == 0 ? u : v);
        B const gu = y == 0 ? fma(h, u, wlf) : h * u, gv = y == 0 ? h * v : fma(h, v, wlf);
        B const g0 = gu * by, g1 = gv * by, g2 = -(fma(gu, u, gv * v)) * by;
        B const gt = fma(g0, w0, fma(g1, w1, g2 * w2));  // by t
        B const gs = fma(g0, e0, fma(g1, e1, g2 * e2)), gc = fma(g0, x0, fma(g1, x1, g2 * x2)) - gt * along;
        B const h0 = g0 * s, h1 = g1 * s, h2 = g2 * s, ga = gt * d;
        B const gx0 = fma(g0, c, fma(ga, w0, h1 * w2 - h2 * w1)), gx1 = fma(g1, c, fma(ga, w1, h2 * w0 - h0 * w2)),
                gx2 = fma(g2, c, fma(ga, w2, h0 * w1 - h1 * w0));
        put(11, y, gx0), put(12, y, gx1), put(13, y, gx2), put(3, y, -gx0), put(4, y, -gx1), put(5, y, -gx2);
        B const gw0 = fma(g0, t, fma(ga, x0, h2 * x1 - h1 * x2)), gw1 = fma(g1, t, fma(ga, x1, h0 * x2 - h2 * x0)),
                gw2 = fma(g2, t, fma(ga, x2, h1 * x0 - h0 * x1));
        B const gtheta = (gs * c - gc * s) - fma(gw0, w0, fma(gw1, w1, gw2 * w2)) * inverse;
        put(0, y, fma(gtheta, w0, gw0 * inverse)), put(1, y, fma(gtheta, w1, gw1 * inverse)),
            put(2, y, fma(gtheta, w2, gw2 * inverse));
    }
}

/// Of items that lie one after the other, 15 numbers each: (n, 2, 15).
template <class T>
[[gnu::noinline]] void projection_rows(T* to, T const* from, std::int64_t n) {
    constexpr int L = simd::lanes<T>;
    using B = simd::batch<T>;
    for (std::int64_t i = 0; i + L <= n; i += L) {
        T in[15][L], out[30][L];
        for (int j = 0; j < 15; ++j)
            for (int e = 0; e < L; ++e) in[j][e] = from[(i + e) * 15 + j];
        projection_jacobian<B>([&](int j) __attribute__((always_inline)) { return simd::load(in[j]); },
                               [&](int j, int y, B const& x)
                                   __attribute__((always_inline)) { simd::store(out[y * 15 + j], x); });
        for (int e = 0; e < L; ++e)
            for (int j = 0; j < 30; ++j) to[(i + e) * 30 + j] = out[j][e];
    }
}
/// Of 15 columns: 30 of them, number 2 j + y the derivative of result y by column j.
template <class T>
[[gnu::noinline]] void projection_columns(T* const* to, T const* const* from, std::int64_t n) {
    constexpr int L = simd::lanes<T>;
    using B = simd::batch<T>;
    for (std::int64_t i = 0; i + L <= n; i += L)
        projection_jacobian<B>([&](int j) __attribute__((always_inline)) { return simd::load(from[j] + i); },
                               [&](int j, int y, B const& x)
                                   __attribute__((always_inline)) { simd::store(to[2 * j + y] + i, x); });
}

}  // namespace handwritten
