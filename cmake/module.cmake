# SPDX-License-Identifier: MIT
# cmake -DOUT=tapeless.cppm -P cmake/module.cmake
# The library as a named module: `import tapeless;` has what <tapeless/tapeless.hpp> has. For clang++ 16 and newer:
#   clang++ -std=c++20 -I include --precompile tapeless.cppm -o tapeless.pcm
#   clang++ -std=c++20 -I include -fmodule-file=tapeless.pcm app.cpp tapeless.pcm

cmake_minimum_required(VERSION 3.22)

if(NOT OUT)
    message(FATAL_ERROR "cmake -DOUT=<file> -P module.cmake")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/public_names.cmake")
tapeless_public_names(names "^[^/]*$|^(array|ops|functional|transform|optim)/|^base/executor")

# What stands elsewhere, operators among it, which are found by their operands.
list(APPEND names symbol shape to_end apply cotangents elementwise)
foreach(operator + - * / < <= > >= == != && || !)
    list(APPEND names "operator${operator}")
endforeach()
list(REMOVE_DUPLICATES names)

set(text "// SPDX-License-Identifier: MIT
// Made by cmake/module.cmake.
module;
#include <tapeless/tapeless.hpp>
export module tapeless;

")
foreach(name IN LISTS names)
    set(namespace tapeless)
    if(name MATCHES "^([a-z]+)::")
        set(namespace "tapeless::${CMAKE_MATCH_1}")
    endif()
    string(APPEND text "export namespace ${namespace} { using tapeless::${name}; }\n")
endforeach()
file(WRITE "${OUT}" "${text}")
