// SPDX-License-Identifier: MIT
// Foreign code inside a function, with a rule of its own.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

/// "Somebody else's": a tridiagonal system (2 on the diagonal, -1 beside it), in place of a call of LAPACK.
struct solve_chain {
    template <class Out, class In>
    void operator()(Out x, In b) const {
        std::size_t const n = b.size();
        std::vector<double> c(n), d(n);
        for (std::size_t i = 0; i < n; ++i) {
            double const m = 2 + (i > 0 ? c[i - 1] : 0);
            c[i] = -1 / m;
            d[i] = (b(i) + (i > 0 ? d[i - 1] : 0)) / m;
        }
        for (std::size_t i = n; i-- > 0;) x(i) = d[i] - (i + 1 < n ? c[i] * x(i + 1) : 0);
    }
};
constexpr auto solve = [](auto b) {
    return ad::external(solve_chain{}, [](auto g, auto, auto) {  // the matrix is symmetric
        return ad::cotangents(ad::external(solve_chain{}, [](auto h, auto, auto) { return ad::cotangents(h); })(g));
    })(b);
};

/// Sums of x over bins, by a table of edges: the result has other extents.
struct histogram {
    template <class Out>
    void operator()(Out out, ad::view<double const, ad::dyn> x, ad::view<std::int64_t const, ad::dyn> bin) const {
        for (double& o : out) o = 0;
        for (std::size_t i = 0; i < x.size(); ++i) out(bin(i)) += x(i);
    }
};
constexpr auto binned = [](auto x, auto bin) {
    return ad::external<4>(histogram{}, [](auto g, auto, auto, auto index) {
        return ad::cotangents(ad::index_select<0>(g, index), ad::no_cotangent{});
    })(x, bin);
};

}  // namespace

TEST_CASE("external: foreign code on arrays, its rule, and what explain says of it") {
    std::vector<double> b{1, 2, 3, 4, 5};
    auto f = ad::value_and_grad<0>([](auto v) { return sum(square(solve(2.0 * v)) * 0.5); });
    auto const [value, g] = f(b);
    // x = A^-1 2 b; d/db of |x|^2 / 2 is 2 A^-1 x
    std::vector<double> x(5), y(5), twice(b);
    for (double& v : twice) v *= 2;
    solve_chain{}(ad::view<double, ad::dyn>(x), ad::view<double const, ad::dyn>(twice));
    solve_chain{}(ad::view<double, ad::dyn>(y), ad::view<double const, ad::dyn>(x));
    double want = 0;
    for (double v : x) want += 0.5 * v * v;
    CHECK(value == Approx(want));
    for (std::size_t i = 0; i < 5; ++i) CHECK(g[i] == Approx(2 * y[i]));
    CHECK(ad::check_gradient<0>([](auto v) { return sum(square(solve(v))); }, b).passed);
    CHECK(ad::explain(f, b).find("external, a loop of its own") != std::string::npos);
}

TEST_CASE("external: declared extents, several arguments, strided views") {
    std::vector<double> x{1, 2, 3, 4, 5};
    std::vector<std::int64_t> bin{0, 3, 3, 1, 0};
    auto const y = ad::evaluate(binned, x, bin);
    static_assert(std::is_same_v<std::remove_const_t<decltype(y)>, ad::tensor<double, 4>>);
    CHECK(y == ad::tensor<double, 4>{6, 4, 0, 5});
    auto const g = ad::grad<0>([](auto v, auto i) { return sum(square(binned(v, i))); })(x, bin);
    CHECK(g == std::vector<double>{12, 10, 10, 8, 12});
    ad::tensor<double, 5, 2> columns;
    for (int i = 0; i < 5; ++i) columns(i, 1) = x[static_cast<std::size_t>(i)];
    auto const z = ad::evaluate([](auto m, auto i) { return binned(ad::select<1>(m, 1), i); },
                                ad::tensor<double, ad::dyn, 2>(columns), bin);
    CHECK(z == y);
}

TEST_CASE("external: once an item under vmap, step by step in a fold") {
    ad::tensor<double, 2, 3> b{{1, 2, 3}, {4, 5, 6}};
    auto const y = ad::evaluate([](auto m) { return ad::vmap([](auto row) { return solve(row); })(m); }, b);
    std::vector<double> x(3);
    for (int i = 0; i < 2; ++i) {
        solve_chain{}(ad::view<double, ad::dyn>(x), ad::view<double const, ad::dyn>(&b(i, 0), 3));
        for (int j = 0; j < 3; ++j) CHECK(y(i, j) == Approx(x[static_cast<std::size_t>(j)]));
    }
    auto const s = ad::evaluate(
        [](auto m) { return ad::fold([](auto h, auto row) { return solve(h + row); }, 0.0 * m[0], m); }, b);
    CHECK(s.size() == 3);
    CHECK(std::isfinite(s(0)));
}
