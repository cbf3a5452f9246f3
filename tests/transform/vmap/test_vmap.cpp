// SPDX-License-Identifier: MIT
// vmap as a transformation: which axes are mapped, trees, several results, and what it composes with.

#include "items.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/messages.hpp"

namespace {
constexpr auto affine = [](auto a, auto x, auto b) { return matmul(a, x) + b; };
constexpr auto logistic = [](auto w, auto x, auto y) {
    auto const z = ad::let(dot(w, x));
    return softplus(z) - y * z;
};
template <template <class, auto...> class Tensor>
struct Pair {
    Tensor<double, 5, 3> x;
    Tensor<double, 5> y;
};
constexpr auto energy = [](auto x) { return sum(x * x * x) + sum(sin(x)) * sum(x); };
constexpr auto of_a_row = [](auto row) { return ad::softmax(row) * sum(row); };
constexpr auto of_rows = [](auto m) { return ad::vmap(of_a_row)(m); };
constexpr auto noise = [](auto x, auto seed) { return ad::dropout(x, seed, 0.5) + ad::uniform_like(x, seed); };
}  // namespace

TEMPLATE_TEST_CASE("vmap: static extents, an axis for each argument, and what is the same for all items", "", float,
                   double) {
    using T = TestType;
    ad::tensor<T, 2, 3> a{{1, 2, 3}, {4, 5, 6}};
    ad::tensor<T, 3, 4> x;  // items along the last axis
    ad::tensor<T, 4, 2> b;
    int k = 0;
    for (T& v : x) v = static_cast<T>(++k);
    for (T& v : b) v = static_cast<T>(10 * ++k);
    auto const y = ad::vmap<ad::whole, 1, 0>(affine)(a, x, b);
    static_assert(std::same_as<decltype(y), ad::tensor<T, 4, 2> const>);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t r = 0; r < 2; ++r)
            CHECK(y(i, r) == a(r, 0) * x(0, i) + a(r, 1) * x(1, i) + a(r, 2) * x(2, i) + b(i, r));
    CHECK(ad::vmap<ad::whole, -1, 0>(affine)(a, x, b) == y);
}

TEST_CASE("vmap: one product for all items where only one operand is mapped") {
    auto const mapped = ad::vmap<0, ad::whole>([](auto x, auto w) { return matmul(x, w); });
    auto const text = ad::explain(mapped, ad::tensor<float, 64, 32>{}, ad::tensor<float, 32, 48>{});
    INFO(text);
    CHECK(mentions(text, {"1 kernel", "(64 x 32) x (32 x 48)"}));
}

TEST_CASE("vmap: sums over short axes of items run over the items, many in a register") {
    auto const mapped = ad::vmap([](auto m, auto v) { return norm(matmul(m, v)); });
    auto const text = ad::explain(mapped, some<float, 3, 3>(64, 1), some<float, 3>(64, 2));
    INFO(text);
    CHECK(mentions(text, {"1 kernel", "loop over (64)"}));
}

TEST_CASE("vmap: run-time numbers of items, strided views, more and fewer than a register holds") {
    auto mapped = ad::vmap<ad::whole, 0, 0>(ad::value_and_grad<0>(logistic));
    auto single = ad::value_and_grad<0>(logistic);
    ad::tensor<float, 5> const w{0.3f, -0.2f, 0.5f, 0.1f, -0.4f};
    int const lanes = ad::simd::lanes<float>;
    for (int n : {0, 1, lanes - 1, lanes, lanes + 1, 4 * lanes + 1}) {
        auto const x = some<float, 5>(2 * n, 1);
        auto const y = some<float>(n, 2);
        ad::view<float const, ad::dyn, 5> const every_other(x.data(), n, std::array<std::ptrdiff_t, 2>{10, 1});
        auto const [values, gradients] = mapped(w, every_other, y);
        CHECK(values.size() == static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < values.size(); ++i) {
            auto const [v, g] = single(w, item(x, 2 * i), y(i));
            CHECK(std::abs(values(i) - v) < 1e-5f);
            for (std::size_t k = 0; k < 5; ++k) CHECK(std::abs(gradients(i, k) - g(k)) < 1e-5f);
        }
    }
}

TEST_CASE("vmap: a tree is mapped along the same axis of all its arrays, and several results come back") {
    Pair<ad::tensor> p;
    int k = 0;
    for (double& v : p.x) v = ++k;
    for (double& v : p.y) v = ++k;
    auto const [dots, rows] = ad::vmap<0, ad::whole>([](auto item_of, auto scale) {
        auto const& [x, y] = item_of;
        return std::tuple(scale * sum(x) * y, x + y);
    })(p, 2.0);
    static_assert(
        std::same_as<decltype(rows), std::tuple_element_t<1, std::tuple<int, ad::tensor<double, 5, 3> const>>>);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(dots(i) == 2 * (p.x(i, 0) + p.x(i, 1) + p.x(i, 2)) * p.y(i));
        CHECK(rows(i, 2) == p.x(i, 2) + p.y(i));
    }
    // one tree, one result
    auto const first = ad::vmap([](auto item_of) { return std::tuple(std::get<0>(item_of)); })(p);
    CHECK(std::get<0>(first) == p.x);
    // does not depend on the item
    auto const same = ad::vmap<0, ad::whole>([](auto, auto c) { return 3.0 * c; })(p, 2.0);
    CHECK(same == ad::tensor<double, 5>{6, 6, 6, 6, 6});
}

TEST_CASE("vmap composes: of vmap, of hvp, and under grad") {
    auto const x = some<double, 4, 3>(3, 1), v = some<double, 4, 3>(3, 2);
    auto nested = ad::fused(of_rows);
    CHECK(worst_of_items(ad::vmap(of_rows)(x), nested, x) < 1e-13);
    auto const rows = ad::evaluate(of_rows, item(x, 1));
    auto const row = ad::evaluate(of_a_row, ad::tensor<double, 3>{x(1, 2, 0), x(1, 2, 1), x(1, 2, 2)});
    for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(rows(2, k) - row(k)) < 1e-13);

    auto second = ad::hvp(energy);
    CHECK(worst_of_items(ad::vmap(ad::hvp(energy))(x, v), second, x, v) < 1e-12);
    auto const report = ad::check_gradient<0>([](auto m) { return sum(square(ad::vmap(ad::vmap(of_a_row))(m))); }, x);
    CHECK(report.passed);
}

TEST_CASE("vmap: grad takes what vmap gives, and vmap what grad gives") {
    auto const x = some<double, 3>(6, 1);
    auto const a = ad::grad(ad::fused([](auto m) { return sum(ad::vmap(energy)(m)); }))(x);
    auto const b = ad::vmap(ad::grad(energy))(x);
    auto const c = ad::vmap(ad::vmap(ad::fused([](auto e) { return e * e; })))(x);
    for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(std::abs(a.data()[i] - b.data()[i]) < 1e-13);
        CHECK(c.data()[i] == x.data()[i] * x.data()[i]);
    }
}

TEST_CASE("vmap: draws depend on the seed alone, so that items need seeds of their own") {
    ad::tensor<float, ad::dyn, 8> x(3);
    for (float& v : x) v = 1;
    auto const same = ad::vmap<0, ad::whole>(noise)(x, std::int64_t{7});
    auto const own = ad::vmap(noise)(x, std::vector<std::int64_t>{7, 8, 7});
    auto const alone = ad::evaluate(noise, item(x, 0), std::int64_t{7});
    for (std::size_t k = 0; k < 8; ++k) {
        for (std::size_t i = 0; i < 3; ++i) CHECK(same(i, k) == alone(k));
        CHECK(own(0, k) == alone(k));
        CHECK(own(2, k) == alone(k));
    }
    CHECK(!std::equal(own.data() + 8, own.data() + 16, own.data()));
}

TEST_CASE("vmap: lengths that differ are refused with argument, axis and both lengths, before anything is written") {
    auto mapped = ad::vmap<ad::whole, 0, 1>([](auto w, auto x, auto y) { return sum(w * x * y); });
    ad::tensor<double, 3> const w{1, 2, 3};
    ad::tensor<double, ad::dyn> out(4);
    out(0) = 5;
    auto const x = some<double, 3>(4, 1);
    ad::tensor<double, 3, ad::dyn> y(6);
    auto const message = message_of([&] { mapped(ad::into(out), w, x, y); });
    INFO(message);
    CHECK(mentions(message, {"argument 1, axis 0", "length 4", "argument 2, axis 1", "length 6"}));
    CHECK(out(0) == 5);
}

TEST_CASE("vmap: calls after the first allocate nothing in the into form") {
    auto mapped = ad::vmap<ad::whole, 0, 0>(ad::grad<0>(logistic));
    ad::tensor<double, 5> const w{1, 2, 3, 4, 5};
    auto const x = some<double, 5>(17, 1);
    auto const y = some<double>(17, 2);
    ad::tensor<double, ad::dyn, 5> g(17);
    mapped(ad::into(g), w, x, y);
    std::size_t const before = allocations;
    mapped(ad::into(g), w, x, y);
    CHECK(allocations == before);
}

TEST_CASE("vmap: masks, half, integers, items of run-time lengths, named extents") {
    ad::tensor<bool, ad::dyn, 3> m(2);
    auto const x = some<double, 3>(2, 1);
    int k = 0;
    for (bool& b : m) b = ++k % 2 == 1;
    auto const y = ad::vmap([](auto mask, auto v) { return sum(where(mask, v, -v)); })(m, x);
    CHECK(y(0) == x(0, 0) - x(0, 1) + x(0, 2));
    CHECK(y(1) == -x(1, 0) + x(1, 1) - x(1, 2));

    ad::tensor<ad::half, ad::dyn, 3> h(2);
    for (auto& v : h) v = ad::half(static_cast<float>(++k));
    auto const [doubled, slope] = ad::vmap([](auto v) {
        return std::tuple(ad::cast<ad::half>(2.0 * v), ad::grad<0>([](auto u) { return sum(u * u); })(v));
    })(h);
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK(static_cast<float>(doubled.data()[i]) == 2 * static_cast<float>(h.data()[i]));
        CHECK(static_cast<float>(slope.data()[i]) == 2 * static_cast<float>(h.data()[i]));
    }

    ad::tensor<double, ad::dim<"batch">, ad::dyn, 3> a(3, 4);
    ad::tensor<double, ad::dim<"batch">> b(3), c(4);
    for (double& v : a) v = ++k;
    for (double& v : b) v = ++k;
    auto joined = ad::vmap([](auto p, auto q) {
        return ad::concat<0>(ad::reshape<-1>(p) * q, ad::slice<0, 1, ad::to_end>(max<1>(p)));
    });
    auto const r = joined(a, b);
    CHECK(r.extent(1) == 12 + 3);
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 12; ++j) CHECK(r(i, j) == a.data()[12 * i + j] * b(i));
        CHECK(r(i, 14) == a(i, 3, 2));
    }
    auto const message = message_of([&] { (void)joined(a, c); });
    CHECK(mentions(message, {"argument 0, axis 0 (batch)", "length 3", "argument 1, axis 0", "length 4"}));

    ad::tensor<std::int32_t, 4, 3> whole;
    for (auto& v : whole) v = ++k;
    auto const [sums, at] = ad::vmap<1>([](auto v) { return std::tuple(sum(v), argmax(v)); })(whole);
    CHECK(sums(2) == whole(0, 2) + whole(1, 2) + whole(2, 2) + whole(3, 2));
    CHECK(at == ad::tensor<std::int64_t, 3>{3, 3, 3});
}

TEST_CASE("vmap: numbers beside symbols, results that are the same for all items, a strided target") {
    auto const x = some<double, 3>(4, 1);
    auto const [scaled, ones] = ad::evaluate([](auto v) {
        return ad::vmap<0, ad::whole>([](auto u, auto t) {
            return std::tuple(u * t, ad::grad<0>([](auto e) { return sum(e); })(u));
        })(v, 3.0);
    }, x);
    ad::tensor<double, 3, ad::dyn> columns(4);
    ad::view<double, ad::dyn, 3> const target(columns.data(), 4, std::array<std::ptrdiff_t, 2>{1, 4});
    ad::vmap([](auto v) { return v * sum(v); })(ad::into(target), x);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            CHECK(scaled(i, j) == 3 * x(i, j));
            CHECK(ones(i, j) == 1);
            CHECK(std::abs(columns(j, i) - x(i, j) * (x(i, 0) + x(i, 1) + x(i, 2))) < 1e-15);
        }
}
