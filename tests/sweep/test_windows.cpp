// SPDX-License-Identifier: MIT
// Windows as views, at all lengths: beside plain loops, and beside the oracle along two axes.

#include "oracle/numbers.hpp"
#include "support/sweep.hpp"

using oracle::sweep;

namespace {

template <int Size, int Stride, int Dilation>
constexpr auto weighed =
    [](auto x, auto w) { return sum(tanh(sum<-1>(ad::windows<0, Size, Stride, Dilation>(x) * w))); };

/// The function and its gradients by plain loops, for lengths from the shortest on.
template <class T, int Size, int Stride, int Dilation>
double worst_error() {
    constexpr int reach = (Size - 1) * Dilation;
    auto step = ad::value_and_grad<0, 1>(weighed<Size, Stride, Dilation>);
    auto const w = between<T>(-1, 1, Size, 7);
    ad::tensor<T, Size> weights;
    for (int t = 0; t < Size; ++t) weights(t) = w[static_cast<std::size_t>(t)];
    double worst = 0;
    for (int n = reach + 1; n < reach + 75; n += n < reach + 40 ? 1 : 7) {
        auto const x = between<T>(-1, 1, n);
        std::vector<double> dx(x.size()), dw(w.size());
        double value = 0;
        for (int i = 0; Stride * i + reach < n; ++i) {
            double y = 0;
            for (int t = 0; t < Size; ++t)
                y += static_cast<double>(x[static_cast<std::size_t>(Stride * i + Dilation * t)]) * weights(t);
            value += std::tanh(y);
            double const g = 1 - std::tanh(y) * std::tanh(y);
            for (int t = 0; t < Size; ++t) {
                dx[static_cast<std::size_t>(Stride * i + Dilation * t)] += g * weights(t);
                dw[static_cast<std::size_t>(t)] += g * x[static_cast<std::size_t>(Stride * i + Dilation * t)];
            }
        }
        auto const [got, grads] = step(x, weights);
        auto const& [gx, gw] = grads;
        worst = std::max(worst, std::abs(got - value) / (1 + std::abs(value)));
        for (std::size_t j = 0; j < dx.size(); ++j) worst = std::max(worst, std::abs(gx[j] - dx[j]));
        for (std::size_t t = 0; t < dw.size(); ++t)
            worst = std::max(worst, std::abs(gw.data()[t] - dw[t]) / (1 + std::abs(dw[t])));
    }
    return worst;
}

}  // namespace

TEST_CASE("sweep: windows: value and gradients are those of plain loops, at all lengths") {
    CHECK(worst_error<double, 5, 1, 1>() < 1e-13);
    CHECK(worst_error<float, 3, 1, 2>() < 2e-6);
    CHECK(worst_error<double, 3, 3, 2>() < 1e-13);  // no element is in two windows
    CHECK(worst_error<double, 4, 2, 1>() < 1e-13);
    CHECK(worst_error<float, 5, 3, 2>() < 2e-6);
    CHECK(worst_error<double, 2, 4, 1>() < 1e-13);  // elements between windows
    CHECK(worst_error<float, 18, 3, 2>() < 2e-6);   // a loop of its own
}

TEST_CASE("sweep: windows along both axes, of what is computed, shifted between zeros on the way back") {
    CHECK(sweep<"nm,33", 0, 1>(
              [](auto x, auto w) {
                  auto const around = ad::let(ad::pad<1, 1, 1, 1>(x));
                  return sum(square(sum<-2, -1>(ad::windows<0, 3>(ad::windows<1, 3>(around)) * w)) * x);
              },
              {.most = 8000}) == "");
    CHECK(sweep<"nm", 0>(
              [](auto x) {
                  auto const smooth = mean<-1>(ad::windows<1, 4>(exp(ad::pad<0, 0, 2, 2>(x))));
                  return sum(smooth * square(max<-1>(ad::windows<0, 3, 2>(ad::pad<3, 0, 0, 1>(x)))) * 0.25);
              },
              {.most = 8000}) == "");
}
