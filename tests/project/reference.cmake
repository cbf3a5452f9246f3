# SPDX-License-Identifier: MIT
# cmake -DSOURCE_DIR=... -DWORK_DIR=... -DCXX=... -DFLAGS=... -P reference.cmake
# Every public name stands in exactly one reference table of the README files beside the headers, and what stands there is a name of the
# library. A table is one where <!-- reference --> stands before it, or <!-- reference: loss --> for names of a namespace; its names begin
# the code in its first column. Pages link to files that are there, and the first page is short.

cmake_minimum_required(VERSION 3.22)

set(problems "")

# --- the names of the headers ---------------------------------------------------------------------------------------

include("${SOURCE_DIR}/cmake/public_names.cmake")
tapeless_public_names(public "^[^/]*$|^(array|ops|functional|transform|optim|io|interop|mpi)/|^base/executor")
list(LENGTH public count)

# --- the names of the tables ----------------------------------------------------------------------------------------

set(listed "")
file(GLOB_RECURSE pages "${SOURCE_DIR}/include/README.md")
foreach(page IN LISTS pages)
    file(READ "${page}" text)
    string(REPLACE "\\|" "" text "${text}")
    string(REGEX REPLACE "[][;]" "" text "${text}")
    string(REPLACE "\n" ";" lines "${text}")
    set(in_table FALSE)
    foreach(line IN LISTS lines)
        if(line MATCHES "^<!-- reference(: ([a-z]+))? -->$")
            set(in_table TRUE)
            set(namespace "${CMAKE_MATCH_2}")
        elseif(in_table AND line MATCHES "^\\|([^|]*)\\|")
            string(REGEX MATCHALL "`(ad::)?[A-Za-z_0-9]+[(<{:`]" spans "${CMAKE_MATCH_1}")
            list(TRANSFORM spans REPLACE "`(ad::)?([A-Za-z_0-9]+)." "\\2")
            list(REMOVE_DUPLICATES spans) # overloads may stand in one row
            foreach(name IN LISTS spans)
                if(namespace AND "${namespace}::${name}" IN_LIST public)
                    string(PREPEND name "${namespace}::")
                endif()
                if(name IN_LIST listed)
                    list(APPEND twice "${name}")
                endif()
                list(APPEND listed "${name}")
            endforeach()
        elseif(in_table AND line)
            set(in_table FALSE)
        endif()
    endforeach()
endforeach()

foreach(name IN LISTS public)
    if(NOT name IN_LIST listed)
        list(APPEND problems "${name} stands in no reference table")
    endif()
endforeach()
foreach(name IN LISTS twice)
    list(APPEND problems "${name} stands in the reference tables twice")
endforeach()

# Names that the scan above does not see are looked for by the compiler.
list(REMOVE_DUPLICATES listed)
set(program "#include <tapeless/interop/dlpack.hpp>\n#include <tapeless/io/npy.hpp>\n#include <tapeless/io/safetensors.hpp>\n")
string(APPEND program "#include <tapeless/io/text.hpp>\n#include <tapeless/tapeless.hpp>\n")
foreach(name IN LISTS listed)
    if(NOT name IN_LIST public)
        string(APPEND program "using tapeless::${name};\n")
    endif()
endforeach()
file(WRITE "${WORK_DIR}/reference.cpp" "${program}")
execute_process(COMMAND "${CXX}" "@${FLAGS}" -fsyntax-only "${WORK_DIR}/reference.cpp" RESULT_VARIABLE status ERROR_VARIABLE output)
if(NOT status EQUAL 0)
    list(APPEND problems "a reference table has a name that the library has not:\n${output}")
endif()

# --- links, and the first page ---------------------------------------------------------------------------------------

file(GLOB_RECURSE others "${SOURCE_DIR}/examples/README.md" "${SOURCE_DIR}/tests/README.md" "${SOURCE_DIR}/benchmarks/README.md")
foreach(page IN LISTS pages others ITEMS "${SOURCE_DIR}/README.md" "${SOURCE_DIR}/.github/CONTRIBUTING.md")
    file(READ "${page}" text)
    get_filename_component(folder "${page}" DIRECTORY)
    string(REGEX MATCHALL "\\]\\([^)#: ]+" links "${text}")
    foreach(link IN LISTS links)
        string(REGEX REPLACE "^..|`" "" link "${link}")
        if(NOT EXISTS "${folder}/${link}" AND NOT link MATCHES "[<{&*]|^[a-z, ]*$")
            list(APPEND problems "${page}: there is no ${link}")
        endif()
    endforeach()
endforeach()
file(READ "${SOURCE_DIR}/README.md" text)
string(REGEX MATCHALL "\n" ends "${text}")
list(LENGTH ends length)
if(length GREATER 220)
    list(APPEND problems "README.md has ${length} lines, 220 are enough for a first page")
endif()

if(problems)
    list(JOIN problems "\n" text)
    message("${text}")
    message(FATAL_ERROR "The pages do not agree with the headers")
endif()
message("${count} public names, each in one table; README.md has ${length} lines")
