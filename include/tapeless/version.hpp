// SPDX-License-Identifier: MIT
#pragma once
// The version of the library: numbers for the preprocessor, and the same as a value. CMake reads it from here.

#define TAPELESS_VERSION_MAJOR 0
#define TAPELESS_VERSION_MINOR 1
#define TAPELESS_VERSION_PATCH 0
/// One number to compare: 10000 * major + 100 * minor + patch.
#define TAPELESS_VERSION (10000 * TAPELESS_VERSION_MAJOR + 100 * TAPELESS_VERSION_MINOR + TAPELESS_VERSION_PATCH)

namespace tapeless {

struct version_number {
    int major, minor, patch;
    /// 10000 * major + 100 * minor + patch, as TAPELESS_VERSION.
    constexpr int as_number() const { return 10000 * major + 100 * minor + patch; }
    constexpr bool operator==(version_number const&) const = default;
};
/// Of the headers that are included.
inline constexpr version_number version{TAPELESS_VERSION_MAJOR, TAPELESS_VERSION_MINOR, TAPELESS_VERSION_PATCH};

}  // namespace tapeless
