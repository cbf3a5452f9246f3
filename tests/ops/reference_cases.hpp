// SPDX-License-Identifier: MIT
#pragma once
// Runs the reference vectors through operations. Shapes in the files are run-time values, a traced function is compiled
// for a *pattern* of them: `run` (a run-time extent) or 1 on each axis.
//
// The checked scalar is sum(op(x...) * cot). Its gradient by cot is op(x...) itself, so one traced function gives the
// output and the gradients of a case.

#include <tapeless/tapeless.hpp>

#include <fstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/reference.hpp"

namespace reference {

namespace ad = tapeless;

template <class T>
std::string file_of(std::string const& family_name) {
    return std::is_same_v<T, float> ? family_name + "_f32" : family_name;
}

/// How many cases of an operation the file holds, counted without the reader.
inline std::size_t count_in_file(std::string const& family_name, std::string_view op) {
    std::ifstream file(TAPELESS_TEST_DATA "/" + family_name + ".txt");
    std::size_t n = 0;
    for (std::string line; std::getline(file, line);) n += line == "op " + std::string(op);
    return n;
}

template <class Op>
inline constexpr auto weighted_unary = [](auto x, auto cot) { return sum(Op{}(x) * cot); };
template <class Op>
inline constexpr auto weighted_binary = [](auto a, auto b, auto cot) { return sum(Op{}(a, b) * cot); };

/// Every case that `accept` takes, flattened to one run-time axis. Returns how many.
template <class T, class Op, class Accept>
std::size_t run_unary_if(Op, std::string const& family_name, std::string_view op, Accept accept) {
    auto gradient = ad::grad<0, 1>(weighted_unary<Op>);
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>(family_name), op)) {
        if (!accept(c)) continue;
        auto const [dx, out] = gradient(c.in("x").as<T>(), c.cot().as<T>());
        CHECK(check_close(c.out(), out, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        ++n;
    }
    return n;
}
/// Every case of the operation.
template <class T, class Op>
void run_unary(Op f, std::string_view op) {
    auto const n = run_unary_if<T>(f, "unary", op, [](test_case const&) { return true; });
    CHECK(n == count_in_file(file_of<T>("unary"), op));
}

/// A number among the parameters of a case, and what stands for it where it is absent.
struct scalar_parameter {
    std::string name;
    double absent = 0;
    double of(test_case const& c) const { return c.has_parameter(name) ? c.number(name) : absent; }
};
template <class Op>
inline constexpr auto weighted_with_parameters = [](auto x, auto cot, auto... p) { return sum(Op{}(x, p...) * cot); };

/// Every case of an operation whose parameters may be run-time numbers: one traced function for all of them.
template <class T, class Op, class... P>
void run_with_parameters(Op, std::string_view op, P const&... parameter) {
    auto gradient = ad::grad<0, 1>(weighted_with_parameters<Op>);
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("unary"), op)) {
        auto const [dx, out] = gradient(c.in("x").as<T>(), c.cot().as<T>(), static_cast<T>(parameter.of(c))...);
        CHECK(check_close(c.out(), out, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("unary"), op));
}

// Patterns --------------------------------------------------------------------------------------------------------

inline constexpr int run = -1;  // a run-time extent in a pattern

/// The extents of one operand: run or 1.
template <int... E>
struct shape_pattern {
    static constexpr int rank = static_cast<int>(sizeof...(E));
    template <int X>
    static constexpr auto extent() {
        if constexpr (X < 0) return ad::dyn;
        else return X;
    }
    template <class T>
    using array = std::conditional_t<rank == 0, T, ad::tensor<T, extent<E>()...>>;

    static bool matches(std::vector<std::int64_t> const& shape) {
        constexpr std::int64_t want[] = {E..., 0};
        if (shape.size() != sizeof...(E)) return false;
        for (std::size_t k = 0; k < sizeof...(E); ++k)
            if ((shape[k] == 1) != (want[k] == 1)) return false;
        return true;
    }
    template <class T>
    static auto make(tensor const& t) {
        if constexpr (rank == 0) {
            return static_cast<T>(t.item());
        } else {
            std::array<std::int64_t, sizeof...(E)> lengths{};
            for (std::size_t k = 0; k < lengths.size(); ++k) lengths[k] = t.shape[k];
            auto a = array<T>::with_extents(lengths);
            for (std::size_t i = 0; i < t.size(); ++i) a.data()[i] = static_cast<T>(t.values[i]);
            return a;
        }
    }
};

template <class A, class B, class Out>
struct binary_pattern {
    using a = A;
    using b = B;
    using out = Out;
};

/// The two operands of a case and its output, after axes that behave alike were merged: (2, 3, 4) with (4) is (6, 4)
/// with (4). Axes of extent 1 in the output vanish. The elements stay where they are.
struct collapsed {
    std::vector<std::int64_t> a, b, out;

    static std::int64_t from_right(std::vector<std::int64_t> const& s, std::size_t k) {
        return k < s.size() ? s[s.size() - 1 - k] : 1;
    }
    explicit collapsed(test_case const& c) {
        auto const &sa = c.in("a").shape, &sb = c.in("b").shape, &so = c.out().shape;
        int last = -1;
        for (std::size_t k = 0; k < so.size(); ++k) {  // from the right
            auto const ea = from_right(sa, k), eb = from_right(sb, k), eo = from_right(so, k);
            if (eo == 1) continue;
            int const kind = (ea == eo ? 1 : 0) + (eb == eo ? 2 : 0);
            if (kind == last) {
                a.front() *= ea;
                b.front() *= eb;
                out.front() *= eo;
            } else {
                a.insert(a.begin(), ea);
                b.insert(b.begin(), eb);
                out.insert(out.begin(), eo);
            }
            last = kind;
        }
        while (!a.empty() && a.front() == 1) a.erase(a.begin());
        while (!b.empty() && b.front() == 1) b.erase(b.begin());
    }
};

inline tensor with_shape(tensor t, std::vector<std::int64_t> const& shape) {
    t.shape = shape;
    return t;
}

/// One case through one pattern; false where the shapes do not match it.
template <class T, class Pattern, class Op>
bool run_binary_as(Op, test_case const& c, std::vector<std::int64_t> const& a, std::vector<std::int64_t> const& b,
                   std::vector<std::int64_t> const& out) {
    if (!Pattern::a::matches(a) || !Pattern::b::matches(b) || !Pattern::out::matches(out)) return false;
    auto const [da, db, value] = ad::grad<0, 1, 2>(weighted_binary<Op>)(
        Pattern::a::template make<T>(with_shape(c.in("a"), a)), Pattern::b::template make<T>(with_shape(c.in("b"), b)),
        Pattern::out::template make<T>(with_shape(c.cot(), out)));
    static_assert(std::is_same_v<std::remove_const_t<decltype(da)>, typename Pattern::a::template array<T>>);
    static_assert(std::is_same_v<std::remove_const_t<decltype(db)>, typename Pattern::b::template array<T>>);
    CHECK(check_close(c.out(), value, c, "out") == "");
    if (c.has("in", "a")) CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
    if (c.has("in", "b")) CHECK(check_close(c.grad("b"), db, c, "grad b") == "");
    return true;
}

/// The element of an operand that an element of the output reads.
inline std::vector<std::size_t> sources(std::vector<std::int64_t> const& operand,
                                        std::vector<std::int64_t> const& out) {
    std::size_t n = 1;
    for (auto e : out) n *= static_cast<std::size_t>(e);
    std::vector<std::size_t> from(n);
    for (std::size_t i = 0; i < n; ++i) {
        std::size_t rest = i, at = 0, step = 1;
        for (std::size_t k = 0; k < operand.size(); ++k) {  // from the right
            auto const length = static_cast<std::size_t>(collapsed::from_right(out, k));
            auto const own = static_cast<std::size_t>(collapsed::from_right(operand, k));
            at += own == 1 ? 0 : rest % length * step;
            rest /= length;
            step *= own;
        }
        from[i] = at;
    }
    return from;
}

/// One case with both operands stretched by hand beforehand, and their gradients summed by hand afterwards: the
/// operation and its rule alone.
template <class T, class Op>
void run_binary_stretched(Op, test_case const& c) {
    auto const from_a = sources(c.in("a").shape, c.out().shape), from_b = sources(c.in("b").shape, c.out().shape);
    std::vector<T> a, b;
    for (auto i : from_a) a.push_back(static_cast<T>(c.in("a").values[i]));
    for (auto i : from_b) b.push_back(static_cast<T>(c.in("b").values[i]));
    auto const [da, db, value] = ad::grad<0, 1, 2>(weighted_binary<Op>)(a, b, c.cot().template as<T>());
    std::vector<double> sum_a(c.in("a").size()), sum_b(c.in("b").size());
    for (std::size_t i = 0; i < from_a.size(); ++i) sum_a[from_a[i]] += static_cast<double>(da[i]);
    for (std::size_t i = 0; i < from_b.size(); ++i) sum_b[from_b[i]] += static_cast<double>(db[i]);
    CHECK(check_close(c.out(), value, c, "out") == "");
    if (c.has("in", "a")) CHECK(check_close(c.grad("a"), sum_a, c, "grad a") == "");
    if (c.has("in", "b")) CHECK(check_close(c.grad("b"), sum_b, c, "grad b") == "");
}

/// What becomes of a case: run in its own shapes or with axes merged, by the first pattern that matches; where none
/// does, it fails or is stretched by hand.
enum class shapes { own, merged, merged_or_stretched };

template <class T, shapes How, class... Pattern, class Op, class Accept>
std::size_t run_binary_if(Op f, std::string_view op, Accept accept) {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("binary"), op)) {
        if (!accept(c)) continue;
        collapsed const s(c);
        bool found = How == shapes::own
                         ? (run_binary_as<T, Pattern>(f, c, c.in("a").shape, c.in("b").shape, c.out().shape) || ...)
                         : (run_binary_as<T, Pattern>(f, c, s.a, s.b, s.out) || ...);
        if constexpr (How == shapes::merged_or_stretched) {
            if (!found) run_binary_stretched<T>(f, c);
            found = true;
        }
        if (!found) FAIL_CHECK(c.id << ": no pattern for its shapes (" << c.note << ")");
        n += found;
    }
    return n;
}
template <class T, shapes How, class... Pattern, class Op>
void run_binary(Op f, std::string_view op) {
    auto const n = run_binary_if<T, How, Pattern...>(f, op, [](test_case const&) { return true; });
    CHECK(n == count_in_file(file_of<T>("binary"), op));
}

}  // namespace reference
