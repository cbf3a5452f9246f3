// SPDX-License-Identifier: MIT
// One NaN among the elements of what is picked by indices, moved, masked or added up at indices.

#include "usage/one_nan.hpp"

#include <cstdint>

using namespace one_nan;

namespace {

using indices = std::vector<std::int64_t>;
using index_matrix = ad::tensor<std::int64_t, dyn, dyn>;

/// Some of 0 ... limit - 1: several of them more than once, and every third never.
std::int64_t index(std::size_t i, std::size_t limit) {
    std::size_t const k = i * 5 % limit;
    return static_cast<std::int64_t>(k % 3 == 2 ? k - 1 : k);
}
indices some(std::size_t count, std::size_t limit) {
    indices t(count);
    for (std::size_t i = 0; i < count; ++i) t[i] = index(i, limit);
    return t;
}
index_matrix some(std::size_t rows, std::size_t columns, std::size_t limit) {
    index_matrix t(rows, columns);
    for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = index(i, limit);
    return t;
}

/// The numbers of the elements for which `is` holds.
std::string those(std::size_t n, auto const& is) {
    std::string at;
    for (std::size_t i = 0; i < n; ++i)
        if (is(i)) at += only(i);
    return at;
}

/// A NaN at every one of some places of an array of n x m.
void at_places(auto const& check) {
    for (auto [n, m] : sizes)
        for (std::size_t at : places(n * m)) {
            CAPTURE(n, m, at);
            matrix x = numbers(n, m);
            x.data()[at] = not_a_number;
            check(x, n, m, at);
        }
}

}  // namespace

TEST_CASE("NaN: gather has it where the element is picked; the gradient in that element, if it is picked at all") {
    auto down = ad::fused([](auto x, auto i) { return ad::gather<0>(x, i); });
    auto along = ad::fused([](auto x, auto i) { return ad::gather<1>(x, i); });
    auto gradient = ad::grad<0>([](auto x, auto i) { return sum(square(ad::gather<0>(x, i))); });
    at_places([&](matrix const& x, std::size_t n, std::size_t m, std::size_t at) {
        auto const rows = some(n + 2, m, n), columns = some(n, m + 3, m);
        auto picked = [&](std::size_t p) {
            return p % m == at % m && rows.data()[p] == static_cast<std::int64_t>(at / m);
        };
        auto const expected = those(rows.size(), picked);
        CHECK(where_nan(down(x, rows)) == expected);
        CHECK(where_nan(along(x, columns)) == those(columns.size(), [&](std::size_t p) {
            return p / (m + 3) == at / m && columns.data()[p] == static_cast<std::int64_t>(at % m);
        }));
        CHECK(where_nan(gradient(x, rows)) == (expected.empty() ? "" : only(at)));
    });
}

TEST_CASE("NaN: index_select, take and embedding have it wherever the row or the element is picked") {
    auto f = ad::fused([](auto x, auto rows, auto columns, auto flat) {
        return std::tuple(ad::index_select<0>(x, rows), ad::embedding(x, rows), ad::index_select<1>(x, columns),
                          ad::take(x, flat), ad::take(transpose(x), flat));
    });
    auto gradient = ad::grad<0>([](auto x, auto rows) { return sum(square(ad::index_select<0>(x, rows))); });
    auto padded = ad::grad<0>([](auto x, auto rows) { return sum(square(ad::embedding(x, rows, 0))); });
    at_places([&](matrix const& x, std::size_t n, std::size_t m, std::size_t at) {
        auto const rows = some(n + 5, n), columns = some(m + 4, m), flat = some(2 * n, n * m);
        auto const row = static_cast<std::int64_t>(at / m), column = static_cast<std::int64_t>(at % m);
        auto const in_rows =
            those(rows.size() * m, [&](std::size_t p) { return rows[p / m] == row && p % m == at % m; });
        auto const [r, e, c, t, u] = f(x, rows, columns, flat);
        CHECK(where_nan(r) == in_rows);
        CHECK(where_nan(e) == in_rows);
        CHECK(where_nan(c) == those(n * (m + 4), [&](std::size_t p) {
            return p / (m + 4) == at / m && columns[p % (m + 4)] == column;
        }));
        CHECK(where_nan(t) == those(2 * n, [&](std::size_t p) { return flat[p] == static_cast<std::int64_t>(at); }));
        auto const turned = static_cast<std::int64_t>(at % m * n + at / m);
        CHECK(where_nan(u) == those(2 * n, [&](std::size_t p) { return flat[p] == turned; }));
        std::string const element = in_rows.empty() ? "" : only(at);
        CHECK(where_nan(gradient(x, rows)) == element);
        CHECK(where_nan(padded(x, rows)) == (row == 0 ? "" : element));
    });
}

TEST_CASE("NaN: scatter_add has it in the element it is added to, and what was added there has a NaN gradient") {
    auto f = ad::fused([](auto x, auto i, auto s) { return ad::scatter_add<0>(x, i, s); });
    auto gradient = ad::grad<0, 1>([](auto x, auto s, auto i) { return sum(square(ad::scatter_add<0>(x, i, s))); });
    at_places([&](matrix const& s, std::size_t n, std::size_t m, std::size_t at) {  // s: a NaN in what is added
        auto const rows = some(n, m, n + 3);
        matrix const x = numbers(n + 3, m);
        std::size_t const to = static_cast<std::size_t>(rows.data()[at]) * m + at % m;
        auto meets = [&](std::size_t p) { return p % m == at % m && rows.data()[p] == rows.data()[at]; };
        CHECK(where_nan(f(x, rows, s)) == only(to));
        auto const [dx, ds] = gradient(x, s, rows);
        CHECK(where_nan(dx) == only(to));
        CHECK(where_nan(ds) == those(n * m, meets));
    });
    at_places([&](matrix const& x, std::size_t n, std::size_t m, std::size_t at) {  // x: a NaN in what is added to
        auto const rows = some(n + 1, m, n);
        matrix const s = numbers(n + 1, m);
        CHECK(where_nan(f(x, rows, s)) == only(at));
        auto const [dx, ds] = gradient(x, s, rows);
        CHECK(where_nan(dx) == only(at));
        CHECK(where_nan(ds) == those(s.size(), [&](std::size_t p) {
            return p % m == at % m && rows.data()[p] == static_cast<std::int64_t>(at / m);
        }));
    });
}

TEST_CASE("NaN: one that is masked, cut off, dropped or ignored is nowhere, in value and gradient") {
    auto masked = [](auto x, auto keep) {
        return std::tuple(masked_fill(x, !keep, 0.0f), where(keep, x, 0.5f), ad::dropout(x, keep, 0.5));
    };
    auto values = ad::fused(masked);
    auto gradient = ad::grad<0>([](auto x, auto keep) {
        return sum(square(masked_fill(x, !keep, 0.0f))) + sum(exp(where(keep, x, 0.5f))) +
               sum(square(ad::dropout(x, keep, 0.5)));
    });
    auto triangles = ad::fused([](auto x) { return std::tuple(ad::tril(x), ad::triu(x, 1)); });
    auto of_triangle = ad::grad<0>([](auto x) { return sum(square(ad::tril(x))); });
    at_places([&](matrix const& x, std::size_t n, std::size_t m, std::size_t at) {
        for (bool there : {false, true}) {
            CAPTURE(there);
            ad::tensor<bool, dyn, dyn> keep(n, m);
            for (std::size_t i = 0; i < keep.size(); ++i) keep.data()[i] = i == at ? there : i % 3 != 0;
            check_all(values(x, keep), there ? only(at) : "", "value");
            CHECK(where_nan(gradient(x, keep)) == (there ? only(at) : ""));
        }
        bool const low = at % m <= at / m;
        auto const [lower, upper] = triangles(x);
        CHECK(where_nan(lower) == (low ? only(at) : ""));
        CHECK(where_nan(upper) == (low ? "" : only(at)));
        CHECK(where_nan(of_triangle(x)) == (low ? only(at) : ""));
    });
}

TEST_CASE("NaN: moved elements take it along") {
    auto f = ad::fused([](auto x) {
        return std::tuple(transpose(x), ad::flip<0>(x), ad::roll<1>(x, 1), ad::concat<0>(x, x), ad::pad<1, 0, 2, 1>(x));
    });
    auto gradient = ad::grad<0>([](auto x) { return sum(square(ad::concat<1>(ad::flip<0>(x), ad::roll<1>(x, 1)))); });
    at_places([&](matrix const& x, std::size_t n, std::size_t m, std::size_t at) {
        std::size_t const i = at / m, j = at % m;
        auto const [turned, flipped, rolled, twice, padded] = f(x);
        CHECK(where_nan(turned) == only(j * n + i));
        CHECK(where_nan(flipped) == only((n - 1 - i) * m + j));
        CHECK(where_nan(rolled) == only(i * m + (j + 1) % m));
        CHECK(where_nan(twice) == only(at) + only(n * m + at));
        CHECK(where_nan(padded) == only((i + 1) * (m + 3) + j + 2));
        CHECK(where_nan(gradient(x)) == only(at));
    });
}

TEST_CASE("NaN: an extreme of a row or column is the NaN in it, its index the NaN's, and the gradient goes there") {
    auto f = ad::fused([](auto x) {
        auto const [high, where_high] = ad::max_with_index<1>(x);
        auto const [low, where_low] = ad::min_with_index<0>(x);
        return std::tuple(high, low, where_high, where_low, argmax<1>(x), argmin<0>(x));
    });
    auto gradient = ad::grad<0>([](auto x) { return sum(square(ad::max_with_index<1>(x).values)); });
    at_places([&](matrix const& x, std::size_t, std::size_t m, std::size_t at) {
        auto const [high, low, where_high, where_low, high_too, low_too] = f(x);
        CHECK(where_nan(high) == only(at / m));
        CHECK(where_nan(low) == only(at % m));
        auto const row = static_cast<std::int64_t>(at / m), column = static_cast<std::int64_t>(at % m);
        CHECK(where_high(at / m) == column);
        CHECK(where_low(at % m) == row);
        CHECK(high_too(at / m) == column);
        CHECK(low_too(at % m) == row);
        CHECK(where_nan(gradient(x)) == only(at));
    });
}

TEST_CASE(
    "NaN: a row of scores whose target is ignored leaves the others alone; nll sees only the score of its target") {
    namespace loss = ad::loss;
    auto scores = ad::value_and_grad<0>([](auto x, auto t) { return loss::cross_entropy(x, t); });
    auto logs = ad::value_and_grad<0>([](auto x, auto t) { return loss::nll(x, t); });
    at_places([&](matrix const& x, std::size_t n, std::size_t m, std::size_t at) {
        if (n == 1) return;
        auto t = some(n, m);
        bool const hit = t[at / m] == static_cast<std::int64_t>(at % m);
        auto const [a, da] = logs(x, t);
        CHECK(std::isnan(a) == hit);
        CHECK(where_nan(da) == "");  // -1/n at the target, whatever x is
        t[at / m] = -100;
        auto const [b, db] = logs(x, t);
        CHECK(!std::isnan(b));
        CHECK(where_nan(db) == "");
        auto const [c, dc] = scores(x, t);
        CHECK(!std::isnan(c));
        for (std::size_t i = 0; i < dc.size(); ++i)
            if (i / m != at / m) CHECK(!std::isnan(dc.data()[i]));
    });
}
