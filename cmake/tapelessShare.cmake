# SPDX-License-Identifier: MIT
# A share of the tests and examples: all of them take two processors most of an hour, so that continuous integration builds and runs one
# share at a time, or all of them beside each other.

include_guard(GLOBAL)

set(TAPELESS_TEST_SHARE "" CACHE STRING "Build and run a share of the tests and examples: \"1/4\" ... \"4/4\"; empty: all of them")
if(TAPELESS_TEST_SHARE AND NOT TAPELESS_TEST_SHARE MATCHES "^([1-9])/([1-9])$")
    message(FATAL_ERROR "tapeless: TAPELESS_TEST_SHARE is \"${TAPELESS_TEST_SHARE}\", and can be empty or one of \"1/4\" ... \"4/4\"")
endif()

# tapeless_keep_share(<variable>): of the names in the list, those of this share. Which one a name is of depends on it alone.
function(tapeless_keep_share variable)
    if(NOT TAPELESS_TEST_SHARE MATCHES "^(.)/(.)$")
        return()
    endif()
    set(share "${CMAKE_MATCH_1}")
    set(shares "${CMAKE_MATCH_2}")
    set(kept "")
    foreach(name IN LISTS ${variable})
        string(MD5 number "${name}")
        string(SUBSTRING "${number}" 0 6 number)
        math(EXPR number "0x${number} % ${shares} + 1")
        if(number EQUAL share)
            list(APPEND kept "${name}")
        endif()
    endforeach()
    set(${variable} "${kept}" PARENT_SCOPE)
endfunction()
