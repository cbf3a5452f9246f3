# SPDX-License-Identifier: MIT
# How much memory g++ may fill, compiling the library's own tests and examples, before it looks for some that it can use again:
# once it has found much, it walks through all of it for every large table of a constant evaluation. Not before six (where there
# is less memory, four or two) gigabytes that saves a tenth to a third of the time. (It does so at twice what it is told.)

include_guard(GLOBAL)

set(tapeless_compiler_memory "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)
    set(heap 3145728)
    if(memory LESS 12000)
        set(heap 1048576)
    elseif(memory LESS 20000)
        set(heap 2097152)
    endif()
    set(tapeless_compiler_memory --param=ggc-min-heapsize=${heap})
endif()
