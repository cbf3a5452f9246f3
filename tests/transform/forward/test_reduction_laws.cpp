// SPDX-License-Identifier: MIT
// Forward mode of reductions, rows and norms is the adjoint of reverse mode.

#include "laws.hpp"

namespace {

namespace ad = tapeless;
using ad::dyn;
using laws::of;
using laws::spread;

constexpr std::tuple reductions{
    of("sum", [](auto x) { return ad::sum<0>(x * x); }),
    of("sum of all", [](auto x) { return sum(x); }),
    of("sum keepdims", [](auto x) { return ad::sum<1>(x, ad::keepdims) * x; }),
    of("mean", [](auto x) { return ad::mean<1>(x) + mean(x); }),
    of("max", [](auto x) { return ad::max<1>(x); }),
    of("min", [](auto x) { return ad::min<0>(x, ad::keepdims) * x; }),
    of("prod", [](auto x) { return ad::prod<1>(x); }),
    of("prod with zeros", [](auto x) { return ad::prod<0>(where(x > 0.8, 0.0 * x, x)); }),
    of("var", [](auto x) { return ad::var<1>(x); }),
    of("std_dev", [](auto x) { return ad::std_dev<0>(x); }),
    of("logsumexp", [](auto x) { return ad::logsumexp<1>(x); }),
    of("norm", [](auto x) { return ad::norm<0>(x); }),
    of("norm 1", [](auto x) { return ad::norm<1>(x - 0.1, 1); }),
    of("norm 3", [](auto x) { return ad::norm<1>(x, 3); }),
    of("max_with_index", [](auto x) { return ad::max_with_index<1>(x).values; }),
    of("min_with_index", [](auto x) { return ad::min_with_index<0>(x).values; }),
    of("cumsum", [](auto x) { return ad::cumsum<1>(x) * x; }),
    of("cumsum of columns", [](auto x) { return ad::cumsum<0>(x); }),
    of("softmax", [](auto x) { return ad::softmax<1>(x); }),
    of("softmax of columns", [](auto x) { return ad::softmax<0>(x); }),
    of("log_softmax", [](auto x) { return ad::log_softmax<1>(x); }),
    of("count_nonzero", [](auto x) { return x * ad::cast<double>(ad::count_nonzero<0>(x > 0.0)); }),
    of("dropout", [](auto x) { return ad::dropout(x, 7, 0.5); }),
};
constexpr std::tuple norms{
    of("layer_norm", [](auto x, auto g, auto b) { return ad::layer_norm(x, g, b, 1e-5); }),
    of("rms_norm", [](auto x, auto g, auto b) { return ad::rms_norm(x, g, 1e-5) + b; }),
    of("group_norm", [](auto x, auto g, auto b) { return ad::group_norm<2>(x, g, b, 1e-5); }),
    of("batch_norm", [](auto x, auto g, auto b) { return ad::batch_norm_training(x, b, 1.0 + b * b, g, b).out; }),
};

}  // namespace

TEST_CASE("forward mode: reductions, running sums and softmax are the adjoint of reverse mode") {
    using array = ad::tensor<double, dyn, 5>;
    array const x = spread(array(4), -1, 1, 1), v = spread(array(4), -1, 1, 2);
    laws::check(reductions, std::tuple(x), std::tuple(v));
}

TEST_CASE("forward mode: normalisations are the adjoint of reverse mode") {
    using array = ad::tensor<float, 5, 4>;
    using vector = ad::tensor<float, 4>;
    array const x = spread(array{}, -1, 1, 1), v = spread(array{}, -1, 1, 2);
    vector const g = spread(vector{}, 0.5, 1.5, 3), b = spread(vector{}, -1, 1, 4);
    vector const vg = spread(vector{}, -1, 1, 5), vb = spread(vector{}, -1, 1, 6);
    laws::check(norms, std::tuple(x, g, b), std::tuple(v, vg, vb));
}
