// SPDX-License-Identifier: MIT
#pragma once
// Tapeless: reverse-mode automatic differentiation of functions over arrays, done by the compiler.

#include <tapeless/core/makers.hpp>
#include <tapeless/functional/attention.hpp>
#include <tapeless/functional/batch_norm.hpp>
#include <tapeless/functional/dropout.hpp>
#include <tapeless/functional/group_norm.hpp>
#include <tapeless/functional/layer_norm.hpp>
#include <tapeless/functional/loss/classes.hpp>
#include <tapeless/functional/loss/fused_linear.hpp>
#include <tapeless/functional/loss/margin.hpp>
#include <tapeless/functional/loss/regression.hpp>
#include <tapeless/functional/loss/similarity.hpp>
#include <tapeless/functional/softmax.hpp>
#include <tapeless/ops/activation.hpp>
#include <tapeless/ops/cumulative.hpp>
#include <tapeless/ops/einsum.hpp>
#include <tapeless/ops/exponential.hpp>
#include <tapeless/ops/extremes.hpp>
#include <tapeless/ops/hyperbolic.hpp>
#include <tapeless/ops/indexed.hpp>
#include <tapeless/ops/interval.hpp>
#include <tapeless/ops/join.hpp>
#include <tapeless/ops/one_hot.hpp>
#include <tapeless/ops/product.hpp>
#include <tapeless/ops/quantifiers.hpp>
#include <tapeless/ops/random.hpp>
#include <tapeless/ops/rectifier.hpp>
#include <tapeless/ops/rounding.hpp>
#include <tapeless/ops/statistics.hpp>
#include <tapeless/ops/triangle.hpp>
#include <tapeless/ops/trigonometric.hpp>
#include <tapeless/transform/check_gradient.hpp>
#include <tapeless/transform/explain.hpp>
#include <tapeless/transform/grad.hpp>
#include <tapeless/transform/hvp.hpp>
