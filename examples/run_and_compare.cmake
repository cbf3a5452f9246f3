# SPDX-License-Identifier: MIT
# cmake -DPROGRAM=... -DEXPECTED=... -P run_and_compare.cmake
# Runs a program; it must end well and print what the file says, but for white space at both ends.

execute_process(COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} "${PROGRAM}" OUTPUT_VARIABLE printed RESULT_VARIABLE status)
file(READ "${EXPECTED}" expected)
string(STRIP "${printed}" printed)
string(STRIP "${expected}" expected)

if(NOT status EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${status} and printed\n${printed}")
endif()
if(NOT printed STREQUAL expected)
    message("--- The page says\n${expected}\n--- the program prints\n${printed}\n---")
    message(FATAL_ERROR "The output on the page is not what its program prints")
endif()
