# SPDX-License-Identifier: MIT
# cmake -DINCLUDE_DIR=... -P light_header.cmake
# <tapeless/tensor.hpp> is for the headers of other projects: it reaches nothing of the library that they would pay for, and
# none of the standard headers that take long to read.

cmake_minimum_required(VERSION 3.22)

set(allowed "^tapeless/((tensor|version)\\.hpp|base/(inline|list|refuse|sentence)\\.hpp|array/.*|transform/(function|into|value_and)\\.hpp)$")

set(slow "^(algorithm|functional|iostream|map|memory|mutex|numeric|random|ranges|regex|sstream|thread|unordered_map)$")

set(seen "tapeless/tensor.hpp")
set(todo "tapeless/tensor.hpp")
set(problems "")
while(todo)
    list(POP_FRONT todo header)
    file(STRINGS "${INCLUDE_DIR}/${header}" lines REGEX "^[ \t]*#[ \t]*include")
    get_filename_component(folder "${header}" DIRECTORY)
    foreach(line IN LISTS lines)
        if(line MATCHES "<([^>]*)>")
            set(included "${CMAKE_MATCH_1}")
        elseif(line MATCHES "\"([^\"]*)\"")
            set(included "${folder}/${CMAKE_MATCH_1}")
        endif()
        if(included MATCHES "${slow}" OR (included MATCHES "/" AND NOT included MATCHES "${allowed}"))
            list(APPEND problems "${header} includes <${included}>")
        elseif(included MATCHES "/" AND NOT included IN_LIST seen)
            list(APPEND seen "${included}")
            list(APPEND todo "${included}")
        endif()
    endforeach()
endwhile()

list(LENGTH seen count)
if(problems)
    list(JOIN problems "\n" text)
    message("${text}")
    message(FATAL_ERROR "<tapeless/tensor.hpp> is not light")
endif()
message("<tapeless/tensor.hpp> reaches ${count} headers of the library, and nothing that takes long to read")
