# SPDX-License-Identifier: MIT
# cmake -DSOURCE_DIR=... -DWORK_DIR=... -DCXX=... -DXSIMD=... -DVERSION=... -P consumers.cmake
# Installs the library and builds a program on it in every way the README names: find_package, FetchContent, pkg-config; and makes the
# Debian package.

cmake_minimum_required(VERSION 3.22)

function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT status EQUAL 0)
        list(JOIN ARGN " " command)
        message("${output}")
        message(FATAL_ERROR "${command}\nended with ${status}")
    endif()
    string(STRIP "${output}" output)
    set(output "${output}" PARENT_SCOPE)
endfunction()
function(must_print program)
    run("${program}")
    if(NOT output STREQUAL "${VERSION} 3")
        message(FATAL_ERROR "${program} printed \"${output}\" instead of \"${VERSION} 3\"")
    endif()
endfunction()

file(REMOVE_RECURSE "${WORK_DIR}")
set(prefix "${WORK_DIR}/prefix")
set(common "-DCMAKE_CXX_COMPILER=${CXX}" "-DTAPELESS_XSIMD_INCLUDE_DIR=${XSIMD}" -G "Unix Makefiles")
set(consumer "${CMAKE_CURRENT_LIST_DIR}/consumer")

run("${CMAKE_COMMAND}" -S "${SOURCE_DIR}" -B "${WORK_DIR}/library" ${common} -DTAPELESS_BUILD_TESTS=OFF -DTAPELESS_BUILD_EXAMPLES=OFF
    -DTAPELESS_BUILD_BENCHMARKS=OFF)
run("${CMAKE_COMMAND}" --install "${WORK_DIR}/library" --prefix "${prefix}")

# find_package
run("${CMAKE_COMMAND}" -S "${consumer}" -B "${WORK_DIR}/package" ${common} -DHOW=package "-DCMAKE_PREFIX_PATH=${prefix}" -DVERSION=0.1)
run("${CMAKE_COMMAND}" --build "${WORK_DIR}/package")
must_print("${WORK_DIR}/package/consumer")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${consumer}" -B "${WORK_DIR}/unknown" ${common} -DHOW=package
    "-DCMAKE_PREFIX_PATH=${prefix}" -DCOMPONENTS=fortran RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE output)
if(status EQUAL 0 OR NOT output MATCHES "fortran")
    message(FATAL_ERROR "A component that is not there was found")
endif()

# FetchContent
run("${CMAKE_COMMAND}" -S "${consumer}" -B "${WORK_DIR}/source" ${common} -DHOW=source "-DTAPELESS_SOURCE=${SOURCE_DIR}")
run("${CMAKE_COMMAND}" --build "${WORK_DIR}/source")
must_print("${WORK_DIR}/source/consumer")

# pkg-config, also where the installed tree was moved
find_program(pkg_config NAMES pkg-config pkgconf NO_CACHE)
if(pkg_config)
    file(RENAME "${prefix}" "${WORK_DIR}/moved")
    set(ENV{PKG_CONFIG_PATH} "${WORK_DIR}/moved/share/pkgconfig")
    execute_process(COMMAND "${pkg_config}" --exists xsimd RESULT_VARIABLE status)
    if(NOT status EQUAL 0) # not installed as a package of its own
        file(WRITE "${WORK_DIR}/moved/share/pkgconfig/xsimd.pc" "Name: xsimd\nDescription: xsimd\nVersion: 8.1.0\nCflags: -I${XSIMD}\n")
    endif()
    run("${pkg_config}" --print-requires tapeless)
    if(NOT output MATCHES "xsimd")
        message(FATAL_ERROR "tapeless.pc does not require xsimd")
    endif()
    run("${pkg_config}" --cflags tapeless)
    separate_arguments(flags UNIX_COMMAND "${output}")
    run("${CXX}" -std=c++20 ${flags} "${consumer}/main.cpp" -o "${WORK_DIR}/by_pkg_config")
    must_print("${WORK_DIR}/by_pkg_config")
endif()

# the Debian package
find_program(dpkg_deb dpkg-deb NO_CACHE)
if(dpkg_deb)
    get_filename_component(bin "${CMAKE_COMMAND}" DIRECTORY)
    execute_process(COMMAND "${bin}/cpack" -G DEB WORKING_DIRECTORY "${WORK_DIR}/library" COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
    run("${dpkg_deb}" --info "${WORK_DIR}/library/libtapeless-dev_${VERSION}_all.deb")
    if(NOT output MATCHES "Depends: libxsimd-dev")
        message(FATAL_ERROR "The Debian package does not depend on xsimd:\n${output}")
    endif()
    run("${dpkg_deb}" --contents "${WORK_DIR}/library/libtapeless-dev_${VERSION}_all.deb")
    if(NOT output MATCHES "include/tapeless/tapeless.hpp" OR output MATCHES "README.md|tests/")
        message(FATAL_ERROR "The Debian package holds something else than the headers and the package files:\n${output}")
    endif()
endif()
