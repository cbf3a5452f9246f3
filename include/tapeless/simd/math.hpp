// SPDX-License-Identifier: MIT
#pragma once
// All the mathematical functions of batches and numbers.

#include <tapeless/simd/exponential.hpp>
#include <tapeless/simd/hyperbolic.hpp>
#include <tapeless/simd/logarithm.hpp>
#include <tapeless/simd/power.hpp>
#include <tapeless/simd/trigonometric.hpp>
