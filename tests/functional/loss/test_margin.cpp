// SPDX-License-Identifier: MIT
// The losses of margins: exact small cases, kinks, extremes, batches of nothing, one class, and targets that are wrong.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
namespace loss = ad::loss;

namespace {

using matrix = ad::tensor<double, ad::dyn, ad::dyn>;
using indices = ad::tensor<std::int64_t, ad::dyn, ad::dyn>;
using numbers = std::vector<double>;
constexpr auto none = loss::reduction::none;

template <class Array>
numbers list(Array const& a) {
    return {a.begin(), a.end()};
}
constexpr auto of_pairs = [](auto x, auto t) {
    return std::tuple(loss::hinge<none>(x, t), loss::hinge_embedding<none>(x, t), loss::margin_ranking<none>(x, -x, t),
                      loss::hinge<none>(x, -1), loss::hinge_embedding<none>(x, 1, 2.0),
                      loss::hinge_embedding<none>(x, -1.0, 2.0));
};
constexpr auto sum_of_pairs = [](auto p) {
    auto const& [x, y, t] = p;
    return sum(loss::hinge<none>(x, t) + 10.0 * loss::hinge_embedding<none>(x, sign(t)) +
               100.0 * loss::margin_ranking<none>(x, y, t, 0.5));
};

constexpr auto of_rows = [](auto x, auto classes, auto labels) {
    return std::tuple(loss::multi_margin<none>(x, classes),
                      loss::multi_margin<none>(x, classes, {.p = 2, .margin = 0.5}),
                      loss::multilabel_margin<none>(x, labels));
};
constexpr auto of_sets = [](auto x, auto t) { return loss::multilabel_margin(x, t); };
constexpr auto sum_of_rows = [](auto x, auto classes, auto labels, auto w, auto t) {
    return loss::multi_margin<loss::reduction::sum>(x, classes, w, {.p = 2}) +
           10.0 * loss::multilabel_margin<loss::reduction::sum>(x, labels) +
           100.0 * loss::multilabel_soft_margin<loss::reduction::sum>(x, t, w);
};

}  // namespace

TEST_CASE("hinge, hinge_embedding, margin_ranking: values, of integer targets and of one target for all") {
    double const nan = std::numeric_limits<double>::quiet_NaN();
    numbers const x{0.5, 1, 2, -1e4, 1e4, -0.25, 1e4, -1e4, nan};
    std::vector<int> const t{1, 1, -1, 1, -1, -1, 1, -1, 1};
    auto f = ad::fused(of_pairs);
    auto const [hinge, embedding, ranking, negative, together, apart] = f(x, t);
    for (std::size_t i = 0; i + 1 < x.size(); ++i) {
        CHECK(hinge(i) == std::max(0.0, 1 - t[i] * x[i]));
        CHECK(embedding(i) == (t[i] == 1 ? x[i] : std::max(0.0, 1 - x[i])));
        CHECK(ranking(i) == std::max(0.0, -2 * t[i] * x[i]));
        CHECK(negative(i) == std::max(0.0, 1 + x[i]));
        CHECK(together(i) == x[i]);
        CHECK(apart(i) == std::max(0.0, 2 - x[i]));
    }
    CHECK((std::isnan(hinge(8)) && std::isnan(embedding(8)) && std::isnan(ranking(8))));
    CHECK(std::get<0>(f(numbers{}, std::vector<int>{})).size() == 0);
}

TEST_CASE(
    "hinge, hinge_embedding, margin_ranking: at a kink hinge has the derivative 0, the others that of the linear "
    "branch") {
    numbers const x{1, 1, 2.5, 1, 0, 0.25}, y{9, -9, 3, 9, -9, 9}, t{1, -1, -1, 1, -1, -1};
    auto const [dx, dy, dt] = ad::grad<0>(sum_of_pairs)(std::tuple(x, y, t));
    // hinge at x = t; hinge_embedding at x = margin where t = -1; margin_ranking at t (x - y) = margin
    CHECK(dx == numbers{0 + 10 - 100, 1 - 10 + 100, 1 + 0 + 100, 0 + 10 - 100, 1 - 10 + 100, 1 - 10 + 0});
    CHECK(dy == numbers{100, -100, -100, 100, -100, 0});
    CHECK(dt == numbers{800, -1001, 47.5, 800, -900, -0.25});  // the target's too: -x of hinge, y - x of margin_ranking
}

TEST_CASE("margin losses of elements: central differences, and the mean and sum of nothing") {
    numbers const x{0.3, -0.7, 2.2, 1.6, -1.2}, y{-0.4, 0.9, 1.1, 2.8, 0.6}, t{1, -1, -1, 1, 1};
    auto const report = ad::check_gradient<0>(sum_of_pairs, std::tuple(x, y, t));
    CHECK((report.passed && report.checked == 15));
    std::tuple<numbers, numbers, numbers> const nothing;
    CHECK(ad::evaluate(sum_of_pairs, nothing) == 0);
    CHECK(ad::grad<0>(sum_of_pairs)(nothing) == nothing);
    auto const means = [](auto a, auto b) { return loss::hinge(a, b) + loss::hinge_embedding(a, b); };
    CHECK(std::isnan(ad::evaluate(means, numbers{}, numbers{})));
}

TEST_CASE("multi_margin, multilabel_margin: exact values of rows") {
    matrix const x{{1, 2, -1, 0.5}, {1e4, -1e4, 0, 1e4}, {3, 3, 3, 3}};
    std::vector<std::int64_t> const classes{1, 1, 3};
    // two labels; none; two labels of which one stands there twice, and counts twice
    indices const labels{{1, 3, -1, 0}, {-1, 0, 1, 2}, {2, 2, 0, -1}};
    auto f = ad::fused(of_rows);
    auto const [plain, squared, sets] = f(x, classes, labels);
    CHECK(list(plain) == numbers{0, (20001 + 10001 + 20001) / 4.0, 3 / 4.0});
    CHECK(list(squared) == numbers{0, (2 * 20000.5 * 20000.5 + 10000.5 * 10000.5) / 4, 3 * 0.25 / 4});
    // 1 - 0.5 + 1; no label, no loss; three labels, two classes beside them
    CHECK(list(sets) == numbers{1.5 / 4, 0, 6 / 4.0});
    auto const [p, s, l] = f(matrix(0, 4), std::vector<std::int64_t>{}, indices(0, 4));
    CHECK((p.size() == 0 && s.size() == 0 && l.size() == 0));
    // one class: nothing to be apart from
    auto const [p1, s1, l1] = f(matrix{{5}, {-1e4}}, std::vector<std::int64_t>{0, 0}, indices{{0}, {-1}});
    CHECK((list(p1) == numbers{0, 0} && list(s1) == numbers{0, 0} && list(l1) == numbers{0, 0}));
}

TEST_CASE("multi_margin, multilabel_margin: one row, extents that are known, strided arrays and 32-bit indices") {
    auto f = ad::value_and_grad<0>([](auto x, auto i, auto labels) {
        return loss::multi_margin(x, i, {.margin = 2}) + 10.0 * loss::multilabel_margin(x, labels);
    });
    ad::tensor<float, 4> const x{1, 2, 0, 0.5f};
    auto const [value, dx] = f(x, 1, std::vector<std::int32_t>{3, 0, -1, -1});
    CHECK(value == (1 + 0 + 0.5f) / 4 + 10 * (2.5f + 0.5f + 2) / 4);  // at 2 - 2 + 0 = 0 there is nothing
    CHECK(dx == ad::tensor<float, 4>{0.25f - 2.5f, -0.5f + 5, 2.5f, 0.25f - 5 + 0});
    numbers const wide{1, 9, 2, 9, 0, 9, 0.5, 9};
    std::vector<std::int64_t> const set{3, 7, 0, 7, -1, 7, -1, 7};
    using strides = std::array<std::ptrdiff_t, 1>;
    auto const strided = f(ad::view<double const, ad::dyn>(wide.data(), 4, strides{2}), std::int64_t{1},
                           ad::view<std::int64_t const, ad::dyn>(set.data(), 4, strides{2}));
    CHECK(strided.value == value);
    CHECK(list(strided.grad) == list(dx));
    auto of_one = ad::value_and_grad<0>([](auto s, auto i, auto labels, auto w) {
        return loss::multi_margin(s, i, w) + loss::multilabel_margin(s, labels) +
               loss::multilabel_soft_margin(s, s > 0.0, w);
    });
    auto const single = of_one(ad::tensor<float, 2, 1>{{1e4f}, {-1e4f}}, ad::tensor<int, 2>{0, 0},
                               ad::tensor<int, 2, 1>{{0}, {-1}}, ad::tensor<float, 1>{3});
    CHECK(single.value == 0);
    CHECK(single.grad == ad::tensor<float, 2, 1>{{0}, {0}});
}

TEST_CASE("losses of rows: central differences, batches of nothing and extremes") {
    matrix const x{{0.3, -0.6, 1.2}, {0.9, 0.4, -1.6}}, t{{1, 0, 1}, {0, 0.3, 1}};
    std::vector<std::int64_t> const classes{2, 0};
    indices const labels{{0, 2, -1}, {1, -1, 2}};
    numbers const w{0.7, 1.3, 0.4};
    CHECK(ad::check_gradient<0>(sum_of_rows, x, classes, labels, w, t));
    auto value = ad::fused(sum_of_rows);
    auto gradient = ad::grad<0>(sum_of_rows);
    auto const at_nothing = std::tuple(matrix(0, 3), std::vector<std::int64_t>{}, indices(0, 3), w, matrix(0, 3));
    CHECK(std::apply(value, at_nothing) == 0);
    auto const no_rows = std::apply(gradient, at_nothing);
    CHECK((no_rows.extent(0) == 0 && no_rows.extent(1) == 3));
    // soft margins of right answers cost nothing, those of wrong ones their distance; at 0 the slope is sigmoid - t
    auto const far =
        std::tuple(matrix{{1e4, -1e4, 0}}, std::vector<std::int64_t>{0}, indices{{0, 1, 2}}, w, matrix{{1, 1, 0}});
    CHECK(std::abs(std::apply(value, far) - 100 * (1e4 * 1.3 + std::log(2) * 0.4) / 3) < 1e-9);
    auto const dx = std::apply(gradient, far);
    CHECK(dx(0, 0) == 0);
    CHECK(std::abs(dx(0, 1) + 130 / 3.0) < 1e-13);
    CHECK(std::abs(dx(0, 2) - 20 / 3.0) < 1e-13);
}

TEST_CASE("multilabel_margin: rows of any length, as two loops say") {
    auto f = ad::value_and_grad<0>(of_sets);
    for (std::size_t c = 1; c < 40; ++c) {
        matrix x(3, c), slopes(3, c);
        indices labels(3, c);
        double sum = 0;
        for (std::size_t r = 0; r < 3; ++r) {
            for (std::size_t i = 0; i < c; ++i) x(r, i) = std::sin(static_cast<double>(7 * i + 5 * r + c));
            for (std::size_t i = 0; i < c; ++i)
                labels(r, i) = i == r + c / 4 ? -1 : static_cast<std::int64_t>((3 * i + r) % c);
            auto const count = std::min(c, r + c / 4);
            std::vector<char> is_label(c);
            for (std::size_t k = 0; k < count; ++k) is_label[static_cast<std::size_t>(labels(r, k))] = 1;
            for (std::size_t k = 0; k < count; ++k)
                for (std::size_t i = 0; i < c; ++i) {
                    auto const y = static_cast<std::size_t>(labels(r, k));
                    double const margin = 1 - x(r, y) + x(r, i);
                    if (is_label[i] || margin <= 0) continue;
                    sum += margin, slopes(r, i) += 1, slopes(r, y) -= 1;
                }
        }
        auto const [value, dx] = f(x, labels);
        auto const scale = static_cast<double>(3 * c);
        CHECK(std::abs(value - sum / scale) < 1e-13 * (1 + sum / scale));
        bool same = true;
        for (std::size_t i = 0; i < 3 * c; ++i)
            same = same && std::abs(dx.data()[i] - slopes.data()[i] / scale) < 1e-14;
        CHECK(same);
    }
    auto const nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(f(matrix{{1, nan, 2}}, indices{{0, -1, -1}}).value));
}

TEST_CASE("multilabel_margin: what is made of its gradient has a derivative") {
    constexpr auto of_gradient = [](auto x, auto labels) {
        return sum(sin(ad::grad<0>([](auto a, auto l) { return square(loss::multilabel_margin(a, l)); })(x, labels)));
    };
    CHECK(ad::check_gradient<0>(of_gradient, matrix{{0.3, -0.6, 1.2}, {0.9, 0.4, -1.6}},
                                indices{{0, 2, -1}, {1, -1, 2}}));
}

TEST_CASE("multi_margin: a class that there is not, with row and value, before anything is written") {
    auto f = ad::value_and_grad<0>([](auto x, auto t) { return loss::multi_margin(x, t); });
    matrix const x{{1, 2, 3}, {4, 5, 6}};
    matrix dx{{-7, -7, -7}, {-7, -7, -7}};
    CHECK(index_message([&] { f(ad::into(dx), x, std::vector<int>{2, 3}); }) ==
          "multi_margin: the index 3 at (1) of argument 1 is out of range: 0 ... 2 are valid");
    CHECK(index_message([&] { f(ad::into(dx), x, std::vector<int>{-1, 0}); }) ==
          "multi_margin: the index -1 at (0) of argument 1 is out of range: 0 ... 2 are valid");
    CHECK(list(dx) == numbers(6, -7));
    CHECK(message_of([&] { f(x, std::vector<int>{0, 1, 2}); }) ==
          "argument 1, axis 0 has length 3, but argument 0, axis 0 has length 2: where needs them equal");
    auto computed = ad::fused([](auto a, auto t) { return loss::multi_margin(a, t + 1); });
    CHECK(computed(x, std::vector<int>{1, -1}) == (2.0 / 3 + 3.0 / 3) / 2);
    CHECK(index_message([&] { computed(x, std::vector<int>{0, 2}); }) ==
          "multi_margin: the index 3 at (1) of the computed indices is out of range: 0 ... 2 are valid");
}

TEST_CASE("multilabel_margin: a label that is neither a class nor -1, wherever it stands, before anything is written") {
    auto f = ad::value_and_grad<0>(of_sets);
    matrix const x{{1, 2, 3}, {4, 5, 6}};
    matrix dx{{-7, -7, -7}, {-7, -7, -7}};
    CHECK(index_message([&] { f(ad::into(dx), x, indices{{0, 1, 2}, {0, 3, -1}}); }) ==
          "multilabel_margin: the label 3 at (1, 1) of argument 1 is out of range: 0 ... 2 are valid, and -1");
    CHECK(index_message([&] { f(ad::into(dx), x, indices{{0, -1, -2}, {0, 1, -1}}); }) ==
          "multilabel_margin: the label -2 at (0, 2) of argument 1 is out of range: 0 ... 2 are valid, and -1");
    CHECK(list(dx) == numbers(6, -7));
    CHECK(message_of([&] { f(x, indices(3, 3)); }) ==
          "argument 0, axis 0 has length 2, but argument 1, axis 0 has length 3: multilabel_margin needs them equal");
    CHECK(message_of([&] { f(x, indices(2, 2)); }) ==
          "argument 0, axis 1 has length 3, but argument 1, axis 1 has length 2: multilabel_margin needs them equal");
    auto computed = ad::fused([](auto a, auto t) { return loss::multilabel_margin<none>(a, t - 1); });
    CHECK(list(computed(x, indices{{1, 0, 0}, {0, 0, 0}})) == numbers{(2 + 3) / 3.0, 0});
    CHECK(
        index_message([&] {
            computed(x, indices{{1, 0, 0}, {4, 0, 0}});
        }) ==
        "multilabel_margin: the label 3 at (1, 0) of the computed indices is out of range: 0 ... 2 are valid, and -1");
}
