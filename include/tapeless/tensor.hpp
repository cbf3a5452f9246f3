// SPDX-License-Identifier: MIT
#pragma once
// The light header, for the headers of a program: arrays, views, models, errors, and functions that are compiled elsewhere.
// Without operations, transformations and xsimd it is read in a tenth of the time of <tapeless/tapeless.hpp>.

#include <tapeless/core/errors.hpp>
#include <tapeless/core/half.hpp>
#include <tapeless/core/makers.hpp>
#include <tapeless/core/tensor.hpp>
#include <tapeless/core/tree.hpp>
#include <tapeless/core/view.hpp>
#include <tapeless/transform/function.hpp>
#include <tapeless/transform/into.hpp>
#include <tapeless/transform/value_and.hpp>
