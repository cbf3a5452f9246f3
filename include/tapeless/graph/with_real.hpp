// SPDX-License-Identifier: MIT
#pragma once
// What is done for the floating type that a node has.

#include <tapeless/array/dtype.hpp>

namespace tapeless::detail {

/// fn<T>(...) for the floating type of a node.
constexpr int with_real(dtype type, auto&& fn) {
    return type == dtype::f32 ? fn.template operator()<float>() : fn.template operator()<double>();
}

}  // namespace tapeless::detail
