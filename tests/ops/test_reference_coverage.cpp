// SPDX-License-Identifier: MIT
// Every operation of the reference files is either tested or known to be missing: nothing is left out silently.

#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/reference.hpp"

namespace {

using names = std::set<std::string>;

void expect_known(std::string const& family, names const& tested, names const& not_yet) {
    names found;
    for (auto const& c : reference::family(family)) found.insert(c.op);
    for (auto const& op : found) {
        INFO(family << ": " << op);
        CHECK(tested.count(op) + not_yet.count(op) == 1);
    }
    for (auto const& op : tested) {
        INFO(family << ": " << op);
        CHECK(found.count(op) == 1);
    }
}

names together(names a, names const& b) {
    a.insert(b.begin(), b.end());
    return a;
}

}  // namespace

TEST_CASE("reference: every operation of the files is tested or known to be missing") {
    for (std::string const suffix : {"", "_f32"}) {
        expect_known("unary" + suffix, {"neg",        "abs",         "exp",        "exp2",  "log",
                                        "log2",       "log10",       "log1p",      "expm1", "sqrt",
                                        "square",     "reciprocal",  "rsqrt",      "relu",  "relu6",
                                        "sigmoid",    "logsigmoid",  "tanh",       "silu",  "mish",
                                        "hardswish",  "hardsigmoid", "softsign",   "selu",  "sin",
                                        "cos",        "tan",         "asin",       "acos",  "atan",
                                        "sinh",       "cosh",        "asinh",      "acosh", "atanh",
                                        "erf",        "erfc",        "floor",      "ceil",  "round",
                                        "trunc",      "sign",        "leaky_relu", "prelu", "prelu_broadcast",
                                        "gelu",       "softplus",    "elu",        "clamp", "affine",
                                        "pow_scalar", "scalar_pow"},
                     {});
        expect_known("binary" + suffix,
                     {"add", "sub", "mul", "div", "maximum", "minimum", "pow", "atan2", "hypot", "fmod", "remainder",
                      "floor_div", "logaddexp"},
                     {});
        expect_known("select" + suffix, {"where", "masked_fill"}, {});
        expect_known("reduce" + suffix,
                     {"sum", "mean", "max", "min", "prod", "var", "std", "logsumexp", "norm", "max_with_index",
                      "min_with_index", "argmax", "argmin", "cumsum"},
                     {});
        expect_known("softmax" + suffix, {"softmax", "log_softmax"}, {});
        names const shapes{"gather",  "index_select", "cat",       "expand", "flip",     "narrow", "pad",
                           "permute", "repeat",       "reshape",   "roll",   "select",   "slice",  "split",
                           "squeeze", "stack",        "transpose", "tril",   "unsqueeze"};
        // no cast among the floats
        expect_known("shape" + suffix, suffix.empty() ? together(shapes, {"cast"}) : shapes, {});
        expect_known("nn" + suffix,
                     {"attention", "batch_norm", "dropout", "embedding", "group_norm", "layer_norm", "rms_norm"}, {});
        expect_known("loss_regression" + suffix,
                     {"mse", "l1", "smooth_l1", "huber", "poisson_nll", "gaussian_nll", "kl_div", "kl_divergence_prob"},
                     {});
        expect_known("loss_class" + suffix,
                     {"bce", "bce_with_logits", "nll", "cross_entropy", "cross_entropy_soft",
                      "fused_linear_cross_entropy", "focal"},
                     {});
        expect_known("loss_margin" + suffix,
                     {"hinge", "hinge_embedding", "margin_ranking", "triplet_margin", "cosine_similarity",
                      "cosine_loss", "cosine_embedding", "multi_margin", "multilabel_margin", "multilabel_soft_margin"},
                     {});
        expect_known("loss_ctc" + suffix, {"ctc", "ctc_log_probs"}, {});
        expect_known("matmul" + suffix, {"matmul", "bmm", "dot", "outer", "linear", "einsum"}, {});
        expect_known("linalg" + suffix,
                     {"cholesky", "cholesky_gram", "solve_triangular", "solve", "inverse", "det", "slogdet", "logdet",
                      "eigvalsh", "eigh_function", "eigh_squares", "svdvals", "svd_function", "qr", "pinv", "lstsq",
                      "matrix_power"},
                     {});
        expect_known("more" + suffix,
                     {"trace", "kron", "cross", "cumprod", "logcumsumexp", "cummax", "sort", "topk", "index_add",
                      "segment_sum", "scatter_add"},
                     {});
    }
}

TEST_CASE("reference: every program of the files is tested or known to be missing, in both types") {
    names const graphs{"reuse_mul",           "reuse_sub_div",      "diamond",      "detach",
                       "unused_input",        "deep_chain",         "fibonacci",    "center_scale",
                       "stable_lse_detached", "double_where",       "reuse_matmul", "self_broadcast",
                       "strided_matmul",      "reuse_cat",          "view_chain",   "multi_output",
                       "shared_weight",       "checkpoint_segments"};
    names const programs{"logistic_regression",
                         "softmax_regression",
                         "mlp_relu_ce",
                         "mlp_tanh_mse",
                         "batch_norm_mlp",
                         "prelu_dropout_net",
                         "mlp_gelu_smooth",
                         "huber_clamped",
                         "heteroscedastic",
                         "focal_classifier",
                         "vae_elbo",
                         "triplet_encoder",
                         "rnn_unrolled",
                         "lstm_unrolled",
                         "embedding_classifier",
                         "info_nce",
                         "distillation",
                         "attention_block",
                         "multi_head_attention",
                         "transformer_layer",
                         "gaussian_mixture",
                         "logsumexp_chain",
                         "normalised_regression",
                         "kernel_regression",
                         "matrix_factorization",
                         "ces_production",
                         "euler_ode",
                         "bilinear_scores",
                         "gru_unrolled",
                         "residual_layer_norm",
                         "conv_net",
                         "group_norm_decoder",
                         "conv1d_ctc"};
    for (std::string const suffix : {"", "_f32"}) {
        expect_known("graph" + suffix, graphs, {});
        expect_known("programs" + suffix, programs, {});
    }
}

TEST_CASE("reference: every second derivative of the files is tested or known to be missing") {
    names const containing_gradients{"gradient_penalty", "inner_step"};
    names const others{"f_cubic",     "f_rosenbrock", "f_lse_linear", "f_tanh_quad", "f_logistic",     "f_softmax_ce",
                       "f_mixed",     "f_gauss",      "f_norm",       "f_ratio",     "f_gelu_mlp",     "f_layer_norm",
                       "f_quadratic", "f_prod",       "f_pow",        "f_variance",  "f_attention",    "f_rnn",
                       "f_relu_quad", "f_conv",       "g_spherical",  "g_softmax",   "g_matvec",       "g_broadcast",
                       "g_mlp",       "g_reduce",     "g_pow_log",    "g_index",     "nth_derivatives"};
    expect_known("second_order", together(others, containing_gradients), {});
    expect_known("second_order_f32", containing_gradients, {});
    expect_known("linalg_second",
                 {"f_logdet", "f_det", "f_solve", "f_solve_triangular", "f_inverse", "f_cholesky", "f_gaussian_logpdf",
                  "f_gp_marginal", "f_eigvalsh"},
                 {});
    expect_known("jvp",
                 {"g_spherical", "g_softmax", "g_matvec", "g_broadcast", "g_mlp", "g_reduce", "g_pow_log", "g_index",
                  "f_lse_linear", "f_mixed", "f_attention", "f_layer_norm", "f_softmax_ce", "f_rnn", "g_conv"},
                 {});
}

TEST_CASE("reference: every operation of the long cases is tested or known to be missing") {
    names const tested{"add",
                       "atan2",
                       "attention",
                       "avg_pool2d",
                       "conv1d",
                       "conv2d",
                       "max_pool1d",
                       "sort",
                       "topk",
                       "attention_block",
                       "batch_norm",
                       "cholesky_gram",
                       "cosine_similarity",
                       "cross_entropy",
                       "cumsum",
                       "einsum",
                       "embedding",
                       "embedding_classifier",
                       "fused_linear_cross_entropy",
                       "gather",
                       "gaussian_mixture",
                       "gelu",
                       "group_norm",
                       "gru_unrolled",
                       "heteroscedastic",
                       "index_add",
                       "index_select",
                       "info_nce",
                       "kernel_regression",
                       "layer_norm",
                       "linear",
                       "linear_lse",
                       "linear_recurrence",
                       "log_softmax",
                       "logcumsumexp",
                       "logsumexp",
                       "logsumexp_chain",
                       "lse_rows_bias",
                       "lstm_unrolled",
                       "matmul",
                       "max",
                       "max_with_index",
                       "mean",
                       "mlp_gelu_smooth",
                       "mlp_tanh_mse",
                       "mse",
                       "mul",
                       "multi_head_attention",
                       "norm",
                       "normalised_regression",
                       "residual_layer_norm",
                       "rms_norm",
                       "rnn_scan",
                       "rnn_unrolled",
                       "row_scale_column_sum",
                       "rows_and_columns",
                       "segment_sum",
                       "softmax",
                       "solve_triangular",
                       "softmax_regression",
                       "softplus",
                       "standardise_columns",
                       "std",
                       "sum",
                       "tanh",
                       "transformer_layer",
                       "var"};
    for (std::string const suffix : {"", "_f32"}) expect_known("large" + suffix, tested, {});
}
