// SPDX-License-Identifier: MIT
// The reference cases of systems of equations: solve, solve_triangular, lstsq, pinv.

#include "ops/linalg/linalg_cases.hpp"

using namespace reference;

namespace {
using vector_pattern = shape_pattern<run>;
using matrix_pattern = shape_pattern<run, run>;
using cube_pattern = shape_pattern<run, run, run>;
using numbers_4d = shape_pattern<run, run, run, run>;
using one_and_many = shape_pattern<run, 1, run, run>;

template <class... Tag>
struct triangular {
    constexpr auto operator()(auto a, auto b) const { return la::solve_triangular(a, b, Tag{}...); }
};
/// The number of a case's triangle among all of them.
std::size_t triangle_of(test_case const& c) {
    return static_cast<std::size_t>(c.integer("upper") + 2 * c.integer("transpose") + 4 * c.integer("unit"));
}
auto of_form(std::size_t triangle, ranks r) {
    return [=](test_case const& c) { return triangle_of(c) == triangle && r(c) && !has_same_batch(c); };
}
}  // namespace

TEMPLATE_TEST_CASE("solve: the reference cases", "", double, float) {
    using T = TestType;
    constexpr auto solve = [](auto a, auto b) { return la::solve(a, b); };
    std::size_t n = run_pairs<T, batch_of<2>, batch_of<2>, batch_of<2>>(solve, "solve", has_same_batch);
    n += run_pairs<T, matrix_pattern, cube_pattern, cube_pattern>(solve, "solve", ranks{2, 3, false});
    if constexpr (std::same_as<T, double>) {
        n += run_pairs<T, matrix_pattern, vector_pattern, vector_pattern>(solve, "solve", ranks{2, 1, true});
        n += run_pairs<T, cube_pattern, matrix_pattern, cube_pattern>(solve, "solve", ranks{3, 2, false});
        n += run_pairs<T, one_and_many, cube_pattern, numbers_4d>(solve, "solve", ranks{4, 3, false});
        constexpr auto each = [](auto a, auto b) { return la::solve(a, b, la::vectors); };
        n += run_pairs<T, cube_pattern, matrix_pattern, matrix_pattern>(each, "solve", ranks{3, 2, true});
    }
    CHECK(n == count_in_file(file_of<T>("linalg"), "solve"));
}

TEMPLATE_TEST_CASE("solve_triangular: the reference cases, all triangles in one program", "", double, float) {
    using T = TestType;
    using namespace la;
    auto gradient = ad::grad<0, 1, 2>([](auto a, auto b, auto cot, auto chosen) {
        return sum(cot * weighted_sum(chosen, solve_triangular(a, b), solve_triangular(a, b, upper),
                                      solve_triangular(a, b, lower, transposed),
                                      solve_triangular(a, b, upper, transposed), solve_triangular(a, b, unit),
                                      solve_triangular(a, b, upper, unit), solve_triangular(a, b, transposed, unit),
                                      solve_triangular(a, b, unit, upper, transposed)));
    });
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("linalg"), "solve_triangular")) {
        if (!has_same_batch(c)) continue;
        auto const [da, db, out] = gradient(batch_of<2>::make<T>(c.in("a")), batch_of<2>::make<T>(c.in("b")),
                                            batch_of<2>::make<T>(c.cot()), choice<T, 8>(triangle_of(c)));
        CHECK(check_close(c.out(), out, c, "out") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        CHECK(check_close(c.grad("b"), db, c, "grad b") == "");
        ++n;
    }
    // vectors, and what is broadcast
    constexpr std::size_t plain = 0, up = 1, turned = 2, both = 3, ones = 4;
    n += run_pairs<T, matrix_pattern, vector_pattern, vector_pattern>(triangular<transposed_tag>{}, "solve_triangular",
                                                                      of_form(turned, {2, 1, true}));
    n += run_pairs<T, cube_pattern, matrix_pattern, cube_pattern>(triangular<transposed_tag>{}, "solve_triangular",
                                                                  of_form(turned, {3, 2, false}));
    n += run_pairs<T, cube_pattern, vector_pattern, matrix_pattern>(triangular<upper_tag, transposed_tag>{},
                                                                    "solve_triangular", of_form(both, {3, 1, true}));
    if constexpr (std::same_as<T, double>) {
        n += run_pairs<T, matrix_pattern, vector_pattern, vector_pattern>(triangular<>{}, "solve_triangular",
                                                                          of_form(plain, {2, 1, true}));
        n += run_pairs<T, matrix_pattern, vector_pattern, vector_pattern>(
            triangular<upper_tag, unit_tag>{}, "solve_triangular", of_form(up + ones, {2, 1, true}));
        n += run_pairs<T, matrix_pattern, vector_pattern, vector_pattern>(
            triangular<upper_tag, transposed_tag>{}, "solve_triangular", of_form(both, {2, 1, true}));
        n += run_pairs<T, cube_pattern, matrix_pattern, matrix_pattern>(triangular<upper_tag, vectors_tag>{},
                                                                        "solve_triangular", of_form(up, {3, 2, true}));
        n += run_pairs<T, matrix_pattern, cube_pattern, cube_pattern>(triangular<upper_tag, transposed_tag>{},
                                                                      "solve_triangular", of_form(both, {2, 3, false}));
        n += run_pairs<T, one_and_many, cube_pattern, numbers_4d>(triangular<unit_tag>{}, "solve_triangular",
                                                                  of_form(ones, {4, 3, false}));
    }
    CHECK(n == count_in_file(file_of<T>("linalg"), "solve_triangular"));
}

TEMPLATE_TEST_CASE("lstsq and pinv: the reference cases", "", double, float) {
    using T = TestType;
    constexpr auto fit = [](auto a, auto b) { return la::lstsq(a, b); };
    std::size_t n = run_pairs<T, batch_of<2>, batch_of<2>, batch_of<2>>(fit, "lstsq", has_same_batch);
    if constexpr (std::same_as<T, double>) {
        n += run_pairs<T, matrix_pattern, vector_pattern, vector_pattern>(fit, "lstsq", ranks{2, 1, true});
        constexpr auto each = [](auto a, auto b) { return la::lstsq(a, b, la::vectors); };
        n += run_pairs<T, cube_pattern, matrix_pattern, matrix_pattern>(each, "lstsq", ranks{3, 2, true});
    }
    CHECK(n == count_in_file(file_of<T>("linalg"), "lstsq"));
    run_matrices<T, 2>([](auto a) { return la::pinv(a); }, "pinv");
}
