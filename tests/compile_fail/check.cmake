# SPDX-License-Identifier: MIT
# cmake -DSOURCE=... -DTWIN=wrong|right -DCXX=... -DFLAGS=... -DPREFIX=... -P check.cmake

cmake_minimum_required(VERSION 3.22)

set(lines_that_are_read 40)

file(STRINGS "${SOURCE}" expects REGEX "^// expect: ")
if(NOT expects)
    message(FATAL_ERROR "${SOURCE} says nothing of what to expect: // expect: TEXT")
endif()

set(right "")
if(TWIN STREQUAL "right")
    set(right -DRIGHT)
endif()
set(ENV{LC_ALL} C) # plain quotation marks, whatever the user's language
execute_process(COMMAND "${CXX}" "@${FLAGS}" -include "${PREFIX}" ${right} -fsyntax-only "${SOURCE}"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(TWIN STREQUAL "right")
    if(NOT status EQUAL 0)
        message("${output}")
        message(FATAL_ERROR "The right twin does not compile")
    endif()
    return()
endif()

if(status EQUAL 0)
    message(FATAL_ERROR "It compiles, and should not")
endif()

# The beginning of the output, cut by position: it may contain semicolons and brackets, which lists do not keep.
set(rest "${output}")
set(beginning "")
foreach(i RANGE 1 ${lines_that_are_read})
    string(FIND "${rest}" "\n" end)
    if(end EQUAL -1)
        string(APPEND beginning "${rest}")
        break()
    endif()
    math(EXPR end "${end} + 1")
    string(SUBSTRING "${rest}" 0 ${end} line)
    string(SUBSTRING "${rest}" ${end} -1 rest)
    string(APPEND beginning "${line}")
endforeach()

# The compiler repeats the name and the lines of the source: a text found only there was not said by the library.
string(REPLACE "${SOURCE}" "" said "${beginning}")
string(REGEX REPLACE "(^|\n) +[0-9]* \\|[^\n]*" "" said "${said}")

set(missing "")
foreach(expect IN LISTS expects)
    string(REGEX REPLACE "^// expect: *" "" expect "${expect}")
    string(STRIP "${expect}" expect)
    string(FIND "${said}" "${expect}" found)
    if(found EQUAL -1)
        string(APPEND missing "\n    ${expect}")
    endif()
endforeach()
if(missing)
    message("${beginning}")
    message(FATAL_ERROR "The first ${lines_that_are_read} lines of the diagnostics lack:${missing}")
endif()
