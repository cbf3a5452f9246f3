// SPDX-License-Identifier: MIT
// Operations that call functions of xsimd, in a program that includes xsimd after the library.

#include <tapeless/tapeless.hpp>

#include <xsimd/xsimd.hpp>

#include "support/catch.hpp"
#include "xsimd_operation.hpp"

TEST_CASE("xsimd after the library: an operation may call its functions") {
    check_with_xsimd<float>();
}
TEST_CASE("xsimd after the library: batches named by the library's name, masks and integers") { check_types(); }
