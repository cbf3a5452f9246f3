// SPDX-License-Identifier: MIT
// The reference family `more`: running products and the like, sorting, sums by index, cross products, traces. An
// operation along an axis is that along the middle one of three, so one traced function serves all cases of it.

#include "ops/reference_cases.hpp"

using namespace reference;

namespace {

using cube = ad::tensor<double, ad::dyn, ad::dyn, ad::dyn>;

/// An array as (axes before, the axis, axes after).
cube as_cube(tensor const& t, test_case const& c) {
    auto const rank = static_cast<std::int64_t>(t.rank());
    std::int64_t const axis = c.has_parameter("axis") ? (c.integer("axis") + rank) % rank : 0;
    std::int64_t n[3] = {1, 1, 1};
    for (int k = 0; k < static_cast<int>(rank); ++k)
        n[k < axis ? 0 : k == axis ? 1 : 2] *= t.extent(static_cast<std::size_t>(k));
    cube a(n[0], n[1], n[2]);
    for (std::size_t i = 0; i < t.size(); ++i) a.data()[i] = t.values[i];
    return a;
}
template <class A>
ad::tensor<std::int64_t, ad::dyn> indices_of(A const& t) {
    ad::tensor<std::int64_t, ad::dyn> a(static_cast<std::int64_t>(t.size()));
    for (std::size_t i = 0; i < t.size(); ++i) a.data()[i] = static_cast<std::int64_t>(t.values[i]);
    return a;
}

template <class F, class Accept>
std::size_t run_values(F f, std::string const& op, std::string const& out, Accept accept) {
    auto gradient = ad::grad<0, 1>(f);
    std::size_t n = 0;
    for (test_case const& c : cases("more", op)) {
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
    CHECK(run_values(f, op, out, [](test_case const&) { return true; }) == count_in_file("more", op));
}
template <class F, class Accept>
void check_positions(F f, std::string const& op, Accept accept) {
    auto positions = ad::fused(f);
    for (test_case const& c : cases("more", op)) {
        if (!accept(c)) continue;
        auto const found = positions(as_cube(c.in("x"), c));
        auto const& want = c.out("indices");
        REQUIRE(found.size() == want.size());
        for (std::size_t i = 0; i < want.size(); ++i)
            CHECK(found.data()[i] == static_cast<std::int64_t>(want.values[i]));
    }
}

template <int Axis, class A, class B>
void run_cross(std::string const& id) {
    auto f = [](auto a, auto b, auto cot) { return sum(cross<Axis>(a, b) * cot); };
    bool found = false;
    for (test_case const& c : cases("more", "cross")) {
        if (c.id != id) continue;
        found = true;
        A a;
        B b;
        for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = c.in("a").values[i];
        for (std::size_t i = 0; i < b.size(); ++i) b.data()[i] = c.in("b").values[i];
        auto const y = ad::evaluate([](auto p, auto q) { return cross<Axis>(p, q); }, a, b);
        auto cot = y;
        for (std::size_t i = 0; i < cot.size(); ++i) cot.data()[i] = c.cot().values[i];
        auto const [da, db] = ad::grad<0, 1>(f)(a, b, cot);
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        CHECK(check_close(c.grad("b"), db, c, "grad b") == "");
    }
    CHECK(found);
}

}  // namespace

TEST_CASE("cumprod, logcumsumexp, cummax: the reference cases") {
    run_all([](auto x, auto cot) { return sum(ad::cumprod<1>(x) * cot); }, "cumprod");
    run_all([](auto x, auto cot) { return sum(ad::logcumsumexp<1>(x) * cot); }, "logcumsumexp");
    run_all([](auto x, auto cot) { return sum(ad::cummax<1>(x).values * cot); }, "cummax", "values");
    check_positions([](auto x) { return ad::cummax<1>(x).indices; }, "cummax", [](test_case const&) { return true; });
}

TEST_CASE("sort, topk: the reference cases") {
    auto up = [](test_case const& c) { return !c.flag("descending"); };
    auto down = [](test_case const& c) { return c.flag("descending"); };
    auto const a = run_values([](auto x, auto cot) { return sum(ad::sort<1>(x).values * cot); }, "sort", "values", up);
    auto const b = run_values([](auto x, auto cot) { return sum(ad::sort<1>(x, ad::descending).values * cot); }, "sort",
                              "values", down);
    CHECK(a + b == count_in_file("more", "sort"));
    check_positions([](auto x) { return ad::argsort<1>(x); }, "sort", up);
    check_positions([](auto x) { return ad::argsort<1>(x, ad::descending); }, "sort", down);
    auto is = [](int k, bool largest) {
        return [=](test_case const& c) { return c.integer("k") == k && c.flag("largest") == largest; };
    };
    auto const k1 =
        run_values([](auto x, auto cot) { return sum(ad::topk<1, 1>(x).values * cot); }, "topk", "values", is(1, true));
    auto const k2 = run_values([](auto x, auto cot) { return sum(ad::topk<1, 2>(x, ad::smallest).values * cot); },
                               "topk", "values", is(2, false));
    auto const k3 =
        run_values([](auto x, auto cot) { return sum(ad::topk<1, 3>(x).values * cot); }, "topk", "values", is(3, true));
    CHECK(k1 + k2 + k3 == count_in_file("more", "topk"));
    check_positions([](auto x) { return ad::topk<1, 2>(x, ad::smallest).indices; }, "topk", is(2, false));
    check_positions([](auto x) { return ad::topk<1, 3>(x).indices; }, "topk", is(3, true));
}

TEST_CASE("index_add, segment_sum, scatter_add: the reference cases") {
    auto add = ad::grad<0, 2, 4>([](auto x, auto index, auto source, auto alpha, auto cot) {
        return sum(ad::index_add<1>(x, index, alpha * source) * cot);
    });
    for (test_case const& c : cases("more", "index_add")) {
        auto const [dx, ds, y] = add(as_cube(c.in("x"), c), indices_of(c.in("index")), as_cube(c.in("source"), c),
                                     c.number("alpha"), as_cube(c.cot(), c));
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        CHECK(check_close(c.grad("source"), ds, c, "grad source") == "");
    }
    auto four = ad::grad<0, 2>([](auto x, auto index, auto cot) {
        return sum(ad::segment_sum<4>(reshape<-1, 1>(x), index) * reshape<4, -1>(cot));
    });
    auto rows = ad::grad<0, 2>(
        [](auto x, auto index, auto cot) { return sum(ad::segment_sum<4>(squeeze<0>(x), index) * squeeze<0>(cot)); });
    auto two = ad::grad<0, 2>(
        [](auto x, auto index, auto cot) { return sum(ad::segment_sum<2>(squeeze<0>(x), index) * squeeze<0>(cot)); });
    std::size_t n = 0;
    for (test_case const& c : cases("more", "segment_sum")) {
        auto const x = as_cube(c.in("x"), c), cot = as_cube(c.cot(), c);
        auto const index = indices_of(c.in("index"));
        auto const [dx, y] = c.integer("segments") == 2 ? two(x, index, cot)
                             : c.in("x").rank() == 1    ? four(x, index, cot)
                                                        : rows(x, index, cot);
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        ++n;
    }
    CHECK(n == count_in_file("more", "segment_sum"));
    auto scatter = ad::grad<0, 2, 3>([](auto x, auto index, auto source, auto cot) {
        return sum(ad::scatter_add<1>(x, index, source) * cot);
    });
    for (test_case const& c : cases("more", "scatter_add")) {
        auto const source = as_cube(c.in("source"), c);
        ad::tensor<std::int64_t, ad::dyn, ad::dyn, ad::dyn> index(source.extent(0), source.extent(1), source.extent(2));
        for (std::size_t i = 0; i < index.size(); ++i)
            index.data()[i] = static_cast<std::int64_t>(c.in("index").values[i]);
        auto const [dx, ds, y] = scatter(as_cube(c.in("x"), c), index, source, as_cube(c.cot(), c));
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        CHECK(check_close(c.grad("source"), ds, c, "grad source") == "");
    }
}

TEST_CASE("cross: the reference cases") {
    run_cross<0, ad::tensor<double, 3>, ad::tensor<double, 3>>("more/cross/000");
    run_cross<-1, ad::tensor<double, 4, 3>, ad::tensor<double, 4, 3>>("more/cross/001");
    run_cross<1, ad::tensor<double, 2, 3, 5>, ad::tensor<double, 2, 3, 5>>("more/cross/002");
    run_cross<-1, ad::tensor<double, 4, 1, 3>, ad::tensor<double, 1, 2, 3>>("more/cross/003");
    run_cross<-1, ad::tensor<double, 1, 3>, ad::tensor<double, 5, 3>>("more/cross/004");
    CHECK(count_in_file("more", "cross") == 5);
}

TEST_CASE("trace, kron: the reference cases") {
    auto trace_of = ad::grad<0, 1>([](auto x, auto cot) { return sum(ad::linalg::trace(x) * cot); });
    for (test_case const& c : cases("more", "trace")) {
        auto const& t = c.in("a");
        cube x(t.rank() == 3 ? t.extent(0) : 1, t.extent(t.rank() - 2), t.extent(t.rank() - 1));
        for (std::size_t i = 0; i < t.size(); ++i) x.data()[i] = t.values[i];
        ad::tensor<double, ad::dyn> cot(x.extent(0));
        for (std::size_t i = 0; i < cot.size(); ++i) cot.data()[i] = c.cot().values[i];
        auto const [dx, y] = trace_of(x, cot);
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("a"), dx, c, "grad a") == "");
    }
    auto kron_of = ad::grad<0, 1, 2>([](auto a, auto b, auto cot) { return sum(ad::linalg::kron(a, b) * cot); });
    using matrix = ad::tensor<double, ad::dyn, ad::dyn>;
    auto as_matrix = [](tensor const& t) {
        matrix m(t.extent(0), t.extent(1));
        for (std::size_t i = 0; i < t.size(); ++i) m.data()[i] = t.values[i];
        return m;
    };
    for (test_case const& c : cases("more", "kron")) {
        auto const [da, db, y] = kron_of(as_matrix(c.in("a")), as_matrix(c.in("b")), as_matrix(c.cot()));
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        CHECK(check_close(c.grad("b"), db, c, "grad b") == "");
    }
}
