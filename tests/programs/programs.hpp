// SPDX-License-Identifier: MIT
#pragma once
// Composite programs that several families of the reference hold cases of: small ones, and ones of many rows.

#include "programs/run_loss.hpp"

namespace reference {

using row_stack = shape_pattern<run, 1, run>;

template <class T>
void softmax_regression(std::string const& family_name) {
    run_loss<T, matrix, matrix, vector, integers<vector>>(
        [](auto x, auto w, auto b, auto t) { return ad::loss::cross_entropy(matmul(x, w) + b, t); },
        "softmax_regression", unchanged, family_name);
}

/// A regression on normalised columns.
template <class T>
void normalised_regression(std::string const& family_name) {
    run_loss<T, matrix, vector, scalar, data<vector>, data<scalar>>(
        [](auto x, auto w, auto b, auto y, auto bessel) {
            auto centred = ad::let(x - mean<0>(x, ad::keepdims));
            auto z = centred / (sqrt(bessel * mean<0>(square(centred), ad::keepdims)) + 1e-3);
            auto r = ad::let(matmul(z, w) + b - y);
            return mean(square(r)) / (1.0 + mean(square(r - mean(r))));
        },
        "normalised_regression", [](test_case& c) {
            auto const n = static_cast<double>(c.in("Y").size());
            add_number(c, "bessel", n / (n - 1));
        }, family_name);
}

/// Mean and variance both predicted.
template <class T>
void heteroscedastic(std::string const& family_name) {
    run_loss<T, data<matrix>, matrix, matrix, data<matrix>>(
        [](auto x, auto wm, auto ws, auto y) {
            return ad::loss::gaussian_nll(matmul(x, wm), y, softplus(matmul(x, ws)) + 0.05, {.full = true});
        },
        "heteroscedastic", unchanged, family_name);
}

template <class T>
void kernel_regression(std::string const& family_name) {
    run_loss<T, row_stack, matrix, vector, scalar, data<vector>>(
        [](auto xq, auto xs, auto ys, auto log_h, auto yq) {
            auto d = sum<-1>(square(xq - xs));
            return mean(square(matmul(softmax(-0.5 * d * exp(-2.0 * log_h)), ys) - yq));
        },
        "kernel_regression", [](test_case& c) {
            auto& s = input(c, "xq").shape;
            s.insert(s.begin() + 1, 1);
        }, family_name);
}

/// Three layers with tanh and a squared error.
template <class T>
void mlp_tanh_mse(std::string const& family_name) {
    run_loss<T, data<matrix>, matrix, vector, matrix, vector, matrix, vector, data<matrix>>(
        [](auto x, auto w1, auto b1, auto w2, auto b2, auto w3, auto b3, auto y) {
            return ad::loss::mse(matmul(tanh(matmul(tanh(matmul(x, w1) + b1), w2) + b2), w3) + b3, y);
        },
        "mlp_tanh_mse", unchanged, family_name);
}

/// A perceptron with gelu, smoothed labels and a penalty on the weights.
template <class T>
void mlp_gelu_smooth(std::string const& family_name) {
    run_loss<T, data<matrix>, matrix, vector, matrix, vector, integers<vector>>(
        [](auto x, auto w1, auto b1, auto w2, auto b2, auto t) {
            auto const scores = matmul(gelu(matmul(x, w1) + b1), w2) + b2;
            return ad::loss::cross_entropy(scores, t, {.label_smoothing = 0.1}) + 0.01 * (sum(abs(w1)) + sum(abs(w2)));
        },
        "mlp_gelu_smooth", [](test_case& c) { REQUIRE(c.number("label_smoothing") == 0.1); }, family_name);
}

/// A normalised layer beside a path past it.
template <class T>
void residual_layer_norm(std::string const& family_name) {
    run_loss<T, matrix, vector, vector, matrix, vector, matrix, vector>(
        [](auto x, auto g, auto be, auto w1, auto b1, auto w2, auto b2) {
            return mean(square(x + linear(gelu(linear(layer_norm(x, g, be), w1, b1)), w2, b2)));
        },
        "residual_layer_norm", unchanged, family_name);
}

template <class T>
void gaussian_mixture(std::string const& family_name) {
    run_loss<T, data<row_stack>, matrix, matrix, vector>(
        [](auto x, auto mu, auto log_sigma, auto logits) {
            auto z = (x - mu) / exp(log_sigma);
            auto each = log_softmax(logits) + sum<-1>(-0.5 * square(z) - log_sigma - 0.91893853320467274178);
            return -mean(logsumexp<-1>(each));
        },
        "gaussian_mixture", [](test_case& c) {
            auto& s = input(c, "x").shape;
            s.insert(s.begin() + 1, 1);
        }, family_name);
}

/// logsumexp of logsumexp of a product.
template <class T>
void logsumexp_chain(std::string const& family_name) {
    run_loss<T, matrix, matrix, scalar>(
        [](auto x, auto w, auto t) {
            auto u = ad::let(logsumexp<1>(matmul(x, w) * exp(t)));
            return logsumexp(logsumexp<0>(ad::stack<0>(u, 2.0 * u))) * exp(-t);
        },
        "logsumexp_chain", unchanged, family_name);
}

/// Contrasts of normalised rows, in both directions.
template <class T>
void info_nce(std::string const& family_name) {
    run_loss<T, matrix, matrix, scalar, integers<vector>>(
        [](auto a, auto b, auto log_t, auto same) {
            auto unit = [](auto x) { return x / norm<1>(x, ad::keepdims); };
            auto s = ad::let(matmul(unit(a), transpose(unit(b))) * exp(log_t));
            return 0.5 * (ad::loss::cross_entropy(s, same) + ad::loss::cross_entropy(transpose(s), same));
        },
        "info_nce", [](test_case& c) {
            std::vector<double> same(c.in("A").extent(0));
            for (std::size_t i = 0; i < same.size(); ++i) same[i] = static_cast<double>(i);
            add_input(c, "same", {c.in("A").shape[0]}, same);
        }, family_name);
}

/// Rows of a table, averaged, classified.
template <class T>
void embedding_classifier(std::string const& family_name) {
    auto loss = [](auto table, auto index, auto w, auto b, auto target) {
        return ad::loss::cross_entropy(linear(mean<1>(embedding(table, index)), w, b), target);
    };
    run_loss<T, matrix, integers<matrix>, matrix, vector, integers<vector>>(loss, "embedding_classifier", unchanged,
                                                                            family_name);
}

}  // namespace reference
