# SPDX-License-Identifier: MIT
# cmake -DSOURCE=... -DCXX=... -DCOMPILER=GNU|Clang -DVERSION=... -DFLAGS=... -DINCLUDE_DIR=... -DWORK_DIR=... -P program.cmake
# A program compiled with flags of its own; the compiler must print nothing. Lines at its beginning say what is wanted:
#   // flags: -x -y             these, and // flags-GNU: for one compiler
#   // compiler: Clang 16       only with this one, from this version on
#   // needs: -flag             only where an empty program can be compiled and linked with this flag
#   // single-header            with the library as one file, made beforehand, instead of include/
#   // header-unit: FILE        which is compiled before
#   // module                   made and compiled before
#   // prints: TEXT             run: it ends well and prints this
#   // fails: TEXT              run: it ends badly and prints this

cmake_minimum_required(VERSION 3.22)

get_filename_component(name "${SOURCE}" NAME_WE)
set(program "${WORK_DIR}/program_${name}")

# What stands behind `// KEY:`, or FALSE.
function(value_of key variable)
    file(STRINGS "${SOURCE}" lines REGEX "^// ${key}(: |$)" LIMIT_COUNT 1)
    set(value FALSE)
    if(lines)
        string(REGEX REPLACE "^// ${key}(: )?" "" value "${lines}")
        if(value STREQUAL "")
            set(value TRUE)
        endif()
    endif()
    set(${variable} "${value}" PARENT_SCOPE)
endfunction()
foreach(key compiler needs single-header header-unit module prints fails flags flags-${COMPILER})
    value_of(${key} ${key})
endforeach()

if(compiler)
    separate_arguments(compiler)
    list(GET compiler 0 wanted)
    if(NOT COMPILER STREQUAL wanted)
        message("skipped: for ${wanted}")
        return()
    endif()
    list(LENGTH compiler parts)
    if(parts GREATER 1)
        list(GET compiler 1 oldest)
        if(VERSION VERSION_LESS oldest)
            message("skipped: ${wanted} ${VERSION} is older than ${oldest}")
            return()
        endif()
    endif()
endif()
if(needs)
    file(WRITE "${program}_empty.cpp" "#include <vector>\nint main() { return static_cast<int>(std::vector<int>(3).size()) - 3; }\n")
    execute_process(COMMAND "${CXX}" ${needs} "${program}_empty.cpp" -o "${program}_empty"
        RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
    if(NOT status EQUAL 0)
        message("skipped: ${needs} is not there")
        return()
    endif()
endif()

set(all "")
foreach(key flags flags-${COMPILER})
    if(${key})
        separate_arguments(more UNIX_COMMAND "${${key}}")
        list(APPEND all ${more})
    endif()
endforeach()

if(single-header)
    execute_process(COMMAND "${CMAKE_COMMAND}" "-DOUT=${WORK_DIR}/single/tapeless.hpp" -P "${INCLUDE_DIR}/../cmake/single_header.cmake"
        COMMAND_ERROR_IS_FATAL ANY)
    # The flags without the library's own folder, which must not be needed, and without what hides notes.
    file(STRINGS "${FLAGS}" lines)
    list(FILTER lines EXCLUDE REGEX "/include\"?$")
    list(FILTER lines EXCLUDE REGEX "^-Wno-psabi$")
    list(JOIN lines "\n" lines)
    set(FLAGS "${program}.rsp")
    file(WRITE "${FLAGS}" "${lines}\n\"-I${WORK_DIR}/single\"\n")
endif()
if(header-unit)
    execute_process(COMMAND "${CXX}" "@${FLAGS}" -xc++-header -fmodule-header "${INCLUDE_DIR}/${header-unit}" -o "${program}.pcm"
        COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND all "-fmodule-file=${program}.pcm")
endif()
if(module)
    execute_process(COMMAND "${CMAKE_COMMAND}" "-DOUT=${program}.cppm" -P "${INCLUDE_DIR}/../cmake/module.cmake" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${CXX}" "@${FLAGS}" --precompile "${program}.cppm" -o "${program}.pcm" COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND all "-fmodule-file=${program}.pcm" "${program}.pcm")
endif()

if(NOT "-fsyntax-only" IN_LIST all)
    list(APPEND all -o "${program}")
endif()
execute_process(COMMAND "${CXX}" "@${FLAGS}" ${all} "${SOURCE}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT status EQUAL 0 OR output)
    message("${output}")
    message(FATAL_ERROR "${name} does not compile, or not without a word")
endif()
if(NOT prints AND NOT fails)
    return()
endif()

execute_process(COMMAND "${program}" RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_STRIP_TRAILING_WHITESPACE)
if(prints AND (NOT status EQUAL 0 OR NOT output STREQUAL prints))
    message(FATAL_ERROR "${name} ended with ${status} and printed\n${output}\ninstead of\n${prints}")
elseif(fails AND (status EQUAL 0 OR NOT output STREQUAL fails))
    message(FATAL_ERROR "${name} ended with ${status} and printed\n${output}\ninstead of failing with\n${fails}")
endif()
