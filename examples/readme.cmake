# SPDX-License-Identifier: MIT
# The programs in all README.md files (every ```cpp block with an `int main`) are compiled and run as tests. Where a ```text block
# follows one directly, the program must print just that; <!-- output varies --> between the two waives it. Blocks that begin
# with the name of a file (`// model.hpp`) are files of the next program.

file(GLOB_RECURSE pages CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
    "${PROJECT_SOURCE_DIR}/include/README.md" "${PROJECT_SOURCE_DIR}/examples/README.md"
    "${PROJECT_SOURCE_DIR}/benchmarks/README.md" "${PROJECT_SOURCE_DIR}/tests/README.md")
list(PREPEND pages README.md)
list(TRANSFORM pages PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE files)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${files}")

# Keeps the file's time when nothing has changed, so that nothing is compiled again.
function(tapeless_write_if_different path content)
    if(EXISTS "${path}")
        file(READ "${path}" old)
        if(old STREQUAL content)
            return()
        endif()
    endif()
    file(WRITE "${path}" "${content}")
endfunction()

# Takes the text before the next line that is a closing fence off `rest`; the closing fence goes with it.
macro(tapeless_take_block block)
    string(FIND "${rest}" "\n```" end)
    if(end EQUAL -1)
        message(FATAL_ERROR "${page}: a fenced block is not closed")
    endif()
    string(SUBSTRING "${rest}" 0 ${end} ${block})
    math(EXPR end "${end} + 4")
    string(SUBSTRING "${rest}" ${end} -1 rest)
endmacro()

foreach(page IN LISTS pages)
    # README.md is readme, include/tapeless/ops/README.md is readme_ops
    get_filename_component(room "${page}" DIRECTORY)
    string(REGEX REPLACE "^.*/" "" room "${room}")
    string(REGEX REPLACE "_$" "" room "readme_${room}")

    set(number 0)
    set(files "")
    file(READ "${PROJECT_SOURCE_DIR}/${page}" rest)
    string(PREPEND rest "\n")
    while(TRUE)
        string(FIND "${rest}" "\n```cpp\n" begin)
        if(begin EQUAL -1)
            break()
        endif()
        math(EXPR begin "${begin} + 7")
        string(SUBSTRING "${rest}" ${begin} -1 rest)
        tapeless_take_block(code)
        math(EXPR next "${number} + 1")
        if(NOT code MATCHES "int main")
            if(code MATCHES "^\n?// ([a-z_]+\\.[ch]pp)\n")
                set(file "${CMAKE_CURRENT_BINARY_DIR}/${room}_${next}_files/${CMAKE_MATCH_1}")
                tapeless_write_if_different("${file}" "${code}\n")
                list(APPEND files "${file}")
            endif()
            continue()
        endif()

        set(number ${next})
        string(REGEX REPLACE "^readme_" "" test "${room}_${number}")
        set(name ${room}_${number})
        set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
        set(expected "${CMAKE_CURRENT_BINARY_DIR}/${name}.txt")
        tapeless_write_if_different("${source}" "${code}\n")
        add_executable(${name} "${source}" ${files})
        target_link_libraries(${name} PRIVATE tapeless::tapeless)
        if(files)
            target_include_directories(${name} PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/${name}_files")
            set(files "")
        elseif(code MATCHES "<tapeless/tapeless.hpp>" AND NOT code MATCHES "#define")
            target_precompile_headers(${name} REUSE_FROM tapeless_example_precompiled)
        endif()
        target_compile_options(${name} PRIVATE ${warnings})

        if(rest MATCHES "^[ \n]*(<!-- output varies -->)?[ \n]*\n```text\n")
            set(varies "${CMAKE_MATCH_1}")
            string(LENGTH "${CMAKE_MATCH_0}" length)
            math(EXPR length "${length} - 1") # an empty block keeps the newline before its closing fence
            string(SUBSTRING "${rest}" ${length} -1 rest)
            tapeless_take_block(text)
        else()
            set(varies yes)
        endif()
        if(varies)
            add_test(NAME readme.${test} COMMAND ${name})
        else()
            tapeless_write_if_different("${expected}" "${text}\n")
            add_test(NAME readme.${test} COMMAND "${CMAKE_COMMAND}" "-DCMAKE_CROSSCOMPILING_EMULATOR=${CMAKE_CROSSCOMPILING_EMULATOR}"
                "-DPROGRAM=$<TARGET_FILE:${name}>" "-DEXPECTED=${expected}"
                -P "${CMAKE_CURRENT_SOURCE_DIR}/run_and_compare.cmake")
        endif()
        set_tests_properties(readme.${test} PROPERTIES LABELS readme)
    endwhile()
endforeach()
