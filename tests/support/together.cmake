# SPDX-License-Identifier: MIT
# Several sources compiled as one, each in a namespace of its own: what they have in common is instantiated and compiled once.

include_guard(GLOBAL)

# tapeless_put_together(<file> <root> <source>...): writes <file>, which includes the sources (paths from <root>). Their own includes come
# first, outside of all namespaces; they all stand outside of #if.
function(tapeless_put_together file root)
    set(includes "")
    set(text "")
    set(number 0)
    foreach(source IN LISTS ARGN)
        cmake_path(GET source PARENT_PATH folder)
        file(STRINGS "${root}/${source}" lines REGEX "^#include ")
        foreach(line IN LISTS lines)
            if(line MATCHES "^#include \"(.*)\"")
                set(beside "${root}/${folder}/${CMAKE_MATCH_1}")
                if(EXISTS "${beside}")
                    set(line "#include \"${beside}\"")
                endif()
            endif()
            list(APPEND includes "${line}")
        endforeach()
        math(EXPR number "${number} + 1")
        string(APPEND text "namespace source_${number} {\n#include \"${root}/${source}\"\n}\n")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${root}/${source}")
    endforeach()
    list(REMOVE_DUPLICATES includes)
    list(JOIN includes "\n" includes)
    file(CONFIGURE OUTPUT "${file}" CONTENT "${includes}\n${text}" @ONLY)
endfunction()

# tapeless_can_be_put_together(<variable> <source>): not where a source has conditions or macros of its own, or replaces operators.
function(tapeless_can_be_put_together variable source)
    file(STRINGS "${source}" lines REGEX "^ *# *(if|define|undef|pragma)|operator (new|delete)\\(" LIMIT_COUNT 1)
    if(lines STREQUAL "")
        set(${variable} TRUE PARENT_SCOPE)
    else()
        set(${variable} FALSE PARENT_SCOPE)
    endif()
endfunction()
