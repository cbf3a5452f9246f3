// SPDX-License-Identifier: MIT
// The losses of vectors against vectors, and cosine_similarity: reference vectors in double and float.

#include "functional/loss/margin_cases.hpp"

using namespace reference;

namespace {

constexpr auto of_angles = []<loss::reduction R>(auto a, auto b, auto t, auto margin, auto plain, auto embedding) {
    return plain * loss::cosine<R>(a, b) + embedding * loss::cosine_embedding<R>(a, b, t, margin);
};
template <class T>
void check_angles() {
    auto const with = [](T plain, T embedding) {
        return [=](test_case const& c) {
            auto const a = rows_of<T>(c.in("x1"));
            return std::tuple(a, rows_of<T>(c.in("x2")), embedding == 1 ? c.in("target").as<T>() : ones<T>(a.extent(0)),
                              static_cast<T>(c.has_parameter("margin") ? c.number("margin") : 0), plain, embedding);
        };
    };
    run_losses<T, 0, 1>(of_angles, "cosine_loss", {"x1", "x2"}, with(1, 0));
    run_losses<T, 0, 1>(of_angles, "cosine_embedding", {"x1", "x2"}, with(0, 1));
}

/// Without eps, with it, and with the distances to the negative swapped.
template <int P>
constexpr auto of_triplets = []<loss::reduction R>(auto a, auto p, auto n, auto bare, auto plain, auto swapped) {
    return bare * loss::triplet_margin<R>(a, p, n, {.p = P, .eps = 0}) +
           plain * loss::triplet_margin<R>(a, p, n, {.p = P}) +
           swapped * loss::triplet_margin<R>(a, p, n, {.p = P, .swap = true});
};
template <int P>
std::size_t check_triplets() {
    auto const of_p = [](test_case const& c) { return c.number("p") == P; };
    return run_losses_if<double, 0, 1, 2>(
        of_triplets<P>, "triplet_margin", {"anchor", "positive", "negative"}, of_p, [](test_case const& c) {
            REQUIRE(c.number("margin") == 1);
            REQUIRE((c.number("eps") == 0 || c.number("eps") == 1e-6));
            bool const bare = c.number("eps") == 0, swapped = c.flag("swap");
            REQUIRE_FALSE((bare && swapped));
            return std::tuple(rows_of<double>(c.in("anchor")), rows_of<double>(c.in("positive")),
                              rows_of<double>(c.in("negative")), double(bare), double(!bare && !swapped),
                              double(swapped));
        });
}
/// The float cases are all without eps.
constexpr auto of_bare_triplets = []<loss::reduction R>(auto a, auto p, auto n, auto first, auto second, auto third) {
    return first * loss::triplet_margin<R>(a, p, n, {.p = 1, .eps = 0}) +
           second * loss::triplet_margin<R>(a, p, n, {.eps = 0}) +
           third * loss::triplet_margin<R>(a, p, n, {.p = 3, .eps = 0});
};

template <int Axis>
constexpr auto weighted_similarity = [](auto a, auto b, auto cot) { return sum(cosine_similarity<Axis>(a, b) * cot); };
/// The case, where its axis is this one and its shapes fit: leading axes that behave alike are one.
template <class T, int Axis, class A, class B, class Out>
bool run_similarity(test_case c) {
    auto merge = [](tensor& t) {
        if (t.rank() == 3) t.shape = {t.shape[0] * t.shape[1], t.shape[2]};
    };
    if (c.integer("axis") == -1) {  // the last of three
        for (char const* name : {"x1", "x2"}) merge(c.tensors.at("in").at(name)), merge(c.tensors.at("grad").at(name));
        for (char const* kind : {"out", "cot"}) c.tensors.at(kind).at("out").shape = {c.in("x1").shape[0]};
        c.parameters["axis"].integers = {1};
    }
    if (c.integer("axis") != Axis || !A::matches(c.in("x1").shape) || !B::matches(c.in("x2").shape)) return false;
    REQUIRE(c.number("eps") == 1e-8);
    auto const [da, db, out] = ad::grad<0, 1, 2>(weighted_similarity<Axis>)(
        A::template make<T>(c.in("x1")), B::template make<T>(c.in("x2")), Out::template make<T>(c.cot()));
    CHECK(check_close(c.out(), out, c, "out") == "");
    CHECK(check_close(c.grad("x1"), da, c, "grad x1") == "");
    CHECK(check_close(c.grad("x2"), db, c, "grad x2") == "");
    return true;
}

using line = shape_pattern<run>;
using matrix = shape_pattern<run, run>;
using one_row = shape_pattern<1, run>;
using cube = shape_pattern<run, run, run>;

}  // namespace

TEST_CASE("cosine, cosine_embedding: reference vectors in double") { check_angles<double>(); }
TEST_CASE("cosine, cosine_embedding: reference vectors in float") { check_angles<float>(); }
TEST_CASE("triplet_margin: reference vectors in double") {
    CHECK(check_triplets<1>() + check_triplets<2>() + check_triplets<3>() ==
          count_in_file("loss_margin", "triplet_margin"));
}
TEST_CASE("triplet_margin: reference vectors in float") {
    run_losses<float, 0, 1, 2>(of_bare_triplets, "triplet_margin", {"anchor", "positive", "negative"},
                               [](test_case const& c) {
                                   REQUIRE((c.number("margin") == 1 && c.number("eps") == 0 && !c.flag("swap")));
                                   auto chosen = [&](int p) { return static_cast<float>(c.number("p") == p); };
                                   return std::tuple(rows_of<float>(c.in("anchor")), rows_of<float>(c.in("positive")),
                                                     rows_of<float>(c.in("negative")), chosen(1), chosen(2), chosen(3));
                               });
}

TEST_CASE("cosine_similarity: reference vectors") {
    std::size_t n = 0;
    for (test_case const& c : cases("loss_margin", "cosine_similarity")) {
        bool const found = run_similarity<double, 1, matrix, matrix, line>(c) ||
                           run_similarity<double, 1, matrix, one_row, line>(c) ||
                           run_similarity<double, 1, cube, cube, matrix>(c) ||
                           run_similarity<double, 0, line, line, shape_pattern<>>(c);
        if (!found) FAIL_CHECK(c.id << ": no pattern for it");
        n += found;
    }
    CHECK(n == count_in_file("loss_margin", "cosine_similarity"));
    n = 0;
    for (test_case const& c : cases("loss_margin_f32", "cosine_similarity"))
        n += run_similarity<float, 1, matrix, matrix, line>(c) || run_similarity<float, 1, cube, cube, matrix>(c);
    CHECK(n == count_in_file("loss_margin_f32", "cosine_similarity"));
}
