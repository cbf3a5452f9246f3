// SPDX-License-Identifier: MIT
#pragma once
// The light header, for the headers of a program: arrays, views, models, errors, and functions that are compiled
// elsewhere. Without operations, transformations and xsimd it is read in a tenth of the time of
// <tapeless/tapeless.hpp>.

#if defined(__GNUC__)  // a global of the program may have the name of something local here
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

#include <tapeless/array/errors.hpp>
#include <tapeless/array/half.hpp>
#include <tapeless/array/leaves.hpp>
#include <tapeless/array/makers.hpp>
#include <tapeless/array/not_printed.hpp>
#include <tapeless/array/tensor.hpp>
#include <tapeless/array/tree.hpp>
#include <tapeless/array/view.hpp>
#include <tapeless/transform/function.hpp>
#include <tapeless/transform/into.hpp>
#include <tapeless/transform/value_and.hpp>
#include <tapeless/version.hpp>

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
