// SPDX-License-Identifier: MIT
#pragma once
// All of the vector layer.

#include <tapeless/simd/arithmetic.hpp>
#include <tapeless/simd/batch.hpp>
#include <tapeless/simd/convert.hpp>
#include <tapeless/simd/elementary.hpp>
#include <tapeless/simd/lane_sums.hpp>
#include <tapeless/simd/load_store.hpp>
#include <tapeless/simd/math.hpp>
#include <tapeless/simd/operators.hpp>
