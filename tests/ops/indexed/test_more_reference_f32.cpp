// SPDX-License-Identifier: MIT
// The reference family `more` in float: as test_more_reference.cpp, one function for all cases of an operation.

#include "ops/reference_cases.hpp"

using namespace reference;

namespace {

using cube = ad::tensor<float, ad::dyn, ad::dyn, ad::dyn>;

template <class A>
A filled(A a, tensor const& t) {
    REQUIRE(a.size() == t.size());
    for (std::size_t i = 0; i < t.size(); ++i) a.data()[i] = static_cast<typename A::value_type>(t.values[i]);
    return a;
}
/// An array as (axes before, the axis, axes after).
template <class A = cube>
A as_cube(tensor const& t, test_case const& c) {
    auto const rank = static_cast<std::int64_t>(t.rank());
    std::int64_t const axis = c.has_parameter("axis") ? (c.integer("axis") + rank) % rank : 0;
    std::int64_t n[3] = {1, 1, 1};
    for (int k = 0; k < static_cast<int>(rank); ++k)
        n[k < axis ? 0 : k == axis ? 1 : 2] *= t.extent(static_cast<std::size_t>(k));
    return filled(A(n[0], n[1], n[2]), t);
}
ad::tensor<std::int64_t, ad::dyn> indices_of(tensor const& t) {
    return filled(ad::tensor<std::int64_t, ad::dyn>(static_cast<std::int64_t>(t.size())), t);
}

/// f(x, cot) on those cases of an operation that are accepted; how many there were.
template <class F, class Accept>
std::size_t run_those(F f, std::string const& op, std::string const& out, Accept accept) {
    auto gradient = ad::grad<0, 1>(f);
    std::size_t n = 0;
    for (test_case const& c : cases("more_f32", op)) {
        if (!accept(c)) continue;
        auto const [dx, y] = gradient(as_cube(c.in("x"), c), as_cube(c.cot(out), c));
        CHECK(check_close(c.out(out), y, c, out) == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        ++n;
    }
    return n;
}
template <class F>
void run_all(F f, std::string const& op, std::string const& out = "out") {
    CHECK(run_those(f, op, out, [](test_case const&) { return true; }) == count_in_file("more_f32", op));
}

template <int Axis, class A, class B>
void run_cross(std::string const& id) {
    std::size_t found = 0;
    for (test_case const& c : cases("more_f32", "cross")) {
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

}  // namespace

TEST_CASE("cumprod, logcumsumexp, cummax: the reference cases in float") {
    run_all([](auto x, auto cot) { return sum(ad::cumprod<1>(x) * cot); }, "cumprod");
    run_all([](auto x, auto cot) { return sum(ad::logcumsumexp<1>(x) * cot); }, "logcumsumexp");
    run_all([](auto x, auto cot) { return sum(ad::cummax<1>(x).values * cot); }, "cummax", "values");
}
TEST_CASE("sort, topk: the reference cases in float") {
    auto const up = run_those([](auto x, auto cot) { return sum(ad::sort<1>(x).values * cot); }, "sort", "values",
                              [](test_case const& c) { return !c.flag("descending"); });
    auto const down = run_those([](auto x, auto cot) { return sum(ad::sort<1>(x, ad::descending).values * cot); },
                                "sort", "values", [](test_case const& c) { return c.flag("descending"); });
    CHECK(up + down == count_in_file("more_f32", "sort"));
    CHECK(run_those([](auto x, auto cot) { return sum(ad::topk<1, 1>(x).values * cot); }, "topk", "values",
                    [](test_case const& c) { return c.integer("k") == 1 && c.flag("largest"); }) ==
          count_in_file("more_f32", "topk"));
}
TEST_CASE("index_add, segment_sum, scatter_add: the reference cases in float") {
    auto add = ad::grad<0, 2, 4>([](auto x, auto index, auto source, auto alpha, auto cot) {
        return sum(ad::index_add<1>(x, index, alpha * source) * cot);
    });
    for (test_case const& c : cases("more_f32", "index_add")) {
        auto const [dx, ds, y] = add(as_cube(c.in("x"), c), indices_of(c.in("index")), as_cube(c.in("source"), c),
                                     static_cast<float>(c.number("alpha")), as_cube(c.cot(), c));
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        CHECK(check_close(c.grad("source"), ds, c, "grad source") == "");
    }
    auto segments = ad::grad<0, 2>([](auto x, auto index, auto cot) {
        return sum(ad::segment_sum<4>(reshape<-1, 1>(x), index) * reshape<4, -1>(cot));
    });
    for (test_case const& c : cases("more_f32", "segment_sum")) {
        REQUIRE(c.integer("segments") == 4);
        auto const [dx, y] = segments(as_cube(c.in("x"), c), indices_of(c.in("index")), as_cube(c.cot(), c));
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
    }
    auto scatter = ad::grad<0, 2, 3>(
        [](auto x, auto index, auto source, auto cot) { return sum(ad::scatter_add<1>(x, index, source) * cot); });
    for (test_case const& c : cases("more_f32", "scatter_add")) {
        auto const index = as_cube<ad::tensor<std::int64_t, ad::dyn, ad::dyn, ad::dyn>>(c.in("index"), c);
        auto const [dx, ds, y] = scatter(as_cube(c.in("x"), c), index, as_cube(c.in("source"), c), as_cube(c.cot(), c));
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        CHECK(check_close(c.grad("source"), ds, c, "grad source") == "");
    }
}
TEST_CASE("cross, trace, kron: the reference cases in float") {
    run_cross<0, ad::tensor<float, 3>, ad::tensor<float, 3>>("more/cross/000/f32");
    run_cross<-1, ad::tensor<float, 4, 1, 3>, ad::tensor<float, 1, 2, 3>>("more/cross/003/f32");
    CHECK(count_in_file("more_f32", "cross") == 2);
    using matrix = ad::tensor<float, ad::dyn, ad::dyn>;
    auto as_matrix = [](tensor const& t) { return filled(matrix(t.extent(0), t.extent(1)), t); };
    auto trace_of = ad::grad<0, 1>([](auto x, auto cot) { return ad::linalg::trace(x) * cot; });
    for (test_case const& c : cases("more_f32", "trace")) {
        auto const [dx, y] = trace_of(as_matrix(c.in("a")), static_cast<float>(c.cot().values[0]));
        CHECK(std::abs(static_cast<double>(y) - c.out().values[0]) < 1e-5);
        CHECK(check_close(c.grad("a"), dx, c, "grad a") == "");
    }
    auto kron_of = ad::grad<0, 1, 2>([](auto a, auto b, auto cot) { return sum(ad::linalg::kron(a, b) * cot); });
    for (test_case const& c : cases("more_f32", "kron")) {
        auto const [da, db, y] = kron_of(as_matrix(c.in("a")), as_matrix(c.in("b")), as_matrix(c.cot()));
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        CHECK(check_close(c.grad("b"), db, c, "grad b") == "");
    }
}
