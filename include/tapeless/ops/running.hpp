// SPDX-License-Identifier: MIT
#pragma once
// Running products, logarithms of running sums of exponentials, running extremes along an axis.

#include <cmath>
#include <limits>

#include <tapeless/ops/cumulative.hpp>
#include <tapeless/ops/exponential.hpp>
#include <tapeless/ops/extremes.hpp>
#include <tapeless/ops/indexed.hpp>

namespace tapeless {
namespace detail::inline ops_part {

/// f(row of the result, row of each operand...) along an axis: pointers to the first element and strides; from the
/// other end where the attribute says so.
template <class T, int N, class F>
TAPELESS_CONFIG_INLINE inline void each_row(strided const* in, strided const& out, attribute const& at, F&& f) {
    int const axis = static_cast<int>(at.axes);
    std::int64_t const n = out.extent[axis];
    if (n == 0) return;
    std::ptrdiff_t step[static_cast<std::size_t>(N + 1)], begin[static_cast<std::size_t>(N + 1)];
    for (int j = 0; j <= N; ++j) {
        step[j] = (j == 0 ? out : in[j - 1]).stride[axis];
        begin[j] = at.runs_backwards() ? (n - 1) * step[j] : 0;
        if (at.runs_backwards()) step[j] = -step[j];
    }
    loop_nest<N + 1> others;
    for (int k = 0; k < out.rank; ++k) {
        if (k == axis) continue;
        if constexpr (N == 1) others.add(out.extent[k], out.stride[k], in[0].stride[k]);
        else others.add(out.extent[k], out.stride[k], in[0].stride[k], in[1].stride[k]);
    }
    others.each(0, [&](std::ptrdiff_t const* p) {
        std::ptrdiff_t first[static_cast<std::size_t>(N + 1)];
        for (int j = 0; j <= N; ++j) first[j] = p[j] + begin[j];
        f(n, first, step);
    });
}

/// Base of what goes along the axis in attr.axes (from the right), backwards where the number is 1; the shape stays.
template <fixed_string Name>
struct running : custom_loop<Name> {
    static constexpr bool takes_leading_axes = true;
    static constexpr dims shape(builder& b, node const& n) { return b.shape_of(n.in[0]); }
};
constexpr attribute reversed(attribute const& at) {
    return {.axes = at.axes, .number = at.runs_backwards() ? 0.0 : 1.0};
}

/// y(i) = x(i - 1), and the offset (0 or 1) in front.
struct previous_op : running<"previous"> {
    static constexpr auto pullback(auto g, auto y, auto x, attribute const& at) {
        using T = typename decltype(x)::value_type;
        builder& b = *x.graph;
        return cotangents(
            emit_custom_loop<previous_op, T>(b, reversed(at), {emit_expand(b, g.id, dims(b.shape_of(y.id)))}));
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const& out, attribute const& at) {
        each_row<T, 1>(in, out, at, [&](std::int64_t n, std::ptrdiff_t const* first, std::ptrdiff_t const* step) {
            T* const to = out.as<T>() + first[0];
            T const* const from = in[0].as<T const>() + first[1];
            to[0] = static_cast<T>(at.offset);
            for (std::int64_t i = 1; i < n; ++i) to[i * step[0]] = from[(i - 1) * step[1]];
        });
    }
};
template <class T>
constexpr node_ref<T> emit_previous(node_ref<T> x, attribute at, int start = 0) {
    at.offset = start;
    return emit_custom_loop<previous_op, T>(*x.graph, at, {x.id});
}

/// y(i) = a(i) y(i - 1) + b(i), from y = 0. What flows back is r(i) = a(i + 1) r(i + 1) + g(i): by b r(i), by a r(i)
/// y(i - 1).
struct recurrence_op : running<"recurrence"> {
    template <class T>
    static constexpr node_ref<T> back(node_ref<T> g, node_ref<T> a, node_ref<T> y, attribute const& at) {
        builder& b = *a.graph;
        int const full = emit_expand(b, g.id, dims(b.shape_of(y.id)));
        attribute const other = reversed(at);
        return emit_custom_loop<recurrence_op, T, T>(b, other, {emit_previous<T>(a, other).id, full});
    }
    static constexpr auto pullback(auto g, auto y, auto a, auto, attribute const& at) {
        using T = typename decltype(a)::value_type;
        node_ref<T> const r = back<T>(g, a, y, at);
        return cotangents(r * emit_previous<T>(y, at), r);
    }
    template <class T, class, class Build = simd::batch<T>>
    static void run(strided const* in, strided const& out, attribute const& at) {
        each_row<T, 2>(in, out, at, [&](std::int64_t n, std::ptrdiff_t const* first, std::ptrdiff_t const* step) {
            T* const to = out.as<T>() + first[0];
            T const *const a = in[0].as<T const>() + first[1], *const b = in[1].as<T const>() + first[2];
            T y = b[0];  // not a(0) * 0 + b(0): a may be infinite there
            to[0] = y;
            for (std::int64_t i = 1; i < n; ++i) {
                y = a[i * step[1]] * y + b[i * step[2]];
                to[i * step[0]] = y;
            }
        });
    }
};

/// y(i) = x(0) * ... * x(i) obeys y(i) = x(i) y(i - 1): exact where some x are 0.
struct cumprod_op : running<"cumprod"> {
    static constexpr auto pullback(auto g, auto y, auto x, attribute const& at) {
        using T = typename decltype(x)::value_type;
        return cotangents(recurrence_op::back<T>(g, x, y, at) * emit_previous<T>(y, at, 1));
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const& out, attribute const& at) {
        using C = carry_of<T>;
        each_row<T, 1>(in, out, at, [&](std::int64_t n, std::ptrdiff_t const* first, std::ptrdiff_t const* step) {
            T* const to = out.as<T>() + first[0];
            T const* const from = in[0].as<T const>() + first[1];
            C y = 1;
            for (std::int64_t i = 0; i < n; ++i) {
                y = static_cast<C>(y * static_cast<C>(from[i * step[1]]));
                to[i * step[0]] = static_cast<T>(y);
            }
        });
    }
};

/// y(i) = ln(e^x(0) + ... + e^x(i)). What flows back is e^(x(i) - y(i)) r(i) with r(i) = e^(y(i) - y(i + 1)) r(i + 1) +
/// g(i), where no exponent is positive.
struct logcumsumexp_op : running<"logcumsumexp"> {
    static constexpr auto pullback(auto g, auto y, auto x, attribute const& at) {
        using T = typename decltype(x)::value_type;
        builder& b = *x.graph;
        auto share = [](auto part, auto whole) {
            return where(part == whole, 1.0, exp(part - whole));
        };  // also where both are infinite
        attribute const other = reversed(at);
        node_ref<T> const next = emit_previous<T>(y, other);  // y(i + 1)
        node_ref<T> const ratio = share(y, next);
        int const full = emit_expand(b, g.id, dims(b.shape_of(y.id)));
        node_ref<T> const r = emit_custom_loop<recurrence_op, T, T>(b, other, {ratio.id, full});
        return cotangents(r * share(x, y));
    }
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const& out, attribute const& at) {
        each_row<T, 1>(in, out, at, [&](std::int64_t n, std::ptrdiff_t const* first, std::ptrdiff_t const* step) {
            T* const to = out.as<T>() + first[0];
            T const* const from = in[0].as<T const>() + first[1];
            double most = static_cast<double>(from[0]), sum = 1;  // y = most + ln sum
            to[0] = from[0];
            for (std::int64_t i = 1; i < n; ++i) {
                double const v = static_cast<double>(from[i * step[1]]);
                if (v > most) {
                    sum = sum * std::exp(most - v) + 1;
                    most = v;
                } else if (v == v && v > -std::numeric_limits<double>::infinity()) {
                    sum += std::exp(v - most);
                } else if (v != v) {
                    sum = v;
                }
                to[i * step[0]] = static_cast<T>(most + std::log(sum));
            }
        });
    }
};

/// Where the largest (smallest) of x(0), ..., x(i) is: the first of several; NaN counts as one.
template <bool Largest>
struct running_position_op : running<Largest ? fixed_string("cummax") : fixed_string("cummin")> {
    static constexpr bool differentiable = false;
    template <class...>
    using result = std::int64_t;
    template <class T, class Build = simd::batch<T>>
    static void run(strided const* in, strided const& out, attribute const& at) {
        each_row<T, 1>(in, out, at, [&](std::int64_t n, std::ptrdiff_t const* first, std::ptrdiff_t const* step) {
            std::int64_t* const to = out.as<std::int64_t>() + first[0];
            T const* const from = in[0].as<T const>() + first[1];
            std::int64_t best = 0;
            for (std::int64_t i = 0; i < n; ++i) {
                T const v = from[i * step[1]], known = from[best * step[1]];
                bool const better = Largest ? v > known : v < known;
                if (better || (v != v && known == known)) best = i;
                to[i * step[0]] = best;
            }
        });
    }
};

template <>
inline constexpr builtin builtin_of<previous_op> = builtin::previous;
template <>
inline constexpr builtin builtin_of<recurrence_op> = builtin::recurrence;
template <>
inline constexpr builtin builtin_of<cumprod_op> = builtin::running_product;

template <class Op, int Axis, class A>
constexpr auto run_along(A const& x) {
    using T = typename A::value_type;
    static_assert(!is_flag<T>, "convert a mask with cast<T>(...)");
    if constexpr (is_node_ref<A>) {
        int const rank = x.graph->shape_of(x.id).rank;
        return emit_custom_loop<Op, T>(*x.graph, attribute{.axes = axis_from_right(Axis, rank)}, {x.id});
    } else if constexpr (Axis >= A::rank || Axis < -A::rank) {
        return refuse(because<axis_out_of_range<Op, Axis, typename A::shape_type>>{}), x;
    } else {
        return apply_custom_loop<Op, typename A::shape_type>(attribute{.axes = axis_from_right(Axis, A::rank)},
                                                             widened(x));
    }
}
}  // namespace detail::ops_part

/// y(i) = x(0) * ... * x(i) along an axis; the gradient is exact also where some are 0.
template <int Axis, expression A>
constexpr auto cumprod(A const& x) {
    return detail::run_along<detail::cumprod_op, Axis>(x);
}
/// y(i) = ln(e^x(0) + ... + e^x(i)) along an axis, whatever the size of x.
template <int Axis, expression A>
constexpr auto logcumsumexp(A const& x) {
    static_assert(std::floating_point<detail::computed<typename A::value_type>>,
                  "logcumsumexp: convert with cast<T>(...)");
    return detail::run_along<detail::logcumsumexp_op, Axis>(x);
}
/// The largest of x(0), ..., x(i) along an axis and where it is (int64): { values, indices }. The first of several gets
/// the gradient.
template <int Axis, expression A>
constexpr auto cummax(A const& a) {
    auto const x = let(a);
    auto const indices = let(detail::run_along<detail::running_position_op<true>, Axis>(x));
    auto const values = let(gather<Axis>(x, indices));
    return extremes<std::remove_const_t<decltype(values)>, std::remove_const_t<decltype(indices)>>{values, indices};
}
/// The smallest of x(0), ..., x(i) along an axis and where it is: as cummax.
template <int Axis, expression A>
constexpr auto cummin(A const& a) {
    auto const x = let(a);
    auto const indices = let(detail::run_along<detail::running_position_op<false>, Axis>(x));
    auto const values = let(gather<Axis>(x, indices));
    return extremes<std::remove_const_t<decltype(values)>, std::remove_const_t<decltype(indices)>>{values, indices};
}

}  // namespace tapeless
