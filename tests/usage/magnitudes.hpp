// SPDX-License-Identifier: MIT
#pragma once
// What the tests of very large and very small elements share.

#include <tapeless/array/tensor.hpp>

#include <limits>

namespace magnitudes {

template <class T>
using matrix = tapeless::tensor<T, tapeless::dyn, tapeless::dyn>;
template <class T>
using limits = std::numeric_limits<T>;

}  // namespace magnitudes
