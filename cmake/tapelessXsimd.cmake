# SPDX-License-Identifier: MIT
# Finds the headers of xsimd. Only its include directories are taken: some packaged versions export a target that links
# something which does not exist, so that target is never linked.

include_guard(GLOBAL)

# tapeless_find_xsimd(<variable> [REQUIRED]): the include directories, or <variable>-NOTFOUND.
# A directory given as -DTAPELESS_XSIMD_INCLUDE_DIR=... is taken as it is.
function(tapeless_find_xsimd variable)
    set(oldest 8)
    set(dirs "${TAPELESS_XSIMD_INCLUDE_DIR}")

    if(NOT dirs)
        if(NOT TARGET xsimd)
            find_package(xsimd QUIET CONFIG) # no version: its version file refuses ranges
        endif()
        if(TARGET xsimd)
            get_target_property(dirs xsimd INTERFACE_INCLUDE_DIRECTORIES)
        elseif(xsimd_FOUND)
            set(dirs "${xsimd_INCLUDE_DIRS}")
        endif()
    endif()
    if(NOT dirs)
        find_path(TAPELESS_XSIMD_INCLUDE_DIR xsimd/xsimd.hpp DOC "The directory that holds xsimd/xsimd.hpp")
        mark_as_advanced(TAPELESS_XSIMD_INCLUDE_DIR)
        set(dirs "${TAPELESS_XSIMD_INCLUDE_DIR}")
    endif()

    if(NOT dirs)
        set(problem "xsimd was not found. Install it (Debian, Ubuntu: libxsimd-dev) or give "
            "-DTAPELESS_XSIMD_INCLUDE_DIR=<the directory that holds xsimd/xsimd.hpp>.")
    else()
        # A target of the same build may carry generator expressions; those directories are not looked into here.
        find_file(config xsimd/config/xsimd_config.hpp PATHS ${dirs} NO_DEFAULT_PATH NO_CACHE)
        if(config)
            file(STRINGS "${config}" line REGEX "#define XSIMD_VERSION_MAJOR ")
            string(REGEX MATCH "[0-9]+" major "${line}")
            if(major LESS oldest)
                set(problem "xsimd ${major} in ${dirs} is too old, ${oldest}.1 or newer is needed.")
            endif()
        endif()
    endif()

    if(problem)
        string(CONCAT problem ${problem})
        if("REQUIRED" IN_LIST ARGN)
            message(FATAL_ERROR "tapeless: ${problem}")
        endif()
        set(${variable}-PROBLEM "${problem}" PARENT_SCOPE)
        set(dirs "${variable}-NOTFOUND")
    endif()
    set(${variable} "${dirs}" PARENT_SCOPE)
endfunction()
