// SPDX-License-Identifier: MIT
#pragma once
// Two coupled oscillators, the first with a cubic spring: x, y, u = x', v = y'; six parameters. Steps of Runge and
// Kutta through them and the adjoint of those by hand: one trajectory, derivatives carried along, and many in lanes.

#include <array>
#include <cstddef>
#include <vector>

#include <xsimd/xsimd.hpp>

namespace springs_by_hand {

/// K registers as one number for each of their lanes.
template <class T, int K>
struct lanes {
    using value_type = T;
    using batch = xsimd::batch<T>;
    static constexpr std::size_t size = K * batch::size;
    batch v[K];

    lanes() = default;
    [[gnu::always_inline]] explicit lanes(T x) {
#pragma GCC unroll 8
        for (batch& b : v) b = batch(x);
    }
    [[gnu::always_inline]] static lanes load(T const* p) {
        lanes r;
#pragma GCC unroll 8
        for (std::size_t k = 0; k < K; ++k) r.v[k] = batch::load_unaligned(p + k * batch::size);
        return r;
    }
    [[gnu::always_inline]] void store(T* p) const {
#pragma GCC unroll 8
        for (std::size_t k = 0; k < K; ++k) v[k].store_unaligned(p + k * batch::size);
    }
    template <class F>
    [[gnu::always_inline]] static lanes each(lanes const& a, lanes const& b, F f) {
        lanes r;
#pragma GCC unroll 8
        for (std::size_t k = 0; k < K; ++k) r.v[k] = f(a.v[k], b.v[k]);
        return r;
    }
    [[gnu::always_inline]] friend lanes operator+(lanes const& a, lanes const& b) {
        return each(a, b, [](batch x, batch y) { return x + y; });
    }
    [[gnu::always_inline]] friend lanes operator-(lanes const& a, lanes const& b) {
        return each(a, b, [](batch x, batch y) { return x - y; });
    }
    [[gnu::always_inline]] friend lanes operator*(lanes const& a, lanes const& b) {
        return each(a, b, [](batch x, batch y) { return x * y; });
    }
    [[gnu::always_inline]] friend lanes operator*(T a, lanes const& b) { return lanes(a) * b; }
    [[gnu::always_inline]] lanes& operator+=(lanes const& b) { return *this = *this + b; }
    [[gnu::always_inline]] lanes& operator-=(lanes const& b) { return *this = *this - b; }
};
template <class V>
struct number_of {
    using type = V;
};
template <class T, int K>
struct number_of<lanes<T, K>> {
    using type = T;
};

/// V is a number, or lanes of them.
template <class V>
using state = std::array<V, 4>;
template <class V>
using parameters = std::array<V, 6>;

template <class V>
[[gnu::always_inline]] inline state<V> slope(state<V> const& s, parameters<V> const& p) {
    V const pull = p[3] * (s[1] - s[0]);
    return {s[2], s[3], pull - p[0] * s[0] - p[1] * s[0] * s[0] * s[0] - p[2] * s[2],
            V(0) - pull - p[4] * s[1] - p[5] * s[3]};
}
/// The cotangent of a slope, added to those of the state and of the parameters.
template <class V>
[[gnu::always_inline]] inline void pull_slope(state<V> const& s, parameters<V> const& p, state<V> const& g,
                                              state<V>& by_s, parameters<V>& by_p) {
    using T = typename number_of<V>::type;
    V const pull = g[2] - g[3];
    by_s[0] -= g[2] * (p[0] + T(3) * (p[1] * s[0] * s[0])) + p[3] * pull;
    by_s[1] += p[3] * pull - g[3] * p[4];
    by_s[2] += g[0] - g[2] * p[2];
    by_s[3] += g[1] - g[3] * p[5];
    by_p[0] -= g[2] * s[0];
    by_p[1] -= g[2] * s[0] * s[0] * s[0];
    by_p[2] -= g[2] * s[2];
    by_p[3] += pull * (s[1] - s[0]);
    by_p[4] -= g[3] * s[1];
    by_p[5] -= g[3] * s[3];
}
template <class V, class T>
[[gnu::always_inline]] inline state<V> moved(state<V> const& s, T h, state<V> const& k) {
    return {s[0] + h * k[0], s[1] + h * k[1], s[2] + h * k[2], s[3] + h * k[3]};
}
/// One step.
template <class V, class T>
[[gnu::always_inline]] inline state<V> stepped(state<V> const& s, parameters<V> const& p, T h) {
    state<V> const k1 = slope(s, p), k2 = slope(moved(s, h / 2, k1), p), k3 = slope(moved(s, h / 2, k2), p),
                   k4 = slope(moved(s, h, k3), p);
    state<V> r;
#pragma GCC unroll 8
    for (std::size_t c = 0; c < 4; ++c) r[c] = s[c] + h / 6 * (k1[c] + T(2) * (k2[c] + k3[c]) + k4[c]);
    return r;
}
/// The same backwards, its stages computed again: g is the cotangent of what comes after `after`, then that of s.
template <class V, class T>
[[gnu::always_inline]] inline void step_back(state<V> const& s, state<V> const& after, parameters<V> const& p, T h,
                                             state<V>& g, parameters<V>& by_p) {
    state<V> const k1 = slope(s, p), s2 = moved(s, h / 2, k1), k2 = slope(s2, p), s3 = moved(s, h / 2, k2),
                   k3 = slope(s3, p), s4 = moved(s, h, k3);
    state<V> by_s, g1, g2, g3, g4;
#pragma GCC unroll 8
    for (std::size_t c = 0; c < 4; ++c) {
        g[c] += T(2) * after[c];
        by_s[c] = g[c];
        g1[c] = h / 6 * g[c], g2[c] = g3[c] = h / 3 * g[c], g4[c] = h / 6 * g[c];
    }
    state<V> const none{V(0), V(0), V(0), V(0)};
    state<V> d = none;
    pull_slope(s4, p, g4, d, by_p);
#pragma GCC unroll 8
    for (std::size_t c = 0; c < 4; ++c) by_s[c] += d[c], g3[c] += h * d[c];
    d = none;
    pull_slope(s3, p, g3, d, by_p);
#pragma GCC unroll 8
    for (std::size_t c = 0; c < 4; ++c) by_s[c] += d[c], g2[c] += h / 2 * d[c];
    d = none;
    pull_slope(s2, p, g2, d, by_p);
#pragma GCC unroll 8
    for (std::size_t c = 0; c < 4; ++c) by_s[c] += d[c], g1[c] += h / 2 * d[c];
    pull_slope(s, p, g1, by_s, by_p);
    g = by_s;
}

/// One trajectory: forwards the states are kept; backwards the stages of each step are computed again.
inline double adjoint(parameters<double> const& p, state<double> const& start, std::vector<double> const& times,
                      std::vector<state<double>>& kept, parameters<double>& by_p) {
    double total = 0;
    kept[0] = start;
    for (std::size_t i = 1; i < times.size(); ++i) kept[i] = stepped(kept[i - 1], p, times[i] - times[i - 1]);
    for (state<double> const& s : kept)
        for (double x : s) total += x * x;
    by_p = {};
    state<double> g{};
    for (std::size_t i = times.size() - 1; i > 0; --i)
        step_back(kept[i - 1], kept[i], p, times[i] - times[i - 1], g, by_p);
    return total;
}
/// The state and its derivatives by the six parameters, side by side through the same steps.
inline double sensitivities(parameters<double> const& p, state<double> const& start, std::vector<double> const& times,
                            parameters<double>& by_p) {
    struct both {
        state<double> s;
        std::array<state<double>, 6> d;
    };
    auto const slopes = [&](both const& x) {
        both r;
        state<double> const& s = x.s;
        r.s = slope(s, p);
        double const by_x = p[0] + 3 * p[1] * s[0] * s[0];
        double const own[6] = {-s[0], -s[0] * s[0] * s[0], -s[2], s[1] - s[0], -s[1], -s[3]};
        for (std::size_t j = 0; j < 6; ++j) {
            state<double> const& d = x.d[j];
            double const pull = p[3] * (d[1] - d[0]) + (j == 3 ? own[3] : 0.0);
            r.d[j] = {d[2], d[3], pull - by_x * d[0] - p[2] * d[2] + (j < 3 ? own[j] : 0.0),
                      -pull - p[4] * d[1] - p[5] * d[3] + (j > 3 ? own[j] : 0.0)};
        }
        return r;
    };
    auto const along = [](both const& x, double h, both const& k) {
        both r;
        r.s = moved(x.s, h, k.s);
        for (std::size_t j = 0; j < 6; ++j) r.d[j] = moved(x.d[j], h, k.d[j]);
        return r;
    };
    both now{start, {}};
    double total = 0;
    by_p = {};
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (i > 0) {
            double const h = times[i] - times[i - 1];
            both const k1 = slopes(now), k2 = slopes(along(now, h / 2, k1)), k3 = slopes(along(now, h / 2, k2)),
                       k4 = slopes(along(now, h, k3));
            now = along(along(along(along(now, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
        }
#pragma GCC unroll 8
        for (std::size_t c = 0; c < 4; ++c) {
            total += now.s[c] * now.s[c];
            for (std::size_t j = 0; j < 6; ++j) by_p[j] += 2 * now.s[c] * now.d[j][c];
        }
    }
    return total;
}

/// Many trajectories: starts, parameters and gradients lie component by component, n numbers each; n is a multiple of
/// the lanes.
template <class T>
struct many {
    std::size_t n;
    std::vector<T> starts, p, times, by_p, kept, g;

    template <class V, std::size_t C>
    [[gnu::always_inline]] void load(T const* from, std::array<V, C>& x) const {
#pragma GCC unroll 8
        for (std::size_t c = 0; c < C; ++c) x[c] = V::load(from + c * n);
    }
    template <class V, std::size_t C>
    [[gnu::always_inline]] void store(T* to, std::array<V, C> const& x) const {
#pragma GCC unroll 8
        for (std::size_t c = 0; c < C; ++c) x[c].store(to + c * n);
    }
    template <class V>
    static T sum_of(V const& v) {
        T lane[V::size], total = 0;
        v.store(lane);
        for (T x : lane) total += x;
        return total;
    }
    T step(std::size_t i) const { return times[i] - times[i - 1]; }

    /// K registers of trajectories at a time, each from its first step to its last and back.
    template <int K>
    [[gnu::noinline]] T items_outside() {
        using V = lanes<T, K>;
        std::size_t const count = times.size();
        kept.resize(count * 4 * V::size);
        V total(0);
        for (std::size_t i = 0; i + V::size <= n; i += V::size) {
            parameters<V> own, by;
            state<V> s, before, back;
            load(&p[i], own);
            load(&starts[i], s);
            by.fill(V(0));
            back.fill(V(0));
            auto at = [&](std::size_t t, std::size_t c) { return &kept[(t * 4 + c) * V::size]; };
            for (std::size_t t = 0; t < count; ++t) {
                if (t > 0) s = stepped(s, own, step(t));
#pragma GCC unroll 8
                for (std::size_t c = 0; c < 4; ++c) s[c].store(at(t, c)), total += s[c] * s[c];
            }
            for (std::size_t t = count - 1; t > 0; --t) {
#pragma GCC unroll 8
                for (std::size_t c = 0; c < 4; ++c) before[c] = V::load(at(t - 1, c));
                step_back(before, s, own, step(t), back, by);
                s = before;
            }
            store(&by_p[i], by);
        }
        return sum_of(total);
    }
    /// Step by step, each for all trajectories, K registers at a time.
    template <int K>
    [[gnu::noinline]] T steps_outside() {
        using V = lanes<T, K>;
        std::size_t const count = times.size();
        kept.resize(count * 4 * n);
        g.assign(4 * n, 0);
        by_p.assign(6 * n, 0);
        V total(0);
        parameters<V> own, by;
        state<V> s, after, back;
        for (std::size_t t = 0; t < count; ++t)
            for (std::size_t i = 0; i + V::size <= n; i += V::size) {
                if (t > 0) {
                    load(&p[i], own);
                    load(&kept[(t - 1) * 4 * n + i], s);
                    s = stepped(s, own, step(t));
                } else {
                    load(&starts[i], s);
                }
                store(&kept[t * 4 * n + i], s);
#pragma GCC unroll 8
                for (std::size_t c = 0; c < 4; ++c) total += s[c] * s[c];
            }
        for (std::size_t t = count - 1; t > 0; --t)
            for (std::size_t i = 0; i + V::size <= n; i += V::size) {
                load(&p[i], own);
                load(&by_p[i], by);
                load(&kept[(t - 1) * 4 * n + i], s);
                load(&kept[t * 4 * n + i], after);
                load(&g[i], back);
                step_back(s, after, own, step(t), back, by);
                store(&g[i], back);
                store(&by_p[i], by);
            }
        return sum_of(total);
    }
};

}  // namespace springs_by_hand
