// SPDX-License-Identifier: MIT
#pragma once
// Tapeless: reverse-mode automatic differentiation of functions over arrays, done by the compiler.

#if defined(__GNUC__)  // a global of the program may have the name of something local here
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

// A header stands after those it needs: what a diagnostic says of one then comes from here, and not through a chain
// of others; the standard's too, whose candidates for std::max(x, 0.0) are listed. clang-format off
#include <algorithm>

#include <tapeless/array/makers.hpp>
#include <tapeless/array/tree.hpp>
#include <tapeless/array/leaves.hpp>
#include <tapeless/array/not_printed.hpp>

#include <tapeless/ir/refusals.hpp>
#include <tapeless/ir/elements.hpp>
#include <tapeless/ir/expression.hpp>
#include <tapeless/ir/mirror.hpp>
#include <tapeless/ir/constants.hpp>
#include <tapeless/ir/shape_rule.hpp>

#include <tapeless/ops/outside.hpp>
#include <tapeless/ops/elsewhere.hpp>
#include <tapeless/ops/other_calls.hpp>
#include <tapeless/ops/operands.hpp>
#include <tapeless/ops/operation.hpp>
#include <tapeless/ops/arithmetic.hpp>
#include <tapeless/ops/compare.hpp>
#include <tapeless/ops/boundary.hpp>
#include <tapeless/ops/exponential.hpp>
#include <tapeless/ops/activation.hpp>
#include <tapeless/ops/layout.hpp>
#include <tapeless/ops/contract.hpp>
#include <tapeless/ops/reduce_base.hpp>
#include <tapeless/ops/reduce.hpp>
#include <tapeless/ops/stretch.hpp>
#include <tapeless/ops/cumulative.hpp>
#include <tapeless/ops/product.hpp>
#include <tapeless/ops/einsum.hpp>
#include <tapeless/ops/extremes.hpp>
#include <tapeless/ops/power.hpp>
#include <tapeless/ops/hyperbolic.hpp>
#include <tapeless/ops/index_checks.hpp>
#include <tapeless/ops/indexed.hpp>
#include <tapeless/ops/interval.hpp>
#include <tapeless/ops/reshape.hpp>
#include <tapeless/ops/slice.hpp>
#include <tapeless/ops/join.hpp>
#include <tapeless/ops/constant.hpp>
#include <tapeless/ops/element.hpp>
#include <tapeless/ops/one_hot.hpp>
#include <tapeless/ops/sort.hpp>
#include <tapeless/ops/running.hpp>
#include <tapeless/ops/quantifiers.hpp>
#include <tapeless/ops/rounding.hpp>
#include <tapeless/ops/random.hpp>
#include <tapeless/ops/rectifier.hpp>
#include <tapeless/ops/statistics.hpp>
#include <tapeless/ops/triangle.hpp>
#include <tapeless/ops/arrange.hpp>
#include <tapeless/ops/external.hpp>
#include <tapeless/ops/trigonometric.hpp>
#include <tapeless/ops/bessel.hpp>
#include <tapeless/ops/gamma.hpp>
#include <tapeless/ops/normal.hpp>
#include <tapeless/ops/pad_modes.hpp>
#include <tapeless/ops/sliding_windows.hpp>
#include <tapeless/ops/convolution.hpp>
#include <tapeless/ops/pool_loops.hpp>
#include <tapeless/ops/pool.hpp>
#include <tapeless/ops/resample.hpp>
#include <tapeless/ops/linalg/matrix.hpp>
#include <tapeless/ops/linalg/cholesky.hpp>
#include <tapeless/ops/linalg/solve.hpp>
#include <tapeless/ops/linalg/qr.hpp>
#include <tapeless/ops/linalg/eigh.hpp>
#include <tapeless/ops/linalg/svd.hpp>
#include <tapeless/ops/linalg/functions.hpp>
#include <tapeless/ops/constant_operands.hpp>

#include <tapeless/functional/parameter.hpp>
#include <tapeless/functional/layer_norm.hpp>
#include <tapeless/functional/softmax.hpp>
#include <tapeless/functional/attention.hpp>
#include <tapeless/functional/batch_norm.hpp>
#include <tapeless/functional/dropout.hpp>
#include <tapeless/functional/group_norm.hpp>
#include <tapeless/functional/loss/reduction.hpp>
#include <tapeless/functional/loss/binary.hpp>
#include <tapeless/functional/loss/classes.hpp>
#include <tapeless/functional/loss/ctc.hpp>
#include <tapeless/functional/loss/fused_linear.hpp>
#include <tapeless/functional/loss/likelihood.hpp>
#include <tapeless/functional/loss/labels.hpp>
#include <tapeless/functional/loss/margin.hpp>
#include <tapeless/functional/loss/regression.hpp>
#include <tapeless/functional/loss/similarity.hpp>
#include <tapeless/functional/density/terms.hpp>
#include <tapeless/functional/density/real.hpp>
#include <tapeless/functional/density/positive.hpp>
#include <tapeless/functional/density/counts.hpp>
#include <tapeless/functional/density/simplex.hpp>
#include <tapeless/functional/density/multivariate.hpp>
#include <tapeless/functional/constant_arguments.hpp>
#include <tapeless/functional/bijection.hpp>

#include <tapeless/compile/results.hpp>
#include <tapeless/compile/trace.hpp>

#include <tapeless/transform/nested.hpp>
#include <tapeless/transform/bodies.hpp>
#include <tapeless/transform/result_arrays.hpp>
#include <tapeless/compile/graph_set.hpp>
#include <tapeless/compile/body_call.hpp>
#include <tapeless/compile/program.hpp>
#include <tapeless/transform/handover.hpp>
#include <tapeless/transform/into.hpp>
#include <tapeless/transform/options.hpp>
#include <tapeless/transform/grad.hpp>
#include <tapeless/transform/check_gradient.hpp>
#include <tapeless/transform/checkpoint.hpp>
#include <tapeless/transform/cond.hpp>
#include <tapeless/transform/explain.hpp>
#include <tapeless/transform/explain_passes.hpp>
#include <tapeless/transform/jvp.hpp>
#include <tapeless/transform/hvp.hpp>
#include <tapeless/transform/jacobian.hpp>
#include <tapeless/transform/hessian_diagonal.hpp>
#include <tapeless/transform/scan.hpp>
#include <tapeless/transform/trees.hpp>
#include <tapeless/transform/vjp.hpp>
#include <tapeless/transform/vmap.hpp>
#include <tapeless/transform/while_loop.hpp>
#include <tapeless/transform/unknown.hpp>
#include <tapeless/transform/krylov.hpp>
#include <tapeless/transform/search.hpp>
#include <tapeless/transform/implicit.hpp>
#include <tapeless/transform/odeint.hpp>
#include <tapeless/transform/quad.hpp>

#include <tapeless/optim/adam.hpp>
#include <tapeless/optim/clip.hpp>
#include <tapeless/optim/lbfgs.hpp>
#include <tapeless/optim/loss_scale.hpp>
#include <tapeless/optim/schedule.hpp>
#include <tapeless/optim/sgd.hpp>

#include <tapeless/tensor.hpp>
// clang-format on

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
