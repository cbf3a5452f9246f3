// SPDX-License-Identifier: MIT
// Operations that call functions of xsimd, in a program that includes xsimd before the library.

#include <xsimd/xsimd.hpp>

#include <tapeless/tapeless.hpp>

#include "support/catch.hpp"
#include "xsimd_operation.hpp"

TEST_CASE("xsimd before the library: an operation may call its functions") {
    check_with_xsimd<double>();
}
TEST_CASE("xsimd before the library: batches named by the library's name, masks and integers") { check_types(); }
