// SPDX-License-Identifier: MIT
#pragma once
// Images to compute with: items, channels, rows, columns.

#include <cstddef>
#include <tapeless/tapeless.hpp>

#include "numbers.hpp"

using images = tapeless::tensor<float, tapeless::dyn, tapeless::dyn, tapeless::dyn, tapeless::dyn>;
template <class... N>
images make_images(N... n) {
    images x(static_cast<std::size_t>(n)...);
    fill(x, -1, 1);
    return x;
}
