# SPDX-License-Identifier: MIT
# cmake -DSOURCE_DIR=... -DVERSION=... -P versions.cmake
# The version, which is that of version.hpp, stands in the files of packages too.

cmake_minimum_required(VERSION 3.22)

foreach(file cmake/vcpkg/tapeless/vcpkg.json .github/CITATION.cff)
    file(STRINGS "${SOURCE_DIR}/${file}" line REGEX "^ *\"?version\"?:" LIMIT_COUNT 1)
    if(NOT line MATCHES ": \"?${VERSION}\"?,?$")
        message(FATAL_ERROR "${file} has \"${line}\", the library is ${VERSION}")
    endif()
endforeach()
file(STRINGS "${SOURCE_DIR}/.github/CHANGELOG.md" line REGEX "^## " LIMIT_COUNT 1)
if(NOT line MATCHES "^## ${VERSION}(,|$)")
    message(FATAL_ERROR ".github/CHANGELOG.md begins with \"${line}\", the library is ${VERSION}")
endif()
