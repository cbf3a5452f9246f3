// SPDX-License-Identifier: MIT
#pragma once
// One row of the catalogue: an operation, the same function by hand and its derivative by hand, measured and compared.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numbers>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "support/elementwise_loop.hpp"
#include "support/numbers.hpp"

namespace catalogue {

namespace ad = tapeless;
using namespace handwritten;

inline constexpr std::size_t elements = 4096;
inline bool failed = false;

/// Speeds of the same work in three ways.
struct speeds {
    double library, libm, xsimd;
    double ratio() const { return library / std::max(libm, xsimd); }
};
/// The fastest of many short turns, which the three take one after the other: on a busy machine some are not disturbed.
speeds speeds_of(std::function<void()> const& library, std::function<void()> const& libm,
                 std::function<void()> const& xsimd);

template <class T>
void compare(char const* name, std::vector<T> const& result, std::vector<T> const& expected) {
    double const apart = difference(std::span<T const>(result), std::span<T const>(expected));
    if (!(apart <= (sizeof(T) == 4 ? 2e-5 : 1e-12))) {
        failed = true;
        std::printf("%s: differs from the loop by hand by %g\n", name, apart);
    }
}
inline void print(char const* type, char const* name, speeds forward, speeds gradient) {
    std::printf("%-6s %-12s %8.0f %8.0f %8.0f %6.2f %8.0f %8.0f %8.0f %6.2f\n", type, name, forward.library,
                forward.libm, forward.xsimd, forward.ratio(), gradient.library, gradient.libm, gradient.xsimd,
                gradient.ratio());
    std::fflush(stdout);
}

template <class T>
struct table {
    static constexpr char const* type = sizeof(T) == 4 ? "float" : "double";
    std::string_view only;

    /// op on expressions; value(x) and slope(x) on a number or a batch; x is drawn from [low, high].
    template <class Op, class Value, class Slope>
    void one(char const* name, double low, double high, Op, Value value, Slope slope) const {
        if (!only.empty() && only != name) return;
        std::vector<T> x(elements), w(elements), y(elements), z(elements), b(elements);
        fill(x, low, high);
        fill(w, 0.5, 1.5);
        auto forward = ad::fused([](auto v) { return Op{}(v); });
        auto gradient = ad::grad<0>([](auto v, auto u) { return sum(Op{}(v) * u); });
        auto const weighted = [slope](auto u, auto v) { return u * slope(v); };
        auto const f = speeds_of([&] { forward(ad::into(y), x); },
                                 [&] { each_number(z.data(), elements, value, x.data()); },
                                 [&] { each_batch(b.data(), elements, value, x.data()); });
        compare(name, y, z);
        auto const g = speeds_of([&] { gradient(ad::into(y), x, w); },
                                 [&] { each_number(z.data(), elements, weighted, w.data(), x.data()); },
                                 [&] { each_batch(b.data(), elements, weighted, w.data(), x.data()); });
        compare(name, y, z);
        print(type, name, f, g);
    }
    /// The same with two operands; slope(a, b) gives both derivatives.
    template <class Op, class Value, class Slope>
    void two(char const* name, double low, double high, Op, Value value, Slope slope) const {
        if (!only.empty() && only != name) return;
        std::vector<T> a(elements), c(elements), w(elements), y(elements), y2(elements), z(elements), z2(elements),
            b(elements), b2(elements);
        fill(a, low, high);
        fill(c, low, high);
        fill(w, 0.5, 1.5);
        auto forward = ad::fused([](auto u, auto v) { return Op{}(u, v); });
        auto gradient = ad::grad<0, 1>([](auto u, auto v, auto t) { return sum(Op{}(u, v) * t); });
        auto const weighted = [slope](auto t, auto u, auto v) {
            auto const s = slope(u, v);
            return std::pair(t * s.first, t * s.second);
        };
        auto const f = speeds_of([&] { forward(ad::into(y), a, c); },
                                 [&] { each_number(z.data(), elements, value, a.data(), c.data()); },
                                 [&] { each_batch(b.data(), elements, value, a.data(), c.data()); });
        compare(name, y, z);
        auto const g = speeds_of(
            [&] { gradient(ad::into(y, y2), a, c, w); },
            [&] { each_number(z.data(), z2.data(), elements, weighted, w.data(), a.data(), c.data()); },
            [&] { each_batch(b.data(), b2.data(), elements, weighted, w.data(), a.data(), c.data()); });
        compare(name, y, z);
        compare(name, y2, z2);
        print(type, name, f, g);
    }

    /// Where one function is written the same for expressions, numbers and batches.
    template <class Same, class Slope>
    void one(char const* name, double low, double high, Same same, Slope slope) const {
        one(name, low, high, same, same, slope);
    }
};

struct options {
    std::string_view only{};
    bool in_float = true, in_double = true;
};

// The families, a file each: they are compiled side by side.
void arithmetic(options const&);
void exponential(options const&);
void trigonometric(options const&);
void activations(options const&);
void stepwise(options const&);
void binary(options const&);

/// rows(table) for the element types asked for.
template <class Rows>
void run(options const& o, Rows rows) {
    if (o.in_double) rows(table<double>{o.only});
    if (o.in_float) rows(table<float>{o.only});
}

}  // namespace catalogue
