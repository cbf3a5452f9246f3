// SPDX-License-Identifier: MIT
// Losses of rows and of classes: 0, 1, 2 and 3 of either. A row without elements has a loss too; without rows there
// is no mean.

#include <cstdint>

#include "usage/short_losses.hpp"

using namespace short_losses;

namespace {

slice row_of(matrix const& x, std::size_t i) {
    std::size_t const m = x.extent(1);
    return slice(x.data() + i * m, x.data() + (i + 1) * m);
}
double dot(slice const& a, slice const& b) {
    double s = 0;
    for (std::size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
    return s;
}
double log_of_sum(slice const& x) {
    double s = 0;
    for (double v : x) s += std::exp(v);
    return std::log(s);
}
double distance(slice const& a, slice const& b) {
    double s = 0;
    for (std::size_t i = 0; i < a.size(); ++i) s += (a[i] - b[i] + 1e-6) * (a[i] - b[i] + 1e-6);
    return std::sqrt(s);
}

// What each loss is of matrices a, b and c and a sign for each row, and of one row of each.
struct cosine {
    template <reduction R>
    static constexpr auto of(auto a, auto b, auto, auto) { return loss::cosine<R>(a, b); }
    static double similarity(slice const& a, slice const& b) {
        return dot(a, b) / (std::max(std::sqrt(dot(a, a)), 1e-8) * std::max(std::sqrt(dot(b, b)), 1e-8));
    }
    static double one(slice const& a, slice const& b, slice const&, double) { return 1 - similarity(a, b); }
};
struct cosine_embedding {
    template <reduction R>
    static constexpr auto of(auto a, auto b, auto, auto t) { return loss::cosine_embedding<R>(a, b, t, 0.1); }
    static double one(slice const& a, slice const& b, slice const&, double t) {
        double const cos = cosine::similarity(a, b);
        return t > 0 ? 1 - cos : std::max(0.0, cos - 0.1);
    }
};
struct triplet_margin {
    template <reduction R>
    static constexpr auto of(auto a, auto b, auto c, auto) { return loss::triplet_margin<R>(a, b, c, {.margin = 2}); }
    static double one(slice const& a, slice const& b, slice const& c, double) {
        return std::max(0.0, distance(a, b) - distance(a, c) + 2);
    }
};
struct cross_entropy_of_probabilities {
    template <reduction R>
    static constexpr auto of(auto a, auto b, auto, auto) { return loss::cross_entropy<R>(a, b); }
    static double one(slice const& a, slice const& b, slice const&, double) {
        double s = 0;
        for (std::size_t i = 0; i < a.size(); ++i) s -= b[i] * (a[i] - log_of_sum(a));
        return s;
    }
};
struct multilabel_soft_margin {
    template <reduction R>
    static constexpr auto of(auto a, auto b, auto, auto) { return loss::multilabel_soft_margin<R>(a, b); }
    static double one(slice const& a, slice const& b, slice const&, double) {
        double s = 0;
        for (std::size_t i = 0; i < a.size(); ++i) s += std::log(1 + std::exp(a[i])) - b[i] * a[i];
        return s / static_cast<double>(a.size());
    }
};

/// What came out, against losses that were computed row by row.
void compare(auto const& results, std::vector<double> const& expected) {
    auto const& [each, sum, mean] = results;
    REQUIRE(each.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("row " << i << ": " << each.data()[i] << " instead of " << expected[i]);
        CHECK(near(each.data()[i], expected[i], 1e-13));
    }
    auto const all = reduced(expected, expected.size());
    CHECK(near(sum, all[0], 1e-13));
    CHECK(near(mean, all[1], 1e-13));
}
void compare_slopes(auto const& g, matrix const& x, auto const& loss_of_row) {
    REQUIRE(g.size() == x.size());
    std::size_t const m = x.extent(1);
    for (std::size_t k = 0; k < x.size(); ++k) {
        constexpr double h = 1e-5;
        slice up = row_of(x, k / m), down = up;
        up[k % m] += h;
        down[k % m] -= h;
        double const slope =
            (loss_of_row(k / m, up) - loss_of_row(k / m, down)) / (2 * h) / static_cast<double>(x.extent(0));
        INFO("gradient, element " << k << ": " << g.data()[k] << " instead of " << slope);
        CHECK(near(g.data()[k], slope, 1e-8));
    }
}

template <class L>
void check_rows() {
    auto values = ad::fused([](auto a, auto b, auto c, auto t) {
        return std::tuple(L::template of<reduction::none>(a, b, c, t), L::template of<reduction::sum>(a, b, c, t),
                          L::template of<reduction::mean>(a, b, c, t));
    });
    auto gradients =
        ad::grad<0, 1>([](auto a, auto b, auto c, auto t) { return L::template of<reduction::mean>(a, b, c, t); });
    for (std::size_t n = 0; n < 4; ++n)
        for (std::size_t m = 0; m < 4; ++m) {
            CAPTURE(n, m);
            matrix const a = probabilities(matrix(n, m), 1), b = probabilities(matrix(n, m), 2.5);
            matrix const c = probabilities(matrix(n, m), 4);
            vector const t = either(vector(n), -1, 1);
            std::vector<double> expected;
            for (std::size_t i = 0; i < n; ++i)
                expected.push_back(L::one(row_of(a, i), row_of(b, i), row_of(c, i), t(i)));
            compare(values(a, b, c, t), expected);
            auto const [da, db] = gradients(a, b, c, t);
            compare_slopes(da, a,
                           [&](std::size_t i, slice const& x) { return L::one(x, row_of(b, i), row_of(c, i), t(i)); });
            compare_slopes(db, b,
                           [&](std::size_t i, slice const& x) { return L::one(row_of(a, i), x, row_of(c, i), t(i)); });
        }
}

// Of scores and a class for each row.
struct cross_entropy {
    template <reduction R>
    static constexpr auto of(auto x, auto t) { return loss::cross_entropy<R>(x, t); }
    static double one(slice const& x, std::size_t t) { return log_of_sum(x) - x[t]; }
};
struct smoothed {
    template <reduction R>
    static constexpr auto of(auto x, auto t) { return loss::cross_entropy<R>(x, t, {.label_smoothing = 0.25}); }
    static double one(slice const& x, std::size_t t) {
        double s = 0.75 * (log_of_sum(x) - x[t]);
        for (double v : x) s += 0.25 * (log_of_sum(x) - v) / static_cast<double>(x.size());
        return s;
    }
};
struct nll {
    template <reduction R>
    static constexpr auto of(auto x, auto t) { return loss::nll<R>(x, t); }
    static double one(slice const& x, std::size_t t) { return -x[t]; }
};
struct multi_margin {
    template <reduction R>
    static constexpr auto of(auto x, auto t) { return loss::multi_margin<R>(x, t); }
    static double one(slice const& x, std::size_t t) {
        double s = 0;
        for (std::size_t j = 0; j < x.size(); ++j) s += j == t ? 0 : std::max(0.0, 1 - x[t] + x[j]);
        return s / static_cast<double>(x.size());
    }
};

template <class L>
void check_classes() {
    auto values = ad::fused([](auto x, auto t) {
        return std::tuple(L::template of<reduction::none>(x, t), L::template of<reduction::sum>(x, t),
                          L::template of<reduction::mean>(x, t));
    });
    auto gradient = ad::grad<0>([](auto x, auto t) { return L::template of<reduction::mean>(x, t); });
    for (std::size_t n = 0; n < 4; ++n)
        for (std::size_t m = 0; m < 4; ++m) {
            CAPTURE(n, m);
            matrix const x = probabilities(matrix(n, m), 1);
            std::vector<std::int64_t> t(n);
            for (std::size_t i = 0; i < n && m > 0; ++i) t[i] = static_cast<std::int64_t>((2 * i + 1) % m);
            if (n > 0 && m == 0) {  // no class is right
                CHECK_THROWS_AS(values(x, t), ad::index_error);
                CHECK_THROWS_AS(gradient(x, t), ad::index_error);
                continue;
            }
            auto one = [&](std::size_t i, slice const& row) { return L::one(row, static_cast<std::size_t>(t[i])); };
            std::vector<double> expected;
            for (std::size_t i = 0; i < n; ++i) expected.push_back(one(i, row_of(x, i)));
            compare(values(x, t), expected);
            compare_slopes(gradient(x, t), x, one);
        }
}

}  // namespace

TEST_CASE("short axes: cosine, cosine_embedding, triplet_margin") {
    check_rows<cosine>();
    check_rows<cosine_embedding>();
    check_rows<triplet_margin>();
}

TEST_CASE("short axes: cross_entropy of probabilities, multilabel_soft_margin") {
    check_rows<cross_entropy_of_probabilities>();
    check_rows<multilabel_soft_margin>();
}

TEST_CASE("short axes: cross_entropy, nll and multi_margin of class indices") {
    check_classes<cross_entropy>();
    check_classes<smoothed>();
    check_classes<nll>();
    check_classes<multi_margin>();
}

TEST_CASE("short axes: rows that are all ignored sum to 0 and have no mean, also without classes") {
    auto f = ad::fused([](auto x, auto t) {
        return std::tuple(loss::cross_entropy<reduction::none>(x, t), loss::cross_entropy<reduction::sum>(x, t),
                          loss::cross_entropy(x, t), loss::nll<reduction::sum>(x, t), loss::nll(x, t));
    });
    auto gradient = ad::grad<0>([](auto x, auto t) { return loss::cross_entropy<reduction::sum>(x, t); });
    for (std::size_t n = 0; n < 4; ++n)
        for (std::size_t m = 0; m < 4; ++m) {
            CAPTURE(n, m);
            matrix const x = probabilities(matrix(n, m), 1);
            std::vector<std::int64_t> const t(n, -100);
            auto const [each, sum, mean, nll_sum, nll_mean] = f(x, t);
            for (double v : each) CHECK(v == 0);
            CHECK(sum == 0);
            CHECK(std::isnan(mean));
            CHECK(nll_sum == 0);
            CHECK(std::isnan(nll_mean));
            for (double v : gradient(x, t)) CHECK(v == 0);
        }
}

TEST_CASE("short axes: cross_entropy of pixels, and fused with a linear layer") {
    auto pixels = ad::value_and_grad<0>([](auto x, auto t) { return loss::cross_entropy<reduction::sum>(x, t); });
    auto fused = ad::value_and_grad<0, 1, 2>(
        [](auto x, auto w, auto b, auto t) { return loss::fused_linear_cross_entropy<reduction::sum>(x, w, b, t); });
    auto apart = ad::value_and_grad<0, 1, 2>(
        [](auto x, auto w, auto b, auto t) { return loss::cross_entropy<reduction::sum>(linear(x, w, b), t); });
    for (std::size_t code = 0; code < 36; ++code) {
        std::size_t const n = code / 12, c = 1 + code / 4 % 3, d = code % 4;
        CAPTURE(n, c, d);
        cube const x = probabilities(cube(n, c, d), 1);
        ad::tensor<std::int64_t, dyn, dyn> t(n, d);
        for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = static_cast<std::int64_t>(i % c);
        auto const [value, dx] = pixels(x, t);
        double expected = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < d; ++j) {
                slice scores;
                for (std::size_t k = 0; k < c; ++k) scores.push_back(x(i, k, j));
                auto const right = static_cast<std::size_t>(t(i, j));
                expected += log_of_sum(scores) - scores[right];
                for (std::size_t k = 0; k < c; ++k)
                    CHECK(near(dx(i, k, j), std::exp(scores[k] - log_of_sum(scores)) - (k == right ? 1 : 0), 1e-13));
            }
        CHECK(near(value, expected, 1e-13));

        matrix const rows = probabilities(matrix(n, d), 1), weight = probabilities(matrix(c, d), 2);
        vector const bias = probabilities(vector(c), 3);
        std::vector<std::int64_t> classes(n);
        for (std::size_t i = 0; i < n; ++i) classes[i] = static_cast<std::int64_t>(i % c);
        auto const [a, ga] = fused(rows, weight, bias, classes);
        auto const [b, gb] = apart(rows, weight, bias, classes);
        double scores = 0;
        for (std::size_t i = 0; i < n; ++i) {
            slice s;
            for (std::size_t k = 0; k < c; ++k) s.push_back(dot(row_of(rows, i), row_of(weight, k)) + bias(k));
            scores += log_of_sum(s) - s[static_cast<std::size_t>(classes[i])];
        }
        CHECK(near(a, scores, 1e-13));
        CHECK(near(b, scores, 1e-13));
        auto same = [](auto const& p, auto const& q) {
            REQUIRE(p.size() == q.size());
            for (std::size_t i = 0; i < p.size(); ++i) CHECK(near(p.data()[i], q.data()[i], 1e-13));
        };
        same(std::get<0>(ga), std::get<0>(gb));
        same(std::get<1>(ga), std::get<1>(gb));
        same(std::get<2>(ga), std::get<2>(gb));
    }
}

TEST_CASE("short axes: multilabel_margin, of rows with and without labels") {
    auto f = ad::value_and_grad<0>([](auto x, auto t) { return loss::multilabel_margin<reduction::sum>(x, t); });
    auto mean = ad::fused([](auto x, auto t) { return loss::multilabel_margin(x, t); });
    for (std::size_t n = 0; n < 4; ++n)
        for (std::size_t m = 0; m < 4; ++m)
            for (std::size_t labels = 0; labels <= m; ++labels) {
                CAPTURE(n, m, labels);
                matrix const x = probabilities(matrix(n, m), 1);
                ad::tensor<std::int64_t, dyn, dyn> t(n, m);
                for (std::size_t i = 0; i < t.size(); ++i)
                    t.data()[i] = i % m < labels ? static_cast<std::int64_t>(i % m) : -1;
                double sum = 0;
                matrix slopes(n, m);
                for (std::size_t i = 0; i < n; ++i) {
                    double row = 0;
                    for (std::size_t y = 0; y < labels; ++y)
                        for (std::size_t k = labels; k < m; ++k) {  // all margins are less than 1, so that all count
                            row += 1 - x(i, y) + x(i, k);
                            slopes(i, y) -= 1 / static_cast<double>(m);
                            slopes(i, k) += 1 / static_cast<double>(m);
                        }
                    sum += row / static_cast<double>(m);
                }
                auto const [value, dx] = f(x, t);
                CHECK(near(value, sum, 1e-13));
                for (std::size_t i = 0; i < x.size(); ++i) CHECK(near(dx.data()[i], slopes.data()[i], 1e-13));
                CHECK(near(mean(x, t), sum / static_cast<double>(n), 1e-13));
            }
}
