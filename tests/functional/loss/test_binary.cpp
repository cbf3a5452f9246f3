// SPDX-License-Identifier: MIT
// bce, bce_with_logits, focal and focal_with_logits against the reference.

#include <cmath>

#include "functional/loss/loss_cases.hpp"

using namespace reference;

namespace {
using ad::loss::pos_weight;

// bit 0 of the variant: with a weight; bit 1: with a weight of the positives
constexpr auto bce_of = []<reduction R>(auto v, auto p, auto t, auto w) {
    if constexpr (v == 1) return ad::loss::bce<R>(p, t, w);
    else return ad::loss::bce<R>(p, t);
};
constexpr auto bce_of_logits_with = []<reduction R>(auto v, auto x, auto t, auto w, auto positive) {
    if constexpr (v == 0) return ad::loss::bce_with_logits<R>(x, t);
    else if constexpr (v == 1) return ad::loss::bce_with_logits<R>(x, t, w);
    else if constexpr (v == 2) return ad::loss::bce_with_logits<R>(x, t, pos_weight(positive));
    else return ad::loss::bce_with_logits<R>(x, t, w, pos_weight(positive));
};
// the first variant: gamma is an argument; the others: it is one of these numbers
constexpr double gammas[] = {0.5, 2};
constexpr auto focal_of = []<reduction R>(auto v, auto p, auto t, auto alpha, auto gamma) {
    if constexpr (v == 0) return ad::loss::focal<R>(p, t, alpha, gamma);
    else return ad::loss::focal<R>(p, t, alpha, gammas[v - 1]);
};
constexpr auto focal_of_logits = []<reduction R>(auto v, auto x, auto t, auto alpha, auto gamma) {
    if constexpr (v == 0) return ad::loss::focal_with_logits<R>(x, t, alpha, gamma);
    else return ad::loss::focal_with_logits<R>(x, t, alpha, gammas[v - 1]);
};

/// Ones in place of a weight that the case does not have, which its variant does not use.
void add_ones(test_case& c, char const* name, bool row) {
    if (c.has("const", name)) return;
    tensor t = c.in("input");
    if (row) t.shape.erase(t.shape.begin());
    t.values.assign(row ? t.extent(0) : t.size(), 1);
    c.inputs.push_back(name);
    c.tensors["const"][name] = t;
}

template <class T>
void run_bce() {
    auto const rows_weighted = [](test_case const& c) {
        return c.has("const", "weight") && c.in("weight").shape != c.in("input").shape;
    };
    auto const prepare = [&](test_case& c) {
        bool const weighted = c.has("const", "weight"), row = rows_weighted(c);
        make_matrices(c, {"input", "target"});
        add_ones(c, "weight", row);
        if (!row) make_matrix(input(c, "weight"));
        return std::vector<int>{weighted};
    };
    auto const others = [&](test_case const& c) { return !rows_weighted(c); };
    CHECK(
        run_losses_if<T, 2, 3, matrix, matrix, data<matrix>>(bce_of, "loss_class", "bce", others, prepare) +
            run_losses_if<T, 2, 3, matrix, matrix, data<vector>>(bce_of, "loss_class", "bce", rows_weighted, prepare) ==
        count_in_file(file_of<T>("loss_class"), "bce"));
}
template <class T>
void run_bce_with_logits() {
    run_losses<T, 4, 3, matrix, matrix, data<matrix>, data<vector>>(
        bce_of_logits_with, "loss_class", "bce_with_logits", [](test_case& c) {
            int const v = c.has("const", "weight") + 2 * c.has("const", "pos_weight");
            make_matrices(c, {"input", "target"});
            add_ones(c, "weight", false);
            add_ones(c, "pos_weight", true);
            c.inputs = {"input", "target", "weight", "pos_weight"};
            return std::vector<int>{v};
        });
}
std::vector<int> focal_variants(test_case& c) {
    flatten(c, {"input", "target"});
    add_parameter(c, "alpha");
    add_parameter(c, "gamma");
    double const gamma = c.number("gamma");
    return gamma == gammas[0]   ? std::vector<int>{0, 1}
           : gamma == gammas[1] ? std::vector<int>{0, 2}
                                : std::vector<int>{0};
}
/// The same losses, by the logits of the probabilities.
std::vector<int> focal_variants_of_logits(test_case& c) {
    auto& p = input(c, "input").values;
    auto& g = c.tensors.at("grad").at("input").values;
    for (std::size_t i = 0; i < p.size(); ++i) {
        g[i] *= p[i] * (1 - p[i]);
        p[i] = std::log(p[i] / (1 - p[i]));
    }
    return focal_variants(c);
}
template <class T>
void run_focal() {
    run_losses<T, 3, 3, vector, data<vector>, data<scalar>, data<scalar>>(focal_of, "loss_class", "focal",
                                                                          focal_variants);
    run_losses<T, 3, 3, vector, data<vector>, data<scalar>, data<scalar>>(focal_of_logits, "loss_class", "focal",
                                                                          focal_variants_of_logits);
}
}  // namespace

TEST_CASE("bce: reference vectors") {
    run_bce<double>();
    run_bce<float>();
}
TEST_CASE("bce_with_logits: reference vectors") {
    run_bce_with_logits<double>();
    run_bce_with_logits<float>();
}
TEST_CASE("focal: reference vectors, of probabilities and of their logits") {
    run_focal<double>();
    run_focal<float>();
}
