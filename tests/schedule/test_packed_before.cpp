// SPDX-License-Identifier: MIT
// A right operand that two products in turn have in common is packed once, and both are what they are by themselves.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>

#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class A>
A waves(A a, double first) {
    for (auto& v : a) v = static_cast<typename A::value_type>(std::sin(first += 0.7));
    return a;
}
template <class A>
bool is_same(A const& a, A const& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!(a.data()[i] == b.data()[i])) return false;
    return true;
}
std::size_t times(std::string const& text, std::string const& what) {
    std::size_t n = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
    return n;
}

constexpr auto product = [](auto a, auto d) { return matmul(ad::transpose(a), d); };
constexpr auto products = [](auto a, auto b, auto d) {
    return std::tuple(matmul(ad::transpose(a), d), matmul(ad::transpose(b), d));
};
constexpr auto of_three = [](auto a, auto b, auto c, auto d) {
    return std::tuple(matmul(ad::transpose(a), d), matmul(ad::transpose(b), d), tanh(matmul(ad::transpose(c), d)));
};
/// The same of an array that the program makes itself.
constexpr auto of_made = [](auto a, auto b, auto d) {
    auto const e = ad::let(d * sum(d));
    return std::tuple(matmul(ad::transpose(a), e), matmul(ad::transpose(b), e));
};

template <class T, int M, int N>
void check(std::int64_t depth, std::int64_t columns) {
    CAPTURE(M, N, depth, columns);
    auto const a = waves(ad::tensor<T, dyn, M>(depth), 0.1);
    auto const b = waves(ad::tensor<T, dyn, N>(depth), 0.4);
    auto const d = waves(ad::tensor<T, dyn, dyn>(depth, columns), 0.9);
    auto const e = waves(ad::tensor<T, dyn, dyn>(depth, columns), 1.9);
    auto const x = ad::fused(product)(a, d);
    auto const y = ad::fused(product)(b, d);
    auto step = ad::fused(products);
    auto const both = step(a, b, d);
    CHECK(is_same(std::get<0>(both), x));
    CHECK(is_same(std::get<1>(both), y));
    auto const others = step(a, b, e);  // nothing stays from one call to the next
    CHECK(is_same(std::get<1>(others), ad::fused(product)(b, e)));
    auto const again = ad::fused(of_three)(a, b, a, d);
    CHECK(is_same(std::get<0>(again), x));
    CHECK(is_same(std::get<1>(again), y));
    CHECK(is_same(std::get<2>(again), ad::fused([](auto p) { return tanh(p); })(x)));
    auto const made = ad::fused([](auto v) { return v * sum(v); })(d);
    auto const of_it = ad::fused(of_made)(a, b, d);
    CHECK(is_same(std::get<0>(of_it), ad::fused(product)(a, made)));
    CHECK(is_same(std::get<1>(of_it), ad::fused(product)(b, made)));
}

}  // namespace

TEST_CASE("packed before: two products of one right operand, of all depths and widths") {
    for (std::int64_t depth : {0, 1, 2, 63, 64, 65, 127, 129, 255, 256, 257, 511, 512, 513, 1025})
        for (std::int64_t columns : {1, 3, 31, 33, 64, 100}) {
            check<float, 33, 52>(depth, columns);
            check<double, 40, 130>(depth, columns);
        }
    check<float, 129, 36>(70, 0);
}
TEST_CASE("packed before: the plan says which, and no others") {
    ad::tensor<float, dyn, 40> const a(300), b(300);
    ad::tensor<float, dyn, 100> const d(300), e(300);
    CHECK(times(ad::explain(ad::fused(products), a, b, d), "packed before") == 1);
    CHECK(times(ad::explain(ad::fused(of_three), a, b, a, d), "packed before") == 2);
    CHECK(times(ad::explain(ad::fused(of_made), a, b, d), "packed before") == 1);
    constexpr auto of_two = [](auto x, auto y, auto u, auto v) {
        return std::tuple(matmul(ad::transpose(x), u), matmul(ad::transpose(y), v));
    };
    CHECK(times(ad::explain(ad::fused(of_two), a, b, d, e), "packed before") == 0);
    constexpr auto of_parts = [](auto x, auto y, auto u) {  // of one array, other columns
        return std::tuple(matmul(ad::transpose(x), ad::slice<1, 0, 50>(u)),
                          matmul(ad::transpose(y), ad::slice<1, 50, 100>(u)));
    };
    CHECK(times(ad::explain(ad::fused(of_parts), a, b, d), "packed before") == 0);
    constexpr auto turned = [](auto x, auto y, auto u) {
        return std::tuple(matmul(x, u), matmul(y, ad::transpose(u)));
    };
    ad::tensor<float, dyn, 100> const l(100);
    ad::tensor<float, 100, 100> const square;
    CHECK(times(ad::explain(ad::fused(turned), l, l, square), "packed before") == 0);
    ad::tensor<float, dyn, 3> const narrow(300);  // few rows may be computed without
    CHECK(times(ad::explain(ad::fused(products), a, narrow, d), "packed before") == 0);
    CHECK(times(ad::explain(ad::fused(products), narrow, a, d), "packed before") == 0);
}
TEST_CASE("packed before: some columns of a matrix, for which the rows of one product are too few") {
    constexpr auto one = [](auto x, auto u) { return matmul(ad::transpose(x), ad::slice<1, 16, 48>(u)); };
    constexpr auto two = [](auto x, auto y, auto u) {
        auto const columns = ad::slice<1, 16, 48>(u);
        return std::tuple(matmul(ad::transpose(x), columns), matmul(ad::transpose(y), columns));
    };
    for (std::int64_t depth : {1, 102, 103, 300}) {
        auto const few = waves(ad::tensor<float, dyn, 95>(depth), 0.1);
        auto const many = waves(ad::tensor<float, dyn, 96>(depth), 0.4);
        auto const d = waves(ad::tensor<float, dyn, 80>(depth), 0.9);
        auto const [x, y] = ad::fused(two)(few, many, d);
        auto const [z, v] = ad::fused(two)(many, few, d);
        CHECK(is_same(x, ad::fused(one)(few, d)));
        CHECK(is_same(y, ad::fused(one)(many, d)));
        CHECK(is_same(z, y));
        CHECK(is_same(v, x));
    }
}
TEST_CASE("packed before: of two products one has so few rows that its right operand is read where it lies") {
    constexpr int most = static_cast<int>(std::max<std::int64_t>(ad::detail::machine::few_rows, 40));
    for (std::int64_t depth : {1, 127, 128, 129, 300}) {
        auto const few = waves(ad::tensor<float, dyn, most>(depth), 0.1);
        auto const many = waves(ad::tensor<float, dyn, most + 1>(depth), 0.4);
        auto const d = waves(ad::tensor<float, dyn, 64>(depth), 0.9);
        auto const [x, y] = ad::fused(products)(few, many, d);
        auto const [z, v] = ad::fused(products)(many, few, d);
        CHECK(is_same(x, ad::fused(product)(few, d)));
        CHECK(is_same(y, ad::fused(product)(many, d)));
        CHECK(is_same(z, y));
        CHECK(is_same(v, x));
    }
}
TEST_CASE("packed before: a batch of matrices packs nothing where it is empty") {
    constexpr auto f = [](auto batch, auto b, auto d) {
        return std::tuple(matmul(batch, d), matmul(ad::transpose(b), d));
    };
    auto const b = waves(ad::tensor<float, dyn, 40>(300), 0.1);
    auto const d = waves(ad::tensor<float, dyn, dyn>(300, 100), 0.4);
    for (std::int64_t n : {0, 1, 3}) {
        ad::tensor<float, dyn, 50, dyn> const batch = waves(ad::tensor<float, dyn, 50, dyn>(n, 300), 0.7);
        auto const [first, second] = ad::fused(f)(batch, b, d);
        CHECK(is_same(second, ad::fused(product)(b, d)));
        CHECK(is_same(first, ad::evaluate([](auto x, auto y) { return matmul(x, y); }, batch, d)));
    }
}
TEST_CASE("packed before: weights of a recurrence, whose steps are taken together") {
    constexpr auto loss = [](auto w, auto u, auto xs) {
        return sum(square(ad::fold([&](auto h, auto x) { return tanh(matmul(x, w) + matmul(h, u)); },
                                   0.0f * matmul(ad::select<0>(xs, 0), w), xs)));
    };
    constexpr auto written_out = [](auto w, auto u, auto xs) {
        auto h = ad::let(0.0f * matmul(ad::select<0>(xs, 0), w));
        auto const step = [&](auto x) { h = ad::let(tanh(matmul(x, w) + matmul(h, u))); };
        step(ad::select<0>(xs, 0)), step(ad::select<0>(xs, 1)), step(ad::select<0>(xs, 2));
        return sum(square(h));
    };
    auto w = waves(ad::tensor<float, 36, 100>{}, 0.1);
    auto u = waves(ad::tensor<float, 100, 100>{}, 0.3);
    for (float& v : w) v *= 0.1f;
    for (float& v : u) v *= 0.1f;
    auto const xs = waves(ad::tensor<float, 3, 16, 36>{}, 0.5);
    auto const [value, by] = ad::value_and_grad<0, 1>(loss)(w, u, xs);
    auto const [expected, by_hand] = ad::value_and_grad<0, 1>(written_out)(w, u, xs);
    CHECK(std::abs(value - expected) < 1e-4f * expected);
    auto const apart = [](auto const& a, auto const& b) {
        double worst = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            worst = std::max(worst, std::abs(static_cast<double>(a.data()[i] - b.data()[i])));
        return worst;
    };
    CHECK(apart(std::get<0>(by), std::get<0>(by_hand)) < 1e-4);
    CHECK(apart(std::get<1>(by), std::get<1>(by_hand)) < 1e-4);
}
