# SPDX-License-Identifier: MIT
# cmake -DOUT=tapeless.hpp -P cmake/single_header.cmake
# All of the library in one file: what <tapeless/tapeless.hpp>, the headers of io/ and those of interop/ include, each once, where it is
# first needed. Eigen's arrays and oneTBB's threads are known where these were included before. The only thing it includes besides the standard library is
# xsimd. <tapeless/mpi.hpp>, which needs an MPI, is not in it.

cmake_minimum_required(VERSION 3.22)

if(NOT OUT)
    message(FATAL_ERROR "cmake -DOUT=<file> -P single_header.cmake")
endif()
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
set(include "${root}/include")

set(seen "")
set(text "")

# Lists would lose semicolons and brackets, so that files are cut into strings at their includes.
function(take header)
    set(seen "${seen};${header}")
    file(READ "${include}/${header}" rest)
    string(REPLACE "#pragma once\n" "" rest "${rest}")
    string(REGEX REPLACE "^// SPDX-License-Identifier: MIT\n" "" rest "${rest}")
    set(text "${text}\n// ---- ${header}\n")
    while(rest MATCHES "\n#include <(tapeless/[^>]*)>[^\n]*")
        set(line "${CMAKE_MATCH_0}")
        set(other "${CMAKE_MATCH_1}")
        string(FIND "${rest}" "${line}" at)
        string(LENGTH "${line}" length)
        math(EXPR after "${at} + ${length}")
        string(SUBSTRING "${rest}" 0 ${at} before)
        string(SUBSTRING "${rest}" ${after} -1 rest)
        set(text "${text}${before}")
        if(NOT ";${seen};" MATCHES ";${other};")
            take("${other}")
        endif()
    endwhile()
    set(text "${text}${rest}" PARENT_SCOPE)
    set(seen "${seen}" PARENT_SCOPE)
endfunction()

take(tapeless/tapeless.hpp)
file(GLOB headers RELATIVE "${include}" "${include}/tapeless/io/*.hpp" "${include}/tapeless/interop/*.hpp")
foreach(header IN LISTS headers)
    if(NOT header MATCHES "/(eigen|tbb)\\.hpp$" AND NOT ";${seen};" MATCHES ";${header};")
        take("${header}")
    endif()
endforeach()
set(text "${text}\n#if defined(EIGEN_WORLD_VERSION)\n")
take(tapeless/interop/eigen.hpp)
set(text "${text}#endif\n#if defined(TBB_VERSION_MAJOR)\n")
take(tapeless/interop/tbb.hpp)
set(text "${text}#endif\n")

file(READ "${root}/LICENSE" license)
string(REGEX REPLACE "\n$" "" license "${license}")
string(REPLACE "\n" "\n// " license "${license}")
string(REGEX REPLACE "// \n" "//\n" license "${license}")
file(WRITE "${OUT}" "// SPDX-License-Identifier: MIT
// Tapeless in one header, made by cmake/single_header.cmake.
//
// ${license}
#pragma once
${text}")
