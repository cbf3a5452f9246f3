// SPDX-License-Identifier: MIT
// einsum against the reference.

#include "ops/contract/einsum_cases.hpp"

using namespace reference;

TEST_CASE("einsum: output and gradients are those of the reference") {
    std::size_t n = 0;
    for (test_case const& c : cases("matmul", "einsum")) {
        bool const found =
            run_einsum_as<double, "ij,jk->ik", 2, 2, 2>(c) || run_einsum_as<double, "bij,bjk->bik", 3, 3, 3>(c) ||
            run_einsum_as<double, "i,j->ij", 2, 1, 1>(c) || run_einsum_as<double, "ij,ij->", 0, 2, 2>(c) ||
            run_einsum_as<double, "ij,ij->i", 1, 2, 2>(c) || run_einsum_as<double, "ijk,jil->kl", 2, 3, 3>(c) ||
            run_einsum_as<double, "bhqd,bhkd->bhqk", 4, 4, 4>(c) || run_einsum_as<double, "ij->ji", 2, 2>(c) ||
            run_einsum_as<double, "ij->j", 1, 2>(c) || run_einsum_as<double, "ii->i", 1, 2>(c) ||
            run_einsum_as<double, "ii->", 0, 2>(c) || run_einsum_as<double, "bi,ij,bj->b", 1, 2, 2, 2>(c) ||
            run_einsum_as<double, "ij,kj->ik", 2, 2, 2>(c) || run_einsum_as<double, "bn,bn->bn", 2, 2, 2>(c);
        if (!found) FAIL_CHECK(c.id << ": no such equation here: " << c.word("equation"));
        n += found;
    }
    CHECK(n == count_in_file("matmul", "einsum"));
}

TEST_CASE("einsum: output and gradients of floats are those of the reference") {
    std::size_t n = 0;
    for (test_case const& c : cases("matmul_f32", "einsum")) {
        bool const found = run_einsum_as<float, "ij,jk->ik", 2, 2, 2>(c) ||
                           run_einsum_as<float, "ij,ij->", 0, 2, 2>(c) ||
                           run_einsum_as<float, "bhqd,bhkd->bhqk", 4, 4, 4>(c) ||
                           run_einsum_as<float, "ii->i", 1, 2>(c) || run_einsum_as<float, "ij,kj->ik", 2, 2, 2>(c);
        if (!found) FAIL_CHECK(c.id << ": no such equation here: " << c.word("equation"));
        n += found;
    }
    CHECK(n == count_in_file("matmul_f32", "einsum"));
}
