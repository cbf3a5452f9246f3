// SPDX-License-Identifier: MIT
#pragma once
// Everything that is done with vectors: loads, stores, elementary operations and the mathematical functions.

#include <tapeless/simd/convert.hpp>
#include <tapeless/simd/elementary.hpp>
#include <tapeless/simd/exponential.hpp>
#include <tapeless/simd/hyperbolic.hpp>
#include <tapeless/simd/logarithm.hpp>
#include <tapeless/simd/power.hpp>
#include <tapeless/simd/trigonometric.hpp>
