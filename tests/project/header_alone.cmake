# SPDX-License-Identifier: MIT
# A program that includes this header only, twice, is right.

cmake_minimum_required(VERSION 3.22)

# Does the header include another one that is precompiled, directly or through others? Then beginning with that hides nothing
# that the header's own includes would not bring.
set(reaches_prefix FALSE)
set(seen "")
set(todo "${HEADER}")
while(todo AND NOT reaches_prefix)
    list(POP_FRONT todo header)
    list(APPEND seen "${header}")
    if(NOT EXISTS "${INCLUDE_DIR}/${header}")
        continue()
    endif()
    file(STRINGS "${INCLUDE_DIR}/${header}" includes REGEX "^ *# *include *(<tapeless/|\")")
    get_filename_component(folder "${header}" DIRECTORY)
    foreach(line IN LISTS includes)
        if(line MATCHES "<([^>]*)>")
            set(included "${CMAKE_MATCH_1}")
        elseif(line MATCHES "\"([^\"]*)\"")
            set(included "${folder}/${CMAKE_MATCH_1}")
        endif()
        if(included STREQUAL PRECOMPILED)
            set(reaches_prefix TRUE)
        elseif(NOT included IN_LIST seen)
            list(APPEND todo "${included}")
        endif()
    endforeach()
endwhile()

set(prefix "")
if(reaches_prefix)
    set(prefix -include "${PREFIX}")
endif()

string(MAKE_C_IDENTIFIER "${HEADER}" name)
set(source "${WORK_DIR}/alone_${name}.cpp")
file(WRITE "${source}" "#include <${HEADER}>\n#include <${HEADER}>\n")
execute_process(COMMAND "${CXX}" "@${FLAGS}" ${prefix} -fsyntax-only "${source}" RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(FATAL_ERROR "${HEADER} does not compile alone")
endif()
