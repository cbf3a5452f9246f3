# SPDX-License-Identifier: MIT
# The warnings the library's own tests and examples are compiled with.

include_guard(GLOBAL)

set(tapeless_warnings -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND tapeless_warnings -Wno-psabi) # a note about vector arguments of functions that are inlined anyway
endif()
if(TAPELESS_WARNINGS_AS_ERRORS)
    list(APPEND tapeless_warnings -Werror)
endif()
