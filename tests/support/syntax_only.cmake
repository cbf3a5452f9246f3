# SPDX-License-Identifier: MIT
# Tests that only ask the compiler whether a source is right: flags in a response file, and precompiled prefixes.

include_guard(GLOBAL)

# tapeless_write_flags(<file> [flags...]): the flags a user's program needs, and these.
function(tapeless_write_flags file)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
    list(APPEND flags -std=c++20 ${ARGN} "\"-I${PROJECT_SOURCE_DIR}/include\"")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        list(APPEND flags -Wno-psabi)
    endif()
    set(system_dirs ${xsimd_include_dirs})
    if(TAPELESS_EIGEN_INCLUDE_DIR)
        list(APPEND system_dirs "${TAPELESS_EIGEN_INCLUDE_DIR}")
    endif()
    if(MPI_CXX_FOUND)
        list(APPEND system_dirs ${MPI_CXX_INCLUDE_DIRS})
    endif()
    # Naming a directory that the compiler searches anyway would change the order of its own headers.
    list(REMOVE_ITEM system_dirs ${CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES})
    foreach(dir IN LISTS system_dirs)
        list(APPEND flags "-isystem \"${dir}\"")
    endforeach()
    list(JOIN flags "\n" flags)
    file(GENERATE OUTPUT "${file}" CONTENT "${flags}\n")
endfunction()

# tapeless_precompile(<target> <header> <flags file>): <header> as build/.../<target>.hpp, precompiled beside it.
# Both g++ and clang++ find the precompiled form when the text form is given to -include.
function(tapeless_precompile target header flags)
    set(text "${CMAKE_CURRENT_BINARY_DIR}/${target}.hpp")
    file(GENERATE OUTPUT "${text}" CONTENT "#include <${header}>\n")
    add_custom_command(OUTPUT "${text}.gch"
        COMMAND "${CMAKE_CXX_COMPILER}" "@${flags}" -x c++-header "${text}" -MD -MT "${text}.gch" -MF "${text}.d" -o "${text}.gch"
        DEPENDS "${text}" "${flags}"
        DEPFILE "${text}.d"
        COMMENT "Precompiling <${header}>"
        VERBATIM)
    add_custom_target(${target} ALL DEPENDS "${text}.gch")
endfunction()
