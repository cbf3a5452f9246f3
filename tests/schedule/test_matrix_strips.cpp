// SPDX-License-Identifier: MIT
// Products of matrices of one batch run matrix by matrix, together with what is between them: what one leaves for another needs no more
// memory than a few matrices, and the results are those of each matrix alone.

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <tuple>

#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;
using ad::dyn;

namespace {

template <class A>
void fill(A& a, double first) {
    for (auto& v : a) v = static_cast<typename A::value_type>(std::sin(first += 0.7));
}
bool has(std::string const& text, char const* what) { return text.find(what) != std::string::npos; }

constexpr auto attention = [](auto q, auto k, auto v) { return sum(square(ad::attention(q, k, v))); };
constexpr auto each_attention = [](auto q, auto k, auto v) { return ad::attention(q, k, v); };
/// Of heads that lie beside each other in rows.
template <int Heads, int Rows, int Width>
constexpr auto multi_head = [](auto x, auto q, auto k, auto v, auto out) {
    auto heads = [&](auto const& w) {
        return ad::swap_axes<1, 2>(ad::reshape<-1, Rows, Heads, Width / Heads>(matmul(x, w)));
    };
    auto const y = ad::swap_axes<1, 2>(ad::attention(heads(q), heads(k), heads(v)));
    return sum(square(matmul(ad::reshape<-1, Rows, Width>(y), out)));
};

template <class T, int H, int N, int D>
void check_as_alone(std::int64_t most) {
    auto all = ad::value_and_grad<0, 1, 2>(attention), one = all;
    for (std::int64_t n = 0; n <= most; ++n) {
        ad::tensor<T, dyn, H, N, D> q(n), k(n), v(n);
        fill(q, 0.1), fill(k, 0.5), fill(v, 0.9);
        auto const made = all(q, k, v);
        auto const values = ad::evaluate(each_attention, q, k, v);
        bool same = true;
        long double value = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            ad::tensor<T, 1, H, N, D> a, b, c;
            std::size_t const size = a.size(), first = static_cast<std::size_t>(i) * size;
            std::memcpy(a.data(), q.data() + first, size * sizeof(T));
            std::memcpy(b.data(), k.data() + first, size * sizeof(T));
            std::memcpy(c.data(), v.data() + first, size * sizeof(T));
            auto const alone = one(a, b, c);
            auto const is_same = [&](auto const& x, auto const& y) {
                return std::memcmp(x.data() + first, y.data(), size * sizeof(T)) == 0;
            };
            same = same && is_same(std::get<0>(made.grad), std::get<0>(alone.grad)) &&
                   is_same(std::get<1>(made.grad), std::get<1>(alone.grad)) &&
                   is_same(std::get<2>(made.grad), std::get<2>(alone.grad)) &&
                   is_same(values, ad::evaluate(each_attention, a, b, c));
            value += static_cast<long double>(alone.value);
        }
        CAPTURE(n);
        CHECK(same);
        CHECK(std::abs(static_cast<long double>(made.value) - value) <= (sizeof(T) == 4 ? 1e-6L : 1e-14L) * value);
    }
}

}  // namespace

TEST_CASE("matrix strips: the plan of attention says so, and needs little memory") {
    using heads = ad::tensor<float, 8, 4, 128, 32>;
    auto const q = std::make_unique<heads>();
    auto step = ad::value_and_grad<0, 1, 2>(attention);
    std::string const plan = ad::explain(step, *q, *q, *q);
    INFO(plan);
    CHECK(has(plan, "  strips   of 1, together with kernels 0 to 5"));
    CHECK(step.plan<heads, heads, heads>().workspace_bytes() < 400'000);  // all scores are 2 MB
}
TEST_CASE("matrix strips: products of one batch come next to one another") {
    constexpr auto f = multi_head<4, 128, 128>;
    auto const x = std::make_unique<ad::tensor<float, 8, 128, 128>>();
    auto const w = std::make_unique<ad::tensor<float, 128, 128>>();
    std::string const plan = ad::explain(ad::value_and_grad<0, 1, 2, 3, 4>(f), *x, *w, *w, *w, *w);
    INFO(plan);
    CHECK(has(plan, "together with kernels 3 to 4"));   // scores, and what they weigh
    CHECK(has(plan, "together with kernels 8 to 11"));  // and backwards
}
TEST_CASE("matrix strips: where all of it is in the cache anyway there are none") {
    using heads = ad::tensor<float, 2, 4, 100, 32>;
    auto const q = std::make_unique<heads>();
    CHECK(!has(ad::explain(ad::value_and_grad<0, 1, 2>(attention), *q, *q, *q), "  strips   of "));
}
TEST_CASE("matrix strips: a matrix that is multiplied with all of a batch is packed once, for all of it") {
    constexpr auto f = [](auto x, auto w, auto v) {
        return ad::let(matmul(tanh(matmul(ad::swap_axes<1, 2>(x), w)), v));
    };
    ad::tensor<float, dyn, 70, 66> x(40);
    ad::tensor<float, 70, 300> w;
    ad::tensor<float, dyn, 300, 20> v(40);
    fill(x, 0.1), fill(w, 0.2), fill(v, 0.3);
    auto const y = ad::evaluate(f, x, w, v);
    auto one = ad::fused(f);
    bool same = true;
    for (std::size_t i = 0; i < 40; ++i) {
        ad::tensor<float, 1, 70, 66> a;
        ad::tensor<float, 1, 300, 20> b;
        std::memcpy(a.data(), x.data() + i * a.size(), a.size() * sizeof(float));
        std::memcpy(b.data(), v.data() + i * b.size(), b.size() * sizeof(float));
        auto const z = one(a, w, b);
        for (std::size_t j = 0; j < z.size(); ++j)
            same = same && std::abs(y.data()[i * z.size() + j] - z.data()[j]) <= 1e-3f;
    }
    CHECK(same);
}
TEST_CASE("matrix strips: many matrices have the bits of each alone") {
    {
        ad::tensor<double, dyn, 2, 33, 20> const q(9);
        REQUIRE(has(ad::explain(ad::value_and_grad<0, 1, 2>(attention), q, q, q), "  strips   of "));
    }
    check_as_alone<double, 2, 33, 20>(13);
    check_as_alone<float, 1, 65, 17>(9);
}
TEST_CASE("matrix strips: the same bits on any number of threads") {
    constexpr auto f = multi_head<2, 60, 32>;
    ad::tensor<float, dyn, 60, 32> x(11);
    ad::tensor<float, 32, 32> q, k, v, out;
    fill(x, 0.1), fill(q, 0.2), fill(k, 0.3), fill(v, 0.4), fill(out, 0.5);
    REQUIRE(has(ad::explain(ad::value_and_grad<0, 1, 2, 3, 4>(f), x, q, k, v, out), "  strips   of "));
    auto step = ad::value_and_grad<0, 1, 2, 3, 4>(f);
    auto const bytes = [&](int threads) {
        step.threads(threads);
        auto const made = step(x, q, k, v, out);
        std::string all(reinterpret_cast<char const*>(&made.value), sizeof made.value);
        std::apply([&](auto const&... g) {
            (all.append(reinterpret_cast<char const*>(g.data()), g.size() * sizeof(float)), ...);
        }, made.grad);
        return all;
    };
    std::string const one = bytes(1);
    for (int threads : {2, 3, 5, 16}) CHECK(bytes(threads) == one);
}
TEST_CASE("matrix strips: a result may take the place of an argument") {
    ad::tensor<double, dyn, 2, 33, 20> q(9), k(9), v(9);
    fill(q, 0.1), fill(k, 0.5), fill(v, 0.9);
    auto step = ad::value_and_grad<0, 1, 2>(attention);
    auto const expected = step(q, k, v);
    auto a = q, b = k, c = v;
    double const value = step(ad::into(b, c, a), a, b, c);
    CHECK(value == expected.value);
    CHECK(b == std::get<0>(expected.grad));
    CHECK(c == std::get<1>(expected.grad));
    CHECK(a == std::get<2>(expected.grad));
}
