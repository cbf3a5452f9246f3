// SPDX-License-Identifier: MIT
#pragma once
// What the tests with a stand-in for LAPACK share.

#include <cmath>

#include <tapeless/tapeless.hpp>

#include "lapacke.h"
#include "support/catch.hpp"

namespace ad = tapeless;
namespace la = ad::linalg;

template <class T>
using matrix = ad::tensor<T, ad::dyn, ad::dyn>;
