// SPDX-License-Identifier: MIT
#pragma once
// All the mathematical functions of batches and numbers.

#include <tapeless/simd/error_function.hpp>
#include <tapeless/simd/exponential.hpp>
#include <tapeless/simd/hyperbolic.hpp>
#include <tapeless/simd/inverse_hyperbolic.hpp>
#include <tapeless/simd/inverse_trigonometric.hpp>
#include <tapeless/simd/logarithm.hpp>
#include <tapeless/simd/power.hpp>
#include <tapeless/simd/remainder.hpp>
#include <tapeless/simd/root.hpp>
#include <tapeless/simd/softplus.hpp>
#include <tapeless/simd/trigonometric.hpp>
