// SPDX-License-Identifier: MIT
// matmul of stacks of matrices against the reference: equal batches, broadcast batches, a batch on one side only.

#include "ops/contract/product_cases.hpp"

using namespace reference;

namespace {
using cubes = binary_pattern<cube, cube, cube>;
using crossed = binary_pattern<shape_pattern<1, run, run, run>, shape_pattern<run, 1, run, run>, batches>;

constexpr auto product = [](auto a, auto b) { return matmul(a, b); };
constexpr auto is_rank_3 = [](test_case const& c) {
    return has_a_batch(c) && c.in("a").rank() < 4 && c.in("b").rank() < 4;
};
constexpr auto is_rank_4 = [](test_case const& c) { return c.in("a").rank() == 4 || c.in("b").rank() == 4; };
}  // namespace

TEST_CASE("matmul: stacks of matrices give the reference's output and gradients") {
    CHECK(run_products<double, cubes, binary_pattern<cube, matrix, cube>, binary_pattern<matrix, cube, cube>,
                       binary_pattern<cube, vector, matrix>, binary_pattern<vector, cube, matrix>,
                       binary_pattern<shape_pattern<1, run, run>, cube, cube>>(product, "matmul", is_rank_3) == 7);
    run_products<double, cubes, binary_pattern<shape_pattern<run, 1, run>, cube, shape_pattern<run, 1, run>>>(product,
                                                                                                              "bmm");
}
TEST_CASE("matmul: batch axes that broadcast get summed gradients") {
    CHECK(run_products<double, binary_pattern<shape_pattern<run, 1, run, run>, cube, batches>, crossed,
                       binary_pattern<shape_pattern<run, 1, run, run>, shape_pattern<1, run, run, run>, batches>,
                       binary_pattern<batches, batches, batches>>(product, "matmul", is_rank_4) == 4);
}
TEST_CASE("matmul: without batches, rows, columns or depth the outputs are empty or 0, and so are the gradients") {
    using sizes = std::array<std::int64_t, 4>;
    for (auto [batch, m, k, n] : {sizes{0, 2, 3, 4}, {2, 0, 3, 4}, {2, 3, 0, 4}, {2, 3, 4, 0}, {0, 0, 0, 0}}) {
        ad::tensor<double, ad::dyn, ad::dyn, ad::dyn> a(batch, m, k), b(batch, k, n), cot(batch, m, n);
        for (auto* x : {&a, &b, &cot}) ad::fill(*x, 1.5);
        auto const [da, db, out] = ad::grad<0, 1, 2>(weighted_binary<decltype(product)>)(a, b, cot);
        INFO("batch " << batch << ", " << m << " x " << k << " x " << n);
        CHECK(da.extents() == a.extents());
        CHECK(db.extents() == b.extents());
        CHECK(out.extents() == cot.extents());
        for (auto const* x : {&da, &db, &out})
            for (double v : *x) CHECK(v == 0);
    }
}
TEST_CASE(
    "matmul: batch axes that broadcast get summed gradients of their own shapes, also where the compiler knows them") {
    for (test_case const& c : cases("matmul", "matmul")) {
        if (c.in("a").shape != std::vector<std::int64_t>{2, 1, 3, 4} || c.in("b").rank() != 3) continue;
        using a = shape_pattern<2, 1, 3, 4>;
        using b = shape_pattern<5, 4, 6>;
        using out = shape_pattern<2, 5, 3, 6>;
        auto const [da, db, value] = ad::grad<0, 1, 2>(weighted_binary<decltype(product)>)(
            a::make<double>(c.in("a")), b::make<double>(c.in("b")), out::make<double>(c.cot()));
        STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(da)>, ad::tensor<double, 2, 1, 3, 4>>);
        STATIC_REQUIRE(std::is_same_v<std::remove_const_t<decltype(db)>, ad::tensor<double, 5, 4, 6>>);
        CHECK(check_close(c.out(), value, c, "out") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        CHECK(check_close(c.grad("b"), db, c, "grad b") == "");
        return;
    }
    FAIL("the file has no such case");
}
TEST_CASE("matmul: stacks of float matrices give the reference's output and gradients") {
    CHECK(run_products<float, cubes, binary_pattern<cube, vector, matrix>, crossed>(product, "matmul", has_a_batch) ==
          3);
    run_products<float, cubes>(product, "bmm");
}
