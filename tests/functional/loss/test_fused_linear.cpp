// SPDX-License-Identifier: MIT
// fused_linear_cross_entropy: reference vectors, the unfused program, strided arrays, sizes around the chunks, one
// sweep, errors.

#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>

#include "functional/loss/class_cases.hpp"
#include "support/messages.hpp"

using namespace reference;

namespace {

template <int Tenths>
struct fused {
    template <reduction R>
    static constexpr auto of(auto x, auto w, auto b, auto t) {
        return ad::loss::fused_linear_cross_entropy<R>(x, w, b, t, {.label_smoothing = Tenths / 10.0});
    }
};
template <int Tenths>
struct unfused {
    template <reduction R>
    static constexpr auto of(auto x, auto w, auto b, auto t) {
        return ad::loss::cross_entropy<R>(linear(x, w, b), t, {.label_smoothing = Tenths / 10.0});
    }
};
template <class Loss>
constexpr auto all_of = [](auto each, auto mean, auto total, auto x, auto w, auto b, auto t) {
    return sum(Loss::template of<reduction::none>(x, w, b, t) * each) +
           Loss::template of<reduction::mean>(x, w, b, t) * mean +
           Loss::template of<reduction::sum>(x, w, b, t) * total;
};
constexpr auto mean_without_bias = [](auto x, auto w, auto t) { return ad::loss::fused_linear_cross_entropy(x, w, t); };

/// A case; where it has no bias, zeros take its place.
template <class T, class Loss>
void run_case(test_case const& c) {
    auto const x = tensor_of<T, 2>(c.in("input")), w = tensor_of<T, 2>(c.in("weight"));
    auto const t = tensor_of<std::int64_t, 1>(c.in("target"));
    bool const has_bias = std::find(c.inputs.begin(), c.inputs.end(), "bias") != c.inputs.end();
    ad::tensor<T, ad::dyn> bias(w.extent(0)), each(x.extent(0));
    ad::fill(bias, T(0));
    ad::fill(each, T(0));
    if (has_bias) bias = tensor_of<T, 1>(c.in("bias"));
    std::size_t const place = place_of(c.word("reduction"));
    T upstream[3] = {};
    if (place == 0) each = tensor_of<T, 1>(c.cot());
    else upstream[place] = static_cast<T>(c.cot().item());
    auto const g = ad::grad<0, 1, 2, 3, 4, 5>(all_of<Loss>)(each, upstream[1], upstream[2], x, w, bias, t);
    if (place == 0) CHECK(check_close(c.out(), std::get<0>(g), c, "out") == "");
    else CHECK(check_close(c.out(), place == 1 ? std::get<1>(g) : std::get<2>(g), c, "out") == "");
    CHECK(check_close(c.grad("input"), std::get<3>(g), c, "grad input") == "");
    CHECK(check_close(c.grad("weight"), std::get<4>(g), c, "grad weight") == "");
    if (has_bias) CHECK(check_close(c.grad("bias"), std::get<5>(g), c, "grad bias") == "");
    if (place == 1 && !has_bias && c.number("label_smoothing") == 0) {
        auto const [value, gradients] = ad::value_and_grad<0, 1>(mean_without_bias)(x, w, t);
        CHECK(check_close(c.out(), value, c, "out without a bias") == "");
        for (std::size_t i = 0; i < x.size(); ++i)
            CHECK(std::abs(std::get<0>(gradients).data()[i] * upstream[1] - std::get<3>(g).data()[i]) < 1e-6);
    }
}
template <class T>
void run_all() {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("loss_class"), "fused_linear_cross_entropy")) {
        if (c.number("label_smoothing") == 0) run_case<T, fused<0>>(c);
        else run_case<T, fused<1>>(c);
        CHECK((c.number("label_smoothing") == 0 || c.number("label_smoothing") == 0.1));
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("loss_class"), "fused_linear_cross_entropy"));
}

bool near(double a, double b, double relative) { return std::abs(a - b) <= relative * (1e-3 + std::abs(b)); }

/// An array (rows, columns) of views with these strides, inside memory that ends with it.
struct matrix_in_memory {
    std::size_t rows, columns;
    std::ptrdiff_t row, column;
    std::vector<double> memory;
    matrix_in_memory(std::size_t m, std::size_t n, bool by_columns)
        : rows(m),
          columns(n),
          row(by_columns ? 1 : static_cast<std::ptrdiff_t>(2 * n)),
          column(by_columns ? static_cast<std::ptrdiff_t>(m + 1) : 2),
          memory((m + 1) * 2 * n + 1, 0.0) {}
    auto view() {
        return ad::view<double, ad::dyn, ad::dyn>(memory.data(), rows, columns,
                                                  std::array<std::ptrdiff_t, 2>{row, column});
    }
};

constexpr auto fused_mean = [](auto x, auto w, auto b, auto t) { return fused<1>::of<reduction::mean>(x, w, b, t); };
constexpr auto unfused_mean = [](auto x, auto w, auto b, auto t) {
    return unfused<1>::of<reduction::mean>(x, w, b, t);
};
}  // namespace

TEST_CASE("fused_linear_cross_entropy: reference vectors") { run_all<double>(); }
TEST_CASE("fused_linear_cross_entropy: reference vectors, float") { run_all<float>(); }

TEST_CASE("fused_linear_cross_entropy: the same as unfused around the sizes of its chunks, of any strides") {
    std::mt19937 rng(3);
    auto fused_gradient = ad::value_and_grad<0, 1, 2>(fused_mean);
    auto unfused_gradient = ad::value_and_grad<0, 1, 2>(unfused_mean);
    struct sizes { std::size_t n, d, v; };
    for (sizes s : {sizes{1, 1, 1},
                    {23, 5, 63},
                    {24, 7, 64},
                    {25, 8, 65},
                    {49, 13, 129},
                    {3, 300, 200},
                    {2, 3, 1},
                    {0, 3, 4},
                    {4, 0, 3}}) {
        INFO(s.n << " rows, " << s.d << " long, " << s.v << " classes");
        ad::tensor<double, ad::dyn, ad::dyn> x(s.n, s.d), w(s.v, s.d), dx(s.n, s.d), dw(s.v, s.d);
        ad::tensor<double, ad::dyn> b(s.v), db(s.v);
        ad::tensor<std::int64_t, ad::dyn> t(s.n);
        ad::fill_normal(x, rng, 0.0, 1.0);
        ad::fill_normal(w, rng, 0.0, 1.0);
        ad::fill_normal(b, rng, 0.0, 1.0);
        for (std::size_t i = 0; i < s.n; ++i) t(i) = i % 7 == 5 ? -100 : static_cast<std::int64_t>(rng() % s.v);
        auto const expected = unfused_gradient(x, w, b, t);
        auto compare = [&](double value, auto const& a, auto const& c, auto const& e) {
            if (s.n == 0) CHECK(std::isnan(value));
            else CHECK(near(value, expected.value, 1e-12));
            for (std::size_t i = 0; i < s.n; ++i)
                for (std::size_t k = 0; k < s.d; ++k)
                    if (!near(a(i, k), std::get<0>(expected.grad)(i, k), 1e-10))
                        FAIL_CHECK("element " << i << " differs");
            for (std::size_t i = 0; i < s.v; ++i) {
                for (std::size_t k = 0; k < s.d; ++k)
                    if (!near(c(i, k), std::get<1>(expected.grad)(i, k), 1e-10))
                        FAIL_CHECK("element " << i << " differs");
                if (!near(e(i), std::get<2>(expected.grad)(i), 1e-10)) FAIL_CHECK("element " << i << " differs");
            }
        };
        ad::fill(dw, -7.0);
        ad::fill(db, -7.0);
        compare(fused_gradient(ad::into(dx, dw, db), x, w, b, t), dx, dw, db);
        for (bool by_columns : {false, true}) {
            matrix_in_memory sx(s.n, s.d, by_columns), sw(s.v, s.d, by_columns), sdx(s.n, s.d, by_columns),
                sdw(s.v, s.d, !by_columns);
            for (std::size_t k = 0; k < s.d; ++k) {
                for (std::size_t i = 0; i < s.n; ++i) sx.view()(i, k) = x(i, k);
                for (std::size_t i = 0; i < s.v; ++i) sw.view()(i, k) = w(i, k);
            }
            auto vdx = sdx.view(), vdw = sdw.view();
            compare(fused_gradient(ad::into(vdx, vdw, db), sx.view(), sw.view(), b, t), vdx, vdw, db);
        }
    }
}

TEST_CASE("fused_linear_cross_entropy: what an earlier call left in the workspace does not matter") {
    auto gradient = ad::value_and_grad<0, 1, 2>(fused_mean);
    auto call = [&](std::size_t n, double value) {
        ad::tensor<double, ad::dyn, ad::dyn> x(n, 3), w(5, 3);
        ad::tensor<double, ad::dyn> b(5);
        ad::tensor<std::int64_t, ad::dyn> t(n);
        ad::fill(x, value);
        ad::fill(w, 0.5);
        return gradient(x, w, b, t);
    };
    for (std::size_t n : std::initializer_list<std::size_t>{1, 2, 3, 7, 23, 25}) {
        call(48, std::numeric_limits<double>::quiet_NaN());
        auto const [value, g] = call(n, 1.0);
        INFO(n << " rows");
        CHECK(near(value, std::log(5.0), 1e-12));
        for (std::size_t k = 0; k < 3; ++k) CHECK(near(std::get<0>(g)(n - 1, k), 0, 1e-9));
        for (std::size_t v = 0; v < 5; ++v) {
            double const slope = v == 0 ? 0.2 - (0.9 + 0.02) : 0.2 - 0.02;
            CHECK(near(std::get<1>(g)(v, 2), slope, 1e-12));
            CHECK(near(std::get<2>(g)(v), slope, 1e-12));
        }
    }
}

TEST_CASE("fused_linear_cross_entropy: value and gradients are one sweep, whose room is a chunk of scores") {
    using X = ad::tensor<float, 512, 256>;
    using W = ad::tensor<float, 32768, 256>;
    auto gradient = ad::value_and_grad<0, 1>(mean_without_bias);
    auto const plan = gradient.plan<X, W, ad::tensor<std::int64_t, 512>>();
    CHECK(plan.own_loops() == 1);
    CHECK(plan.products() == 0);
    CHECK(plan.workspace_bytes() < 8 * 1000 * 1000);
    auto value = ad::fused(mean_without_bias);
    CHECK(value.plan<X, W, ad::tensor<std::int64_t, 512>>().own_loops() == 1);
}

TEST_CASE("fused_linear_cross_entropy: a gradient that needs the loss first takes a second sweep") {
    constexpr auto squared = [](auto x, auto w, auto t) {
        return square(ad::loss::fused_linear_cross_entropy(x, w, t));
    };
    ad::tensor<double, 3, 2> x{{1, 2}, {0.5, -1}, {3, 0.1}};
    ad::tensor<double, 4, 2> w{{1, 0}, {0, 1}, {-1, 0.5}, {0.3, 0.3}};
    ad::tensor<int, 3> t{3, 0, 1};
    CHECK(ad::grad<0, 1>(squared).plan<decltype(x), decltype(w), decltype(t)>().own_loops() == 2);
    CHECK(ad::check_gradient<0, 1>(squared, x, w, t).passed);
}

TEST_CASE("fused_linear_cross_entropy: a wrong target throws before anything is written") {
    ad::tensor<double, ad::dyn, 2> x(3), dx(3);
    ad::tensor<double, 4, 2> w, dw;
    ad::tensor<int, ad::dyn> t(3);
    ad::fill(x, 1.0);
    ad::fill(w, 1.0);
    ad::fill(dx, -7.0);
    ad::fill(dw, -7.0);
    t(0) = 3, t(1) = -100, t(2) = 4;
    auto gradient = ad::value_and_grad<0, 1>(mean_without_bias);
    CHECK(index_message([&] { gradient(ad::into(dx, dw), x, w, t); }) ==
          "fused_linear_cross_entropy: the index 4 at (2) of argument 2 is out of range: 0 ... 3 are valid, and -100");
    for (double v : dx) CHECK(v == -7);
    for (double v : dw) CHECK(v == -7);
    ad::tensor<int, ad::dyn> longer(4);
    CHECK_THROWS_AS(gradient(ad::into(dx, dw), x, w, longer), ad::shape_error);
}
