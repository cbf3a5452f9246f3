# SPDX-License-Identifier: MIT
# cmake -DSOURCE=... -DCXX=... -DCOMPILER=GNU|Clang -DFLAGS=... -DPREFIX=... -P check.cmake

cmake_minimum_required(VERSION 3.22)

# How many lines of diagnostics there may be, and among how many of the first the user's own line is. clang repeats the source
# under each note.
set(max_lines_GNU 25)
set(max_lines_Clang 40)
set(own_line_within 12)

file(STRINGS "${SOURCE}" expects REGEX "^// expect(-${COMPILER})?: ")
if(NOT expects)
    message(FATAL_ERROR "${SOURCE} says nothing of what to expect: // expect: TEXT")
endif()

set(ENV{LC_ALL} C) # plain quotation marks, whatever the user's language
execute_process(COMMAND "${CXX}" "@${FLAGS}" -include "${PREFIX}" -fsyntax-only "${SOURCE}"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(status EQUAL 0)
    message(FATAL_ERROR "It compiles, and should not")
endif()

# A number that the file gives for this compiler: // KEY: N, or // KEY-GNU: N, // KEY-Clang: N.
function(limit_of key variable)
    file(STRINGS "${SOURCE}" lines REGEX "^// ${key}(-${COMPILER})?: [0-9]+")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^[^:]*: ([0-9]+).*" "\\1" number "${line}")
        set(${variable} ${number} PARENT_SCOPE)
    endforeach()
endfunction()
set(max_lines ${max_lines_${COMPILER}})
limit_of(max-lines max_lines)
limit_of(own-line-within own_line_within)

# The user's own line ends in `// <- here`; where none does, any of the file will do.
file(READ "${SOURCE}" text)
string(FIND "${text}" "// <- here\n" here)
set(own_line "[0-9]+")
if(NOT here EQUAL -1)
    string(SUBSTRING "${text}" 0 ${here} before)
    string(REGEX MATCHALL "\n" ends "${before}")
    list(LENGTH ends own_line)
    math(EXPR own_line "${own_line} + 1")
endif()
get_filename_component(name "${SOURCE}" NAME)
string(REPLACE "." "\\." name "${name}")

# clang says by which headers it came there: users include the library, and not a prefix that includes it.
string(REPLACE "In file included from ${PREFIX}:1:\n" "" output "${output}")

# Cut by position: the output may contain semicolons and brackets, which lists do not keep.
set(rest "${output}")
set(count 0)
set(own_line_at 0)
while(NOT rest STREQUAL "")
    string(FIND "${rest}" "\n" end)
    if(end EQUAL -1)
        set(line "${rest}")
        set(rest "")
    else()
        math(EXPR end "${end} + 1")
        string(SUBSTRING "${rest}" 0 ${end} line)
        string(SUBSTRING "${rest}" ${end} -1 rest)
    endif()
    math(EXPR count "${count} + 1")
    if(own_line_at EQUAL 0 AND "${line}" MATCHES "${name}:${own_line}:[0-9]+:")
        set(own_line_at ${count})
    endif()
endwhile()

# The compiler repeats the name and the lines of the source: a text found only there was not said by the library.
string(REPLACE "${SOURCE}" "" said "${output}")
string(REGEX REPLACE "(^|\n) +[0-9]* \\|[^\n]*" "" said "${said}")

set(missing "")
foreach(expect IN LISTS expects)
    string(REGEX REPLACE "^// expect(-${COMPILER})?: *" "" expect "${expect}")
    string(STRIP "${expect}" expect)
    string(FIND "${said}" "${expect}" found)
    if(found EQUAL -1)
        string(APPEND missing "\n    ${expect}")
    endif()
endforeach()
set(faults "")
if(missing)
    string(APPEND faults "\nThe diagnostics lack:${missing}")
endif()
if(count GREATER max_lines)
    string(APPEND faults "\n${count} lines of diagnostics, at most ${max_lines} wanted")
endif()
if(own_line_at EQUAL 0)
    string(APPEND faults "\nThe user's own line (${own_line}) is not named")
elseif(own_line_at GREATER own_line_within)
    string(APPEND faults "\nThe user's own line (${own_line}) is named in line ${own_line_at}, wanted among "
        "the first ${own_line_within}")
endif()
if(faults)
    message("${output}")
    message(FATAL_ERROR "${faults}")
endif()
message("${count} lines, own line in line ${own_line_at}")
