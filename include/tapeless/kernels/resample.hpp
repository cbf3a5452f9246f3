// SPDX-License-Identifier: MIT
#pragma once
// Images at other sizes: each element is the weighted sum of two neighbours along every axis; and the transpose of
// that.

#include <type_traits>

#include <tapeless/kernels/pack.hpp>
#include <tapeless/kernels/windows.hpp>

namespace tapeless::detail::inline kernels_part {

/// Where the elements of an axis of another length come from.
struct resample_axis {
    std::int64_t in = 1, out = 1;
    /// the nearest element, or between two; the first and last elements stay where they are
    bool linear = false, corners = false;

    struct source {
        std::int64_t first, second;
        double weight;  ///< of the second
    };
    source at(std::int64_t i) const {
        if (!linear) return {i * in / out, i * in / out, 0};
        double const n = static_cast<double>(in), m = static_cast<double>(out), k = static_cast<double>(i);
        double s = corners ? (out > 1 ? k * (n - 1) / (m - 1) : 0) : (k + 0.5) * n / m - 0.5;
        if (s < 0) s = 0;
        std::int64_t f = static_cast<std::int64_t>(s);
        if (f > in - 1) f = in - 1;
        return {f, f + 1 < in ? f + 1 : f, s - static_cast<double>(f)};
    }
};

/// The sources of some columns, as columns from `lowest` on; and of some rows.
template <class T>
struct resampled_columns {
    static constexpr int L = simd::lanes<T>;
    static constexpr std::int64_t most = 256, sources = most + L;
    std::int64_t begin, count, lowest, span;
    int first[static_cast<std::size_t>(most)], second[static_cast<std::size_t>(most)];
    T weight[static_cast<std::size_t>(most)];
    resampled_columns(resample_axis const& a, std::int64_t from)
        : begin(from), count(a.out - from < most ? a.out - from : most), lowest(a.at(from).first), span(1) {
        for (std::int64_t i = 0; i < (count + L - 1) / L * L; ++i) {
            auto const s = a.at(begin + (i < count ? i : count - 1));  // those behind are computed, too
            first[i] = static_cast<int>(s.first - lowest);
            second[i] = static_cast<int>(s.second - lowest);
            weight[i] = static_cast<T>(s.weight);
            if (second[i] >= span) span = second[i] + 1;
        }
    }
    bool are_few() const { return span <= sources; }  ///< sources: enlarged, or not
};
/// f(rows, columns, item, channel) for all rows and columns of all images, some at a time.
template <class T, class F>
void each_resampled(images<T> const& y, resample_axis const* a, F const& f) {
    using some = resampled_columns<std::remove_const_t<T>>;
    for (std::int64_t h = 0; h < a[1].out; h += some::most) {
        some const rows(a[1], h);
        for (std::int64_t w = 0; w < a[0].out; w += some::most) {
            some const columns(a[0], w);
            for (std::int64_t n = 0; n < y.items; ++n)
                for (std::int64_t c = 0; c < y.channels; ++c) f(rows, columns, n, c);
        }
    }
}

/// So many rows at the columns of images that are resampled: as many as a register has lanes, one in each.
template <class T>
struct resampled_rows {
    using columns = resampled_columns<T>;
    static constexpr int L = columns::L;
    using vec = simd::detail::vec<T>;
    T at[static_cast<std::size_t>(L)][static_cast<std::size_t>(columns::most)];  ///< rows
    T turned[static_cast<std::size_t>((columns::sources + L) * L)];              ///< sources, column by column
    std::int64_t group = -1;                                                     ///< from row `group` L on

    T* turned_at(std::int64_t column) { return turned + column * L; }
    /// f(first column, rows of it) for L columns by L rows at a time, of n columns.
    template <class Load, class Store>
    TAPELESS_CONFIG_INLINE static void turn(std::int64_t n, Load const& load, Store const& store) {
        for (std::int64_t j = 0; j < n; j += L) {
            vec v[static_cast<std::size_t>(L)];
            unroll<L>([&](auto l) TAPELESS_CONFIG_INLINE { v[l.i] = load(j, l.i); });
            pack_detail::transpose<T>(v);
            unroll<L>([&](auto l) TAPELESS_CONFIG_INLINE { store(j, l.i, v[l.i]); });
        }
    }
    /// at[r](i) = (1 - v_i) x_r(first_i) + v_i x_r(second_i).
    void read(columns const& k, images<T const> const& x, T const* from, bool linear) {
        T const* row[static_cast<std::size_t>(L)];
        for (int l = 0; l < L; ++l) {
            std::int64_t const r = group * L + l < x.extent[1] ? group * L + l : x.extent[1] - 1;
            row[l] = from + r * x.step[1] + k.lowest * x.step[0];
        }
        std::int64_t const whole = x.step[0] == 1 ? k.span / L * L : 0;
        turn(
            whole,
            [&](std::int64_t j, int l) TAPELESS_CONFIG_INLINE { return simd::detail::raw(simd::load(row[l] + j)); },
            [&](std::int64_t j, int l, vec const& v)
                TAPELESS_CONFIG_INLINE { simd::store(turned_at(j + l), simd::detail::wrap<T>(v)); });
        for (std::int64_t j = whole; j < k.span; ++j)
            for (int l = 0; l < L; ++l) turned_at(j)[l] = row[l][j * x.step[0]];
        turn(
            k.count,
            [&](std::int64_t j, int l) TAPELESS_CONFIG_INLINE {
                vec const a = simd::detail::raw(simd::load(turned_at(k.first[j + l])));
                if (!linear) return a;
                T const v = k.weight[j + l];
                return (1 - v) * a + v * simd::detail::raw(simd::load(turned_at(k.second[j + l])));
            },
            [&](std::int64_t j, int l, vec const& v)
                TAPELESS_CONFIG_INLINE { simd::store(at[l] + j, simd::detail::wrap<T>(v)); });
    }
    /// Its transpose: x_r(first_i) += (1 - v_i) at[r](i), x_r(second_i) += v_i at[r](i).
    void write(columns const& k, images<T> const& x, T* to) {
        for (std::int64_t j = 0; j < k.span * L; ++j) turned[j] = T(0);
        auto const add = [&](int column, vec const& v) TAPELESS_CONFIG_INLINE {
            T* const p = turned_at(column);
            simd::store(p, simd::detail::wrap<T>(simd::detail::raw(simd::load(static_cast<T const*>(p))) + v));
        };
        turn(
            k.count,
            [&](std::int64_t j, int l) TAPELESS_CONFIG_INLINE { return simd::detail::raw(simd::load(at[l] + j)); },
            [&](std::int64_t j, int l, vec const& g) TAPELESS_CONFIG_INLINE {
                if (j + l >= k.count) return;
                T const v = k.weight[j + l];
                add(k.first[j + l], (1 - v) * g);
                if (v != 0) add(k.second[j + l], v * g);
            });
        for (int l = 0; l < L && group * L + l < x.extent[1]; ++l) {
            T* const row = to + (group * L + l) * x.step[1] + k.lowest * x.step[0];
            for (std::int64_t j = 0; j < k.span; ++j) row[j * x.step[0]] += turned_at(j)[l];
        }
    }
};

/// to(i) = u a(i) + v b(i), or a(i) alone; `to` may be a.
template <bool Both = true, class T>
void blend_rows(T const* a, T u, T const* b, T v, T* to, std::ptrdiff_t step, std::int64_t count) {
    constexpr int L = simd::lanes<T>;
    auto const at = [=](std::int64_t i) TAPELESS_CONFIG_INLINE {
        auto const x = simd::detail::raw(simd::load(a + i));
        if constexpr (Both) return u * x + v * simd::detail::raw(simd::load(b + i));
        else return x;
    };
    std::int64_t i = 0;
    if (step == 1) {
        for (; i + 4 * L <= count; i += 4 * L) {
            simd::detail::vec<T> part[4];
            unroll<4>([&](auto j) TAPELESS_CONFIG_INLINE { part[j.i] = at(i + j.i * L); });
            unroll<4>([&](auto j)
                          TAPELESS_CONFIG_INLINE { simd::store(to + i + j.i * L, simd::detail::wrap<T>(part[j.i])); });
        }
        for (; i + L <= count; i += L) simd::store(to + i, simd::detail::wrap<T>(at(i)));
    }
    for (; i < count; ++i) to[i * step] = Both ? u * a[i] + v * b[i] : a[i];
}

/// Every row of x is taken to the columns of y once, some rows together, and rows of y are sums of two such.
template <class T, class Build = simd::batch<T>>
void resample(images<T const> const& x, images<T> const& y, resample_axis const* a) {
    constexpr int L = simd::lanes<T>;
    each_resampled(
        y, a, [&](resampled_columns<T> const& rows, resampled_columns<T> const& k, std::int64_t n, std::int64_t c) {
            T const* const from = x.data + n * x.item + c * x.channel;
            T* const first = y.data + n * y.item + c * y.channel + rows.begin * y.step[1] + k.begin * y.step[0];
            if (!k.are_few() || a[1].in > 2 * a[1].out) {  // few of the elements are needed
                for (std::int64_t h = 0; h < rows.count; ++h) {
                    std::int64_t const upper = rows.lowest + rows.first[h], lower = rows.lowest + rows.second[h];
                    T const u = rows.weight[h];
                    T const* const top = from + upper * x.step[1] + k.lowest * x.step[0];
                    T const* const bottom = from + lower * x.step[1] + k.lowest * x.step[0];
                    T* const to = first + h * y.step[1];
                    for (std::int64_t i = 0; i < k.count; ++i) {
                        T const v = k.weight[i];
                        std::ptrdiff_t const p = k.first[i] * x.step[0], q = k.second[i] * x.step[0];
                        to[i * y.step[0]] = !a[1].linear ? top[p]
                                                         : (1 - u) * ((1 - v) * top[p] + v * top[q]) +
                                                               u * ((1 - v) * bottom[p] + v * bottom[q]);
                    }
                }
                return;
            }
            resampled_rows<T> some[2];
            auto const row = [&](std::int64_t r) -> T const* {
                resampled_rows<T>& s = some[r / L & 1];  // neighbours do not take each other's place
                if (s.group != r / L) {
                    s.group = r / L;
                    s.read(k, x, from, a[0].linear);
                }
                return s.at[r % L];
            };
            for (std::int64_t h = 0; h < rows.count; ++h) {
                std::int64_t const upper = rows.lowest + rows.first[h], lower = rows.lowest + rows.second[h];
                T const u = rows.weight[h];
                T const *const top = row(upper), *const bottom = row(lower);
                T* const to = first + h * y.step[1];
                if (a[1].linear) blend_rows(top, 1 - u, bottom, u, to, y.step[0], k.count);
                else blend_rows<false>(top, T(1), top, T(0), to, y.step[0], k.count);
            }
        });
}
/// Rows of y that belong to the same row of x are added up, before that takes them to its columns.
template <class T, class Build = simd::batch<T>>
void resample_back(images<T const> const& y, images<T> const& x, resample_axis const* a) {
    constexpr int L = simd::lanes<T>;
    for (std::int64_t n = 0; n < y.items; ++n)
        for (std::int64_t c = 0; c < y.channels; ++c) {
            T* const to = x.data + n * x.item + c * x.channel;
            for (std::int64_t i = 0; i < x.extent[1]; ++i)
                for (std::int64_t j = 0; j < x.extent[0]; ++j) to[i * x.step[1] + j * x.step[0]] = T(0);
        }
    each_resampled(
        y, a, [&](resampled_columns<T> const& rows, resampled_columns<T> const& k, std::int64_t n, std::int64_t c) {
            T* const to = x.data + n * x.item + c * x.channel;
            T const* const first = y.data + n * y.item + c * y.channel + rows.begin * y.step[1] + k.begin * y.step[0];
            if (!k.are_few() || a[1].in > 2 * a[1].out) {
                for (std::int64_t h = 0; h < rows.count; ++h) {
                    std::int64_t const upper = rows.lowest + rows.first[h], lower = rows.lowest + rows.second[h];
                    T const u = rows.weight[h];
                    T* const top = to + upper * x.step[1] + k.lowest * x.step[0];
                    T* const bottom = to + lower * x.step[1] + k.lowest * x.step[0];
                    T const* const from = first + h * y.step[1];
                    for (std::int64_t i = 0; i < k.count; ++i) {
                        T const v = k.weight[i], g = from[i * y.step[0]], one = (1 - v) * g, other = v * g;
                        std::ptrdiff_t const p = k.first[i] * x.step[0], q = k.second[i] * x.step[0];
                        top[p] += (1 - u) * one;
                        if (v != 0) top[q] += (1 - u) * other;
                        if (u == 0) continue;
                        bottom[p] += u * one;
                        if (v != 0) bottom[q] += u * other;
                    }
                }
                return;
            }
            resampled_rows<T> some[2];
            auto const leave = [&](resampled_rows<T>& s) {
                if (s.group >= 0) s.write(k, x, to);
            };
            auto const add = [&](std::int64_t r, T weight, T const* from) {
                resampled_rows<T>& s = some[r / L & 1];
                if (s.group != r / L) {
                    leave(s);
                    s.group = r / L;
                    for (auto& empty : s.at)
                        for (T& v : empty) v = T(0);
                }
                T* const into = s.at[r % L];
                if (y.step[0] == 1) blend_rows(into, T(1), from, weight, into, 1, k.count);
                else
                    for (std::int64_t i = 0; i < k.count; ++i) into[i] += weight * from[i * y.step[0]];
            };
            for (std::int64_t h = 0; h < rows.count; ++h) {
                std::int64_t const upper = rows.lowest + rows.first[h], lower = rows.lowest + rows.second[h];
                T const u = rows.weight[h];
                add(upper, 1 - u, first + h * y.step[1]);
                if (u != 0) add(lower, u, first + h * y.step[1]);
            }
            for (auto& s : some) leave(s);
        });
}

}  // namespace tapeless::detail::kernels_part
