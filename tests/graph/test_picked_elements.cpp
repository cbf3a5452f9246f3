// SPDX-License-Identifier: MIT
// Rows of a few numbers that are picked by an index and added up at one: in the loop that computes with them.

#include <tapeless/tapeless.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class A>
A waves(A a, double first) {
    for (auto& v : a) v = static_cast<typename A::value_type>(1.2 * std::sin(first += 0.7));
    return a;
}
/// m of the numbers 0 ... n - 1; some of them side by side, and many of them twice.
template <class I>
std::vector<I> indices(std::size_t m, std::size_t n, std::size_t first) {
    std::vector<I> r(m);
    for (std::size_t e = 0; e < m; ++e) r[e] = static_cast<I>((first + e / 2 + e * 7 % 5) % n);
    return r;
}
constexpr auto springs = [](auto p, auto from, auto to, auto rest) {
    auto const d = ad::let(ad::index_select<0>(p, from) - ad::index_select<0>(p, to));
    return 0.5 * sum(square(sqrt(sum<1>(square(d)) + 0.1) - rest));
};
constexpr auto of_three = [](auto p, auto from, auto to, auto rest) {
    auto const a = ad::let(ad::index_select<0>(p, from)), b = ad::let(ad::index_select<0>(p, to));
    auto const c = ad::let(ad::index_select<0>(p, to) * 0.5);
    return sum(exp(-0.3 * sum<1>(square(a - b + c))) * rest) + sum(tanh(sum<1>(a * c)));
};
constexpr auto as_a_whole = [](auto p, auto from, auto to, auto rest) {  // what is picked is needed as an array, too
    auto const d = ad::let(ad::index_select<0>(p, from) * 2.0);
    return sum(matmul(transpose(d), ad::index_select<0>(p, to))) + sum(sqrt(sum<1>(square(d)) + 0.2) * rest);
};
constexpr auto added = [](auto p, auto from, auto to, auto rest) {  // to an array that is there
    auto const d = ad::let(ad::index_select<0>(p, from));
    auto const force = ad::let(d * ad::unsqueeze<1>(rest / (sum<1>(square(d)) + 0.5)));
    return sum(tanh(ad::index_add<0>(ad::index_add<0>(sin(p), to, force), from, -2.0 * force)));
};
constexpr auto of_computed = [](auto p, auto from, auto to, auto rest) {
    return springs(ad::let(sin(p) * 1.5), from, to, rest) + sum(square(p));
};
constexpr auto forces = [](auto p, auto from, auto to, auto rest) { return ad::grad<0>(springs)(p, from, to, rest); };
constexpr auto of_gradients = [](auto p, auto from, auto to, auto rest) {
    return sum(square(ad::grad<0>(springs)(p, from, to, rest)));
};
constexpr auto of_matrices = [](auto p, auto from, auto to, auto rest) {
    auto const q = ad::reshape<dyn, 2, 2>(p);
    auto const d = ad::let(ad::index_select<0>(q, from) - ad::index_select<0>(q, to));
    return sum(rest * sqrt(sum<1, 2>(square(d)) + 0.3));
};

/// All programs, of m pairs of n rows of C.
template <class T, std::size_t C, class I>
void check(std::size_t n, std::size_t m) {
    CAPTURE(n, m, C);
    auto const p = waves(ad::tensor<T, dyn, C>(n), 0.1);
    auto const from = indices<I>(m, n, 0), to = indices<I>(m, n, 3);
    auto const rest = waves(ad::tensor<T, dyn>(m), 0.4);
    CHECK(oracle::agree<0, 3>(springs, p, from, to, rest) == "");
    CHECK(oracle::agree<0, 3>(of_three, p, from, to, rest) == "");
    CHECK(oracle::agree<0, 3>(added, p, from, to, rest) == "");
}
std::string plan_of_springs() {
    auto const p = waves(ad::tensor<double, dyn, 2>(10), 0.1);
    auto const from = indices<int>(50, 10, 0), to = indices<int>(50, 10, 3);
    return ad::explain(ad::value_and_grad<0>(springs), p, from, to, waves(ad::tensor<double, dyn>(50), 0.4));
}

}  // namespace

TEST_CASE("picked elements: springs are one loop, in which forces are added up") {
    std::string const plan = plan_of_springs();
    INFO(plan);
    CHECK(plan.find("1 kernel, workspace 0 B") == 0);
    CHECK(plan.find("at argument 1 int32(50)") != std::string::npos);
}
TEST_CASE("picked elements: values and gradients, of 0 to 70 pairs") {
    for (std::size_t m : {0u, 1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u, 70u}) {
        check<double, 2, int>(7, m);
        check<float, 3, std::int64_t>(11, m);
    }
    check<double, 2, int>(1, 9);
}
TEST_CASE("picked elements: of wider rows, of more than a block") {
    for (std::size_t m : {0u, 5u, 40u}) {
        check<float, 4, int>(9, m);
        check<double, 5, std::int64_t>(6, m);
    }
    for (std::size_t m : {255u, 257u, 513u}) check<float, 2, int>(20, m);
}
TEST_CASE("picked elements: as a whole too, of matrices, of gradients, of gradients' gradients") {
    for (std::size_t m : {1u, 9u, 40u}) {
        auto const p = waves(ad::tensor<double, dyn, 2>(8), 0.1);
        auto const from = indices<int>(m, 8, 0), to = indices<int>(m, 8, 3);
        auto const rest = waves(ad::tensor<double, dyn>(m), 0.4);
        CHECK(oracle::agree<0>(as_a_whole, p, from, to, rest) == "");
        CHECK(oracle::agree(forces, p, from, to, rest) == "");
        CHECK(oracle::agree<0>(of_computed, p, from, to, rest) == "");
        CHECK(oracle::agree<0, 3>(of_gradients, p, from, to, rest) == "");
        auto const q = waves(ad::tensor<double, dyn, 4>(8), 0.1);
        CHECK(oracle::agree<0>(of_matrices, q, from, to, rest) == "");
    }
}
TEST_CASE("picked elements: of lengths that are known, and of every second column") {
    auto const p = waves(ad::tensor<double, 12, 3>{}, 0.1);
    ad::tensor<int, 45> from, to;
    for (std::size_t e = 0; e < 45; ++e) from(e) = static_cast<int>(e % 12), to(e) = static_cast<int>(e * 5 % 11);
    auto const rest = waves(ad::tensor<double, 45>{}, 0.4);
    CHECK(oracle::agree<0>(springs, p, from, to, rest) == "");
    CHECK(oracle::agree<0>(added, p, from, to, rest) == "");
    auto const as_many = waves(ad::tensor<double, 45, 2>{}, 0.3);  // one loop could compute all of it, row by row
    CHECK(oracle::agree<0>(of_computed, as_many, from, to, rest) == "");
    auto const wide = waves(ad::tensor<double, dyn, 4>(12), 0.2);
    ad::view<double const, dyn, 2> const strided(wide.data(), 12, std::array<std::ptrdiff_t, 2>{4, 2});
    CHECK(oracle::agree<0>(springs, strided, from, to, rest) == "");
    ad::tensor<int, dyn> many(90);
    for (std::size_t e = 0; e < 90; ++e) many(e) = static_cast<int>(e % 12);
    ad::view<int const, dyn> const every_second(many.data(), 45, std::array<std::ptrdiff_t, 1>{2});
    CHECK(oracle::agree<0>(springs, p, every_second, to, rest) == "");
    // a gradient into every second column, with what stands between left alone
    ad::tensor<double, dyn, 4> out(12);
    for (double& x : out) x = 7;
    ad::view<double, dyn, 2> const to_columns(out.data(), 12, std::array<std::ptrdiff_t, 2>{4, 2});
    ad::tensor<double, dyn, 2> plain(12), dense(12);
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t k = 0; k < 2; ++k) plain(i, k) = strided(i, k);
    auto const step = ad::grad<0>(springs);
    step(ad::into(to_columns), plain, from, to, rest);
    step(ad::into(dense), plain, from, to, rest);
    for (std::size_t i = 0; i < 12; ++i)
        for (std::size_t k = 0; k < 2; ++k) {
            CHECK(out(i, 2 * k) == dense(i, k));
            CHECK(out(i, 2 * k + 1) == 7);
        }
}
TEST_CASE("picked elements: a gradient over the points that it is of") {
    auto p = waves(ad::tensor<double, dyn, 2>(9), 0.1);
    auto const from = indices<int>(37, 9, 0), to = indices<int>(37, 9, 3);
    auto const rest = waves(ad::tensor<double, dyn>(37), 0.4);
    auto const step = ad::grad<0>(springs);
    auto const expected = step(p, from, to, rest);
    step(ad::into(p), p, from, to, rest);
    for (std::size_t i = 0; i < p.size(); ++i) CHECK(p.data()[i] == expected.data()[i]);
    auto q = waves(ad::tensor<double, dyn, 2>(37), 0.1);  // each row is written where another one is read
    auto const backwards = [](auto x, auto i) {
        auto const y = ad::let(ad::index_select<0>(x, i));
        return y / ad::unsqueeze<1>(sqrt(sum<1>(square(y))));
    };
    std::vector<int> other(37);
    for (int i = 0; i < 37; ++i) other[static_cast<std::size_t>(i)] = 36 - i;
    auto const turned = ad::fused(backwards)(q, other);
    ad::fused(backwards)(ad::into(q), q, other);
    for (std::size_t i = 0; i < q.size(); ++i) CHECK(q.data()[i] == turned.data()[i]);
}
TEST_CASE("picked elements: an index out of range is found before anything is written") {
    auto const p = waves(ad::tensor<double, dyn, 2>(9), 0.1);
    auto const rest = waves(ad::tensor<double, dyn>(37), 0.4);
    auto const step = ad::grad<0>(springs);
    for (int wrong : {-1, 9, 1 << 30, -(1 << 30)})
        for (std::size_t at : {0u, 15u, 16u, 31u, 36u}) {
            auto from = indices<int>(37, 9, 0), to = indices<int>(37, 9, 3);
            to[at] = wrong;
            ad::tensor<double, dyn, 2> g(9);
            for (double& x : g) x = 7;
            CHECK_THROWS_AS(step(ad::into(g), p, from, to, rest), ad::index_error);
            for (double x : g) CHECK(x == 7);
        }
}
TEST_CASE("picked elements: of many items") {
    auto const p = waves(ad::tensor<double, 3, 8, 2>{}, 0.1);
    ad::tensor<int, 3, 33> from, to;
    for (std::size_t e = 0; e < from.size(); ++e)
        from.data()[e] = static_cast<int>(e % 8), to.data()[e] = static_cast<int>(e * 5 % 7);
    auto const rest = waves(ad::tensor<double, 3, 33>{}, 0.4);
    auto const of_all = [](auto a, auto i, auto j, auto r) { return sum(ad::vmap(springs)(a, i, j, r)); };
    CHECK(oracle::agree<0, 3>(of_all, p, from, to, rest) == "");
}
TEST_CASE("picked elements: what a branch and a loop take is computed with them") {
    auto const f = [](auto p, auto from, auto to, auto rest) {
        auto const x = ad::let(ad::index_select<0>(p, from)), y = ad::let(ad::index_select<0>(p, to));
        auto const d = ad::let(ad::slice<1, 1, 2>(x) * ad::unsqueeze<1>(rest) - square(ad::slice<1, 0, 1>(y)));
        auto const branch = ad::cond(
            sum(d) > 0.1, [](auto v) { return sin(v); }, [](auto v) { return 0.5 * v; }, d);
        auto const last = ad::fold([](auto h, auto v) { return tanh(0.5 * h + v); }, ad::select<0>(branch, 0), d);
        return sum(square(branch)) + sum(last);
    };
    for (double first : {0.1, 2.3}) {
        auto const p = waves(ad::tensor<double, dyn, 2>(9), first);
        auto const rest = waves(ad::tensor<double, dyn>(37), 0.4);
        CHECK(oracle::agree<0, 3>(f, p, indices<int>(37, 9, 0), indices<int>(37, 9, 3), rest) == "");
    }
}
TEST_CASE("picked elements: between zeros, shifted and rolled") {
    auto const shown = [](auto p, auto from, auto to, auto rest) {
        auto const x = ad::let(0.3 * ad::slice<1, 0, 1>(ad::index_select<0>(p, from)));
        auto const y = ad::let(ad::index_select<0>(p, to));
        auto const neighbours =
            ad::slice<0, 0, -2>(ad::pad<1, 1, 0, 0>(x)) + ad::slice<0, 2, ad::to_end>(ad::pad<1, 1, 0, 0>(x));
        auto const rolled = ad::roll<0>(exp(0.2 * ad::slice<1, 1, 2>(y)), 2);
        return sum((neighbours - 2.0 * x) * ad::unsqueeze<1>(rest)) + sum(rolled * sin(x));
    };
    auto const stencil = [](auto p, auto from, auto,
                            auto rest) {  // of what they are multiplied with: so is its gradient
        auto const u = ad::let(ad::unsqueeze<1>(rest) + 0.0 * ad::index_select<0>(p, from));
        auto const second =
            ad::slice<0, 0, -2>(ad::pad<1, 1, 0, 0>(u)) + ad::slice<0, 2, ad::to_end>(ad::pad<1, 1, 0, 0>(u)) - 2.0 * u;
        return sum(0.3 * ad::slice<1, 0, 1>(ad::index_select<0>(p, from)) * second);
    };
    for (std::size_t m : {2u, 3u, 5u, 8u, 9u, 33u, 300u}) {
        auto const p = waves(ad::tensor<double, dyn, 2>(9), 0.1);
        auto const from = indices<int>(m, 9, 0), to = indices<int>(m, 9, 3);
        auto const rest = waves(ad::tensor<double, dyn>(m), 0.4);
        CHECK(oracle::agree<0, 3>(shown, p, from, to, rest) == "");
        CHECK(oracle::agree<0, 3>(stencil, p, from, to, rest) == "");
    }
}
