// SPDX-License-Identifier: MIT
#pragma once
// Catch2, version 2 or 3: TEST_CASE, TEMPLATE_TEST_CASE, GENERATE, CHECK_THAT with the matchers of Catch::Matchers,
// Approx.

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_all.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
using Catch::Approx;  // as version 2 has it
#else
#include <catch2/catch.hpp>
#endif

// An expression is written out once: Catch2 writes it three times, twice for warnings only, and each function in it that
// is differentiated would be compiled as often.
#if defined(INTERNAL_CATCH_TEST) && defined(INTERNAL_CATCH_TRY) && defined(INTERNAL_CATCH_CATCH) && \
    defined(INTERNAL_CATCH_REACT)
#undef INTERNAL_CATCH_TEST
#define INTERNAL_CATCH_TEST(macro, disposition, ...)                                                             \
    do {                                                                                                         \
        Catch::AssertionHandler catchAssertionHandler(macro##_catch_sr, CATCH_INTERNAL_LINEINFO,                 \
                                                      CATCH_INTERNAL_STRINGIFY(__VA_ARGS__), disposition);       \
        INTERNAL_CATCH_TRY {                                                                                     \
            CATCH_INTERNAL_START_WARNINGS_SUPPRESSION                                                            \
            CATCH_INTERNAL_SUPPRESS_PARENTHESES_WARNINGS                                                         \
            catchAssertionHandler.handleExpr(Catch::Decomposer() <= __VA_ARGS__);                                \
            CATCH_INTERNAL_STOP_WARNINGS_SUPPRESSION                                                             \
        }                                                                                                        \
        INTERNAL_CATCH_CATCH(catchAssertionHandler)                                                              \
        INTERNAL_CATCH_REACT(catchAssertionHandler)                                                              \
    } while (false)
#endif
