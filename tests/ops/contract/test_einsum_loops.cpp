// SPDX-License-Identifier: MIT
// einsum against plain loops over all letters: equations that the reference lacks.

#include "ops/contract/einsum_cases.hpp"

using namespace reference;

TEST_CASE("einsum: two operands with axes in any order, summed in one of them, in both or not at all") {
    check_einsum<"ij,jk->ki", 2, 2, 2>({{{3, 4}, 0.1}, {{4, 5}, 0.2}});
    check_einsum<"bij,jk->bik", 3, 3, 2>({{{2, 3, 4}, 0.1}, {{4, 5}, 0.2}});
    check_einsum<"ijk,kl->lj", 2, 3, 2>({{{2, 3, 4}, 0.1}, {{4, 5}, 0.2}});
    check_einsum<"ij,i->j", 1, 2, 1>({{{7, 9}, 0.1}, {{7}, 0.2}});
    check_einsum<"j,ji->i", 1, 1, 2>({{{7}, 0.1}, {{7, 9}, 0.2}});
    check_einsum<"ij,ji->ji", 2, 2, 2>({{{3, 5}, 0.1}, {{5, 3}, 0.2}});
    check_einsum<"ij,kl->", 0, 2, 2>({{{3, 4}, 0.1}, {{2, 5}, 0.2}});
    check_einsum<"acbd,dbea->ec", 2, 4, 4>({{{2, 3, 4, 5}, 0.1}, {{5, 4, 6, 2}, 0.2}});
}

TEST_CASE("einsum: extents of 1 and 0 at run time are extents like others") {
    check_einsum<"bij,jk->bik", 3, 3, 2>({{{1, 3, 1}, 0.1}, {{1, 5}, 0.2}});
    check_einsum<"bij,jk->bik", 3, 3, 2>({{{2, 3, 0}, 0.1}, {{0, 5}, 0.2}});
    check_einsum<"bij,jk->bik", 3, 3, 2>({{{0, 3, 4}, 0.1}, {{4, 5}, 0.2}});
    check_einsum<"ij,i->j", 1, 2, 1>({{{0, 4}, 0.1}, {{0}, 0.2}});
}

TEST_CASE("einsum: three and four operands are contracted two at a time") {
    check_einsum<"ij,jk,kl->il", 2, 2, 2, 2>({{{2, 3}, 0.1}, {{3, 4}, 0.2}, {{4, 5}, 0.3}});
    check_einsum<"i,j,ij->", 0, 1, 1, 2>({{{3}, 0.1}, {{4}, 0.2}, {{3, 4}, 0.3}});
    check_einsum<"nd,rde,ne->nr", 2, 2, 3, 2>({{{2, 3}, 0.1}, {{4, 3, 5}, 0.2}, {{2, 5}, 0.3}});
    check_einsum<"ab,cb,cd,de->ea", 2, 2, 2, 2, 2>({{{2, 3}, 0.1}, {{4, 3}, 0.2}, {{4, 5}, 0.3}, {{5, 2}, 0.4}});
    // more letters than an array has axes, though never in one step
    check_einsum<"abc,cde,efg,ghi->abdfhi", 6, 3, 3, 3, 3>(
        {{{2, 2, 2}, 0.1}, {{2, 2, 2}, 0.2}, {{2, 2, 2}, 0.3}, {{2, 2, 2}, 0.4}});
}
