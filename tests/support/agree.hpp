// SPDX-License-Identifier: MIT
#pragma once
// agree: everything the library computes of a function, compared with the oracle on the graph as it was traced, on the
// graph after every pass, and (the derivative rules) with central differences.

#include "support/oracle.hpp"

#include <tapeless/tapeless.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace oracle {

// ---- between the library's arrays and the oracle's ----------------------------------------------------------------

/// All arrays of a tree.
template <class A>
void read(A const& tree, std::vector<array>& to) {
    graph::each_leaf(tree, [&](auto const& leaf) {
        using traits = graph::leaf_traits<std::remove_cvref_t<decltype(leaf)>>;
        using T = typename traits::value_type;
        auto const extents = traits::extents(leaf);
        array x(graph::dtype_of<T>(), lengths(extents.begin(), extents.end()));
        lengths stride = strides_of(x.shape);
        if constexpr (!traits::is_dense) {
            auto const s = traits::strides(leaf);
            stride.assign(s.begin(), s.end());
        }
        places const at = walk(x.shape, stride);
        for (std::size_t i = 0; i < at.size(); ++i) {
            T const v = traits::data(leaf)[static_cast<std::ptrdiff_t>(at[i])];
            if constexpr (std::integral<T>) x.whole[i] = static_cast<std::int64_t>(v);
            else if constexpr (graph::storage_only<T>) x.real[i] = static_cast<float>(v);
            else x.real[i] = v;
        }
        to.push_back(std::move(x));
    });
}
template <class... A>
std::vector<array> read_all(A const&... a) {
    std::vector<array> r;
    (read(a, r), ...);
    return r;
}

// ---- the graph between the passes ----------------------------------------------------------------------------------

struct stage {
    char const* pass;
    graph::traced made;
};
/// Tracing is an ordinary function: here it runs when the test does, and costs the compiler no constant evaluation.
template <class F, graph::wanted W, class... A, int... I>
std::vector<stage> trace_stages(std::integer_sequence<int, I...> indices) {
    using source = graph::source_of<F, W, std::integer_sequence<int, I...>, graph::argument_list<>, A...>;
    std::vector<stage> r;
    (void)graph::trace<F, W, A...>(indices, source::dense(), [&](char const* pass, graph::traced const& t) {
        r.push_back({pass, t});
    });
    return r;
}

// ---- comparing -----------------------------------------------------------------------------------------------------

inline constexpr double tolerance = 4;  ///< errors of the oracle, which are estimates to first order

struct range {
    long double smallest, largest;
};
inline range range_of(dtype type) {
    switch (type) {
        case dtype::f32: return {std::numeric_limits<float>::min(), std::numeric_limits<float>::max()};
        case dtype::f64: return {std::numeric_limits<double>::min(), std::numeric_limits<double>::max()};
        case dtype::f16: return {0x1p-24L, 65504};
        case dtype::bf16: return {std::numeric_limits<float>::min(), std::numeric_limits<float>::max()};
        default: return {0, std::numeric_limits<long double>::max()};
    }
}

inline bool is_close(long double is, long double should, double error, dtype type) {
    if (error == unknown) return true;
    if (std::isnan(should)) return std::isnan(is);
    range const r = range_of(type);
    if (std::abs(should) > r.largest) return is == should || (std::abs(is) > r.largest / 2 && (is > 0) == (should > 0));
    if (is == should) return true;
    return std::abs(is - should) <= tolerance * static_cast<long double>(error) + r.smallest;
}

/// The first element of an array that is not what it should be; "" where there is none. `is` may be the oracle's, with
/// errors of its own.
inline std::string difference(array const& is, array const& should) {
    std::ostringstream s;
    s.precision(20);
    if (is.size() != should.size()) {
        s << "has the shape " << text_of(is.shape) << " instead of " << text_of(should.shape);
        return s.str();
    }
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < is.size(); ++i) {
        if (is_close(is.number(i), should.number(i), is.error_of(i) + should.error_of(i), should.type)) continue;
        if (wrong++ == 0) first = i;
    }
    if (wrong == 0) return "";
    lengths at(should.shape.size());
    std::int64_t rest = static_cast<std::int64_t>(first);
    for (std::size_t a = at.size(); a-- > 0; rest /= should.shape[a]) at[a] = rest % should.shape[a];
    s << "is " << is.number(first) << " instead of " << should.number(first) << " at " << text_of(at) << " of "
      << text_of(should.shape) << " (tolerance " << tolerance * (is.error_of(first) + should.error_of(first))
      << "), wrong are " << wrong;
    return s.str();
}

/// What went wrong, one line each.
struct report {
    std::string text;
    int lines = 0;

    void add(std::string const& what, std::string const& how) {
        if (how.empty()) return;
        if (++lines <= 8) text += what + " " + how + "\n";
    }
    void compare(std::string const& what, std::vector<array> const& is, std::vector<array> const& should,
                 std::size_t values) {
        if (is.size() != should.size())
            return add(what,
                       "makes " + std::to_string(is.size()) + " results instead of " + std::to_string(should.size()));
        for (std::size_t k = 0; k < is.size(); ++k)
            add(what + ": " + (k < values ? "value " + std::to_string(k) : "gradient " + std::to_string(k - values)),
                difference(is[k], should[k]));
    }
};

struct checks {
    bool passes = true;       ///< the oracle on the graph after every pass
    bool differences = true;  ///< central differences: not where a function jumps, or its rule is not its derivative
};

/// Gradients, from result number `values` on, of the first result: (f(x + h) - f(x - h)) / 2h, all in long double.
inline void compare_with_differences(report& r, graph::traced const& function, std::vector<array> arguments,
                                     std::vector<int> const& leaves, std::vector<array> const& results,
                                     std::size_t values) {
    for (std::size_t k = 0; k < leaves.size(); ++k) {
        array& x = arguments[static_cast<std::size_t>(leaves[k])];
        array const& g = results[values + k];
        long double const coarse = x.type == dtype::f64 ? 1e-7L : 1e-4L;  // constants in a rule are of the element type
        long double size = 0;
        for (long double v : g.real) size = std::max(size, std::abs(v));
        for (std::size_t i = 0; i < x.size(); ++i) {
            long double const was = x.real[i], h = 1e-5L * std::max(1.0L, std::abs(was));
            x.real[i] = was + h;
            long double const up = evaluate(function, arguments)[0].real.at(0);
            x.real[i] = was - h;
            long double const down = evaluate(function, arguments)[0].real.at(0);
            x.real[i] = was;
            long double const slope = (up - down) / (2 * h);
            if (!std::isfinite(slope)) continue;  // such as the mean of nothing
            if (std::abs(slope - g.real[i]) <=
                coarse * (std::abs(slope) + size + 1e-3L) + static_cast<long double>(g.error_of(i)))
                continue;
            std::ostringstream s;
            s.precision(12);
            s << "is " << g.real[i] << " instead of " << slope << " at element " << i;
            r.add("central differences: gradient " + std::to_string(k), s.str());
            break;
        }
    }
}

/// What the oracle says of f and these types of arguments; traced once.
template <class F, class Indices, class... A>
struct traced_function;
template <class F, int... I, class... A>
struct traced_function<F, std::integer_sequence<int, I...>, A...> {
    static std::vector<stage> const& values() {
        static auto const s = trace_stages<F, graph::wanted::value, A...>(std::integer_sequence<int>{});
        return s;
    }
    static std::vector<stage> const& both() {
        static auto const s = trace_stages<F, graph::wanted::both, A...>(std::integer_sequence<int, I...>{});
        return s;
    }
    static std::vector<int> leaves() {
        std::vector<int> l;
        for (int i : {I...})
            for (int k = graph::argument_list<A...>::first[static_cast<std::size_t>(i)];
                 k < graph::argument_list<A...>::first[static_cast<std::size_t>(i) + 1]; ++k)
                l.push_back(k);
        return l;
    }
};

/// "" where evaluate(f), value_and_grad<I...>(f) (if there are I), the oracle on every graph in between and central
/// differences agree on every element of every result.
template <int... I, class F, class... A>
std::string agree(checks const& wanted, F const& f, A const&... a) {
    using oracles = traced_function<graph::plain_function<F>, std::integer_sequence<int, I...>, A...>;
    std::vector<array> const arguments = read_all(a...);
    std::vector<stage> const& values = oracles::values();
    report r;
    if (!takes(values[0].made, arguments)) {
        try {
            (void)tapeless::evaluate(f, a...);
            r.add("evaluate", "does not refuse these lengths");
        } catch (tapeless::shape_error const&) {}
        return r.text;
    }
    auto check = [&](char const* name, std::vector<stage> const& stages, std::vector<array> const& is,
                     std::size_t count) {
        std::vector<array> const should = evaluate(stages[0].made, arguments);
        r.compare(name, is, should, count);
        for (std::size_t s = 1; wanted.passes && s < stages.size(); ++s)
            r.compare(std::string("oracle after ") + stages[s].pass + " for " + name,
                      evaluate(stages[s].made, arguments), should, count);
        return should;
    };
    auto const count = static_cast<std::size_t>(values[0].made.outputs.size());
    std::vector<array> const value = check("evaluate", values, read_all(tapeless::evaluate(f, a...)), count);
    if constexpr (sizeof...(I) > 0) {
        auto const result = tapeless::value_and_grad<I...>(f)(a...);
        std::vector<array> const all =
            check("value_and_grad", oracles::both(), read_all(result.value, result.grad), count);
        for (std::size_t k = 0; k < count; ++k)
            r.add("oracle of value and gradients: value " + std::to_string(k), difference(all[k], value[k]));
        if (wanted.differences) compare_with_differences(r, values[0].made, arguments, oracles::leaves(), all, count);
    }
    if (r.lines > 8) r.text += "... and " + std::to_string(r.lines - 8) + " more\n";
    return r.text;
}
template <int... I, class F, class... A>
    requires(!std::same_as<F, checks>)
std::string agree(F const& f, A const&... a) { return agree<I...>(checks{}, f, a...); }

/// The same for forward mode: jvp<I...>(f) in a direction without a pattern, and the oracle's f a little to either side
/// in it.
template <int... I, class F, class... A>
std::string agree_forward(F const& f, A const&... a) {
    auto const all = std::tie(a...);
    auto direction = [](auto const& argument, int seed) {
        auto t = argument;
        graph::each_leaf(t, [&](auto& leaf) {
            using traits = graph::leaf_traits<std::remove_cvref_t<decltype(leaf)>>;
            auto const extents = traits::extents(leaf);
            for (std::int64_t i = 0, n = count(lengths(extents.begin(), extents.end())); i < n; ++i)
                traits::data(leaf)[i] =
                    static_cast<typename traits::value_type>(std::cos(3.7 * static_cast<double>(i) + seed));
        });
        return t;
    };
    auto const tangents = std::make_tuple(direction(std::get<static_cast<std::size_t>(I)>(all), I)...);
    auto const with_tangents =
        std::tuple_cat(all, std::apply([](auto const&... t) { return std::tie(t...); }, tangents));
    report r;
    r.text = std::apply([&](auto const&... x) { return agree(checks{}, tapeless::jvp<I...>(f), x...); }, with_tangents);
    if (!r.text.empty()) return r.text;

    auto const made = std::apply([&](auto const&... x) { return tapeless::jvp<I...>(f)(x...); }, with_tangents);
    std::vector<array> const is = read_all(made.tangent), at = read_all(a...);
    std::vector<array> const by = std::apply([](auto const&... t) { return read_all(t...); }, tangents);
    using oracles = traced_function<graph::plain_function<F>, std::integer_sequence<int, I...>, A...>;
    std::vector<int> const leaves = oracles::leaves();
    auto moved = [&](long double h) {
        std::vector<array> x = at;
        for (std::size_t k = 0; k < leaves.size(); ++k)
            for (std::size_t i = 0; i < by[k].size(); ++i)
                x[static_cast<std::size_t>(leaves[k])].real[i] += h * by[k].real[i];
        return evaluate(oracles::values()[0].made, x);
    };
    long double const h = 1e-5L;
    std::vector<array> const up = moved(h), down = moved(-h);
    for (std::size_t k = 0; k < is.size(); ++k)
        for (std::size_t i = 0; i < is[k].real.size(); ++i) {
            long double const slope = (up[k].real[i] - down[k].real[i]) / (2 * h),
                              coarse = is[k].type == dtype::f64 ? 1e-7L : 1e-4L;
            if (!std::isfinite(slope) || std::abs(slope - is[k].real[i]) <= coarse * (1 + std::abs(slope))) continue;
            std::ostringstream s;
            s.precision(12);
            s << "is " << is[k].real[i] << " instead of " << slope << " at element " << i;
            r.add("central differences: tangent " + std::to_string(k), s.str());
            break;
        }
    return r.text;
}

}  // namespace oracle
