// SPDX-License-Identifier: MIT
// One NaN among the elements of products, softmax, normalisations and losses.

#include "usage/one_nan.hpp"

using namespace one_nan;

namespace {

std::string everything(std::size_t n) {
    std::string at;
    for (std::size_t i = 0; i < n; ++i) at += only(i);
    return at;
}
std::vector<std::int64_t> labels(std::size_t rows, std::size_t classes) {
    std::vector<std::int64_t> t(rows);
    for (std::size_t i = 0; i < rows; ++i) t[i] = static_cast<std::int64_t>(i * 7 % classes);
    return t;
}

}  // namespace

TEST_CASE("NaN: a product has it in the row of its left operand and the column of its right one") {
    auto product = ad::fused([](auto a, auto b) { return matmul(a, b); });
    auto gradient = ad::grad<0, 1>([](auto a, auto b) { return sum(square(matmul(a, b))); });
    struct {
        std::size_t n, k, m;
    } const sizes_of_products[] = {{1, 1, 1},   {3, 5, 4},  {17, 33, 9},  {65, 3, 5},
                                   {5, 129, 7}, {4, 8, 65}, {64, 64, 64}, {33, 257, 31}};
    for (auto const& s : sizes_of_products)
        for (std::size_t at : places(s.n * s.k)) {
            CAPTURE(s.n, s.k, s.m, at);
            std::size_t const row = at / s.k, inner = at % s.k, column = at % s.m;
            matrix a = numbers(s.n, s.k), b = numbers(s.k, s.m);
            a.data()[at] = not_a_number;
            CHECK(where_nan(product(a, b)) == row_of(row, s.m));
            {
                auto const [da, db] = gradient(a, b);
                CHECK(where_nan(da) == row_of(row, s.k));  // 2 (a b) bT
                // aT (2 a b): a row of it is NaN, and each sum has that row
                CHECK(where_nan(db) == everything(s.k * s.m));
            }
            a.data()[at] = 1;
            b(inner, column) = not_a_number;
            CHECK(where_nan(product(a, b)) == column_of(column, s.n, s.m));
            auto const [da, db] = gradient(a, b);
            CHECK(where_nan(da) == everything(s.n * s.k));
            CHECK(where_nan(db) == column_of(column, s.k, s.m));
        }
}

TEST_CASE("NaN: softmax, log_softmax, layer_norm and rms_norm of rows have it in that row, their gradients too") {
    auto rows = ad::fused([](auto x, auto g, auto b) {
        return std::tuple(softmax(x), log_softmax(x), layer_norm(x, g, b), rms_norm(x, g));
    });
    auto gradients = ad::grad<0, 1>([](auto x, auto g, auto b) {
        return sum(square(softmax(x)) + square(log_softmax(x)) + square(layer_norm(x, g, b)) + square(rms_norm(x, g)));
    });
    for (auto [n, m] : sizes)
        for (std::size_t at : places(n * m)) {
            CAPTURE(n, m, at);
            matrix x = numbers(n, m);
            x.data()[at] = not_a_number;
            vector const gain = numbers(m), bias = numbers(m);
            check_all(rows(x, gain, bias), row_of(at / m, m), "value");
            auto const [dx, dgain] = gradients(x, gain, bias);
            CHECK(where_nan(dx) == row_of(at / m, m));
            CHECK(where_nan(dgain) == everything(m));
        }
}

TEST_CASE("NaN: a bias and a gain have it in the column of that element only") {
    auto gradients = ad::grad<0, 1>([](auto gain, auto bias, auto x) { return sum(square(x * gain + bias)); });
    for (auto [n, m] : sizes)
        for (std::size_t at : places(n * m)) {
            CAPTURE(n, m, at);
            matrix x = numbers(n, m);
            x.data()[at] = not_a_number;
            auto const [dgain, dbias] = gradients(numbers(m), numbers(m), x);
            CHECK(where_nan(dgain) == only(at % m));
            CHECK(where_nan(dbias) == only(at % m));
        }
}

TEST_CASE("NaN: softmax over the first axis and batch_norm in training have it in that column") {
    auto columns = ad::fused([](auto x, auto mean, auto var) {
        auto [out, new_mean, new_var] = batch_norm_training(x, mean, var);
        return std::tuple(softmax<0>(x), out, new_mean, new_var);
    });
    for (auto [n, m] : sizes)
        for (std::size_t at : places(n * m)) {
            CAPTURE(n, m, at);
            matrix x = numbers(n, m);
            x.data()[at] = not_a_number;
            auto const [s, out, mean, var] = columns(x, numbers(m), numbers(m));
            CHECK(where_nan(s) == column_of(at % m, n, m));
            CHECK(where_nan(out) == column_of(at % m, n, m));
            CHECK(where_nan(mean) == only(at % m));
            if (n > 1) CHECK(where_nan(var) == only(at % m));  // of one row the variance is 0/0 everywhere
        }
}

TEST_CASE("NaN: cross_entropy has it in the row of that score, its gradient too; a loss of elements in that element") {
    namespace loss = ad::loss;
    auto each = ad::fused([](auto x, auto t) { return loss::cross_entropy<loss::reduction::none>(x, t); });
    auto gradient = ad::value_and_grad<0>([](auto x, auto t) { return loss::cross_entropy(x, t); });
    auto elements = ad::value_and_grad<0>([](auto x, auto y) {
        return loss::mse(x, y) + loss::huber(x, y) + loss::bce_with_logits(x, y) + loss::l1(x, y);
    });
    for (auto [n, m] : sizes) {
        auto const t = labels(n, m);
        for (std::size_t at : places(n * m)) {
            CAPTURE(n, m, at);
            matrix x = numbers(n, m);
            x.data()[at] = not_a_number;
            CHECK(where_nan(each(x, t)) == only(at / m));
            auto const [value, dx] = gradient(x, t);
            CHECK(std::isnan(value));
            CHECK(where_nan(dx) == row_of(at / m, m));
            auto const [sum, dy] = elements(x, numbers(n, m));
            CHECK(std::isnan(sum));
            CHECK(where_nan(dy) == only(at));
        }
    }
}

TEST_CASE("NaN: cumsum has it from there on, and what reads another part does not") {
    auto so_far = ad::fused([](auto x) { return ad::cumsum<0>(x); });
    auto tail = ad::value_and_grad<0>([](auto x) { return sum(square(ad::slice<0, 1, ad::to_end>(x))); });
    for (std::size_t n : lengths)
        for (std::size_t at : places(n)) {
            CAPTURE(n, at);
            vector x = numbers(n);
            x(at) = not_a_number;
            std::string from;
            for (std::size_t i = at; i < n; ++i) from += only(i);
            CHECK(where_nan(so_far(x)) == from);
            auto const [value, dx] = tail(x);
            CHECK(std::isnan(value) == (at > 0));
            CHECK(where_nan(dx) == (at > 0 ? only(at) : ""));
        }
}
