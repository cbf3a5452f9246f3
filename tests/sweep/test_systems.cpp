// SPDX-License-Identifier: MIT
// Systems of equations and factors of matrices, at all lengths up to several blocks of them, and of batches.

#include "support/catch.hpp"
#include "support/sweep.hpp"

using oracle::sweep;
namespace ad = tapeless;
namespace la = ad::linalg;

namespace {

constexpr auto with_diagonal = [](auto a, double d) { return ad::let(a + ad::tril(ad::triu(0.0 * a + d))); };

}  // namespace

TEST_CASE("sweep: systems with any matrix, and with a triangle of it") {
    CHECK(sweep<"ann,anm", 0, 1>(
              [](auto a, auto b) {
                  auto const m = with_diagonal(0.1 * a, 2.0);
                  return sum(sin(la::solve(m, b))) + sum(la::solve_triangular(m, b, la::upper, la::transposed)) * 0.3;
              },
              {.differences = false, .most = 6000, .longest = 33}) == "");
}
TEST_CASE("sweep: factors, determinants and spectra of many small matrices") {
    CHECK(sweep<"a33", 0>(
              [](auto a) {
                  auto const s = with_diagonal(0.3 * matmul(a, transpose(a)), 1.0);
                  return sum(sin(la::cholesky(s))) + sum(la::logdet(s)) + sum(square(la::eigvalsh(s))) * 0.1;
              },
              {.differences = false, .most = 1200}) == "");
}
