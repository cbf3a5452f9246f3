// SPDX-License-Identifier: MIT
#pragma once
// The reference family `more` in one element type. An operation along an axis is that along the middle one of three, so
// one traced function serves all cases of it.

#include "ops/reference_cases.hpp"

namespace reference {

template <class A>
A filled(A a, tensor const& t) {
    REQUIRE(a.size() == t.size());
    for (std::size_t i = 0; i < t.size(); ++i) a.data()[i] = static_cast<typename A::value_type>(t.values[i]);
    return a;
}
inline ad::tensor<std::int64_t, ad::dyn> indices_of(tensor const& t) {
    return filled(ad::tensor<std::int64_t, ad::dyn>(static_cast<std::int64_t>(t.size())), t);
}

template <class T>
struct more_cases {
    using cube = ad::tensor<T, ad::dyn, ad::dyn, ad::dyn>;
    using matrix = ad::tensor<T, ad::dyn, ad::dyn>;
    static constexpr char const* family = std::is_same_v<T, float> ? "more_f32" : "more";

    static auto of(std::string const& op) { return cases(family, op); }
    static std::size_t count(std::string const& op) { return count_in_file(family, op); }

    /// An array as (axes before, the axis, axes after).
    template <class A = cube>
    static A as_cube(tensor const& t, test_case const& c) {
        auto const rank = static_cast<std::int64_t>(t.rank());
        std::int64_t const axis = c.has_parameter("axis") ? (c.integer("axis") + rank) % rank : 0;
        std::int64_t n[3] = {1, 1, 1};
        for (int k = 0; k < static_cast<int>(rank); ++k)
            n[k < axis ? 0 : k == axis ? 1 : 2] *= t.extent(static_cast<std::size_t>(k));
        return filled(A(n[0], n[1], n[2]), t);
    }
    static matrix as_matrix(tensor const& t) { return filled(matrix(t.extent(0), t.extent(1)), t); }

    /// f(x, cot) on those cases of an operation that are accepted; how many there were.
    template <class F, class Accept>
    static std::size_t run_those(F f, std::string const& op, std::string const& out, Accept accept) {
        auto gradient = ad::grad<0, 1>(f);
        std::size_t n = 0;
        for (test_case const& c : of(op)) {
            if (!accept(c)) continue;
            auto const [dx, y] = gradient(as_cube(c.in("x"), c), as_cube(c.cot(out), c));
            CHECK(check_close(c.out(out), y, c, out) == "");
            CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
            ++n;
        }
        return n;
    }
    template <class F>
    static void run_all(F f, std::string const& op, std::string const& out = "out") {
        CHECK(run_those(f, op, out, [](test_case const&) { return true; }) == count(op));
    }

    static void run_index_add() {
        auto add = ad::grad<0, 2, 4>([](auto x, auto index, auto source, auto alpha, auto cot) {
            return sum(ad::index_add<1>(x, index, alpha * source) * cot);
        });
        for (test_case const& c : of("index_add")) {
            auto const [dx, ds, y] = add(as_cube(c.in("x"), c), indices_of(c.in("index")), as_cube(c.in("source"), c),
                                         static_cast<T>(c.number("alpha")), as_cube(c.cot(), c));
            CHECK(check_close(c.out(), y, c, "out") == "");
            CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
            CHECK(check_close(c.grad("source"), ds, c, "grad source") == "");
        }
    }
    static void run_scatter_add() {
        auto scatter = ad::grad<0, 2, 3>(
            [](auto x, auto index, auto source, auto cot) { return sum(ad::scatter_add<1>(x, index, source) * cot); });
        for (test_case const& c : of("scatter_add")) {
            auto const index = as_cube<ad::tensor<std::int64_t, ad::dyn, ad::dyn, ad::dyn>>(c.in("index"), c);
            auto const [dx, ds, y] =
                scatter(as_cube(c.in("x"), c), index, as_cube(c.in("source"), c), as_cube(c.cot(), c));
            CHECK(check_close(c.out(), y, c, "out") == "");
            CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
            CHECK(check_close(c.grad("source"), ds, c, "grad source") == "");
        }
    }
    template <int Axis, class A, class B>
    static void run_cross(std::string const& id) {
        std::size_t found = 0;
        for (test_case const& c : of("cross")) {
            if (c.id != id) continue;
            ++found;
            A const a = filled(A{}, c.in("a"));
            B const b = filled(B{}, c.in("b"));
            auto const y = ad::evaluate([](auto p, auto q) { return cross<Axis>(p, q); }, a, b);
            auto const [da, db] = ad::grad<0, 1>([](auto p, auto q, auto cot) { return sum(cross<Axis>(p, q) * cot); })(
                a, b, filled(y, c.cot()));
            CHECK(check_close(c.out(), y, c, "out") == "");
            CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
            CHECK(check_close(c.grad("b"), db, c, "grad b") == "");
        }
        CHECK(found == 1);
    }
    static void run_kron() {
        auto kron_of = ad::grad<0, 1, 2>([](auto a, auto b, auto cot) { return sum(ad::linalg::kron(a, b) * cot); });
        for (test_case const& c : of("kron")) {
            auto const [da, db, y] = kron_of(as_matrix(c.in("a")), as_matrix(c.in("b")), as_matrix(c.cot()));
            CHECK(check_close(c.out(), y, c, "out") == "");
            CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
            CHECK(check_close(c.grad("b"), db, c, "grad b") == "");
        }
    }
};

}  // namespace reference
