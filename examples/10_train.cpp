// Two overlapping peaks of a spectrum, seen through noise. Gradient descent finds their heights, centres and widths
// again: a model, its loss, its gradient, an optimiser, and a look at the one loop that the compiler made of them.
#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

namespace ad = tapeless;

// A model is a struct of arrays (here of rank 0: single numbers), and models nest. Peak<ad::tensor> holds the numbers;
// the functions below are called while compiling and see Peak<ad::symbol>.
template <template <class, auto...> class Tensor>
struct Peak {
    Tensor<double> height, centre, log_width;
};
using Spectrum = std::array<Peak<ad::tensor>, 2>;

constexpr auto bell = [](auto const& p, auto x) {
    auto z = (x - p.centre) / exp(p.log_width);  // the logarithm is fitted: a width stays positive
    return p.height * exp(-0.5 * square(z));
};
constexpr auto predict = [](auto const& peaks, auto x) {
    auto y = ad::let(bell(peaks[0], x));
    for (std::size_t k = 1; k < peaks.size(); ++k) y = ad::let(y + bell(peaks[k], x));
    return y;
};
constexpr auto loss = [](auto const& peaks, auto x, auto y) { return mean(square(predict(peaks, x) - y)); };

int main() {
    // Data: 1000 samples of two peaks, with noise of standard deviation 0.05.
    Spectrum const truth{{{.height = 1.0, .centre = -0.5, .log_width = std::log(0.4)},
                          {.height = 0.6, .centre = 0.8, .log_width = std::log(0.7)}}};
    auto const x = ad::linspace<double>(-4, 4, 1000);
    auto y = ad::evaluate(predict, truth, x);
    std::vector<double> noise(y.size());
    std::mt19937 rng(1);
    ad::fill_normal(noise, rng, 0, 0.05);
    for (std::size_t i = 0; i < y.size(); ++i) y(i) += noise[i];

    // The first guess: two equal peaks. Is the gradient right there?
    Spectrum fit{{{.height = 0.5, .centre = -1.0, .log_width = 0.0}, {.height = 0.5, .centre = 1.0, .log_width = 0.0}}};
    auto const report = ad::check_gradient<0>(loss, fit, x, y);
    std::printf("gradient against central differences: %zu numbers, largest error %.0e, %s\n\n", report.checked,
                report.max_relative_error, report.passed ? "passed" : "FAILED");

    auto loss_and_gradient = ad::value_and_grad<0>(loss);
    Spectrum gradient;
    ad::optim::adam optimizer(fit, {.learning_rate = 0.02});
    double value = 0;
    for (int i = 0; i <= 350; ++i) {
        value = loss_and_gradient(ad::into(gradient), fit, x, y);  // allocates nothing after the first call
        if (i % 50 == 0) std::printf("step %3d   loss %.6f\n", i, value);
        optimizer.step(fit, gradient);
    }

    std::printf("\n              height          centre           width\n");
    std::printf("            fit    true     fit    true     fit    true\n");
    double worst = 0;
    for (std::size_t k = 0; k < fit.size(); ++k) {
        std::array<double, 3> const a{fit[k].height, fit[k].centre, std::exp(fit[k].log_width)},
            b{truth[k].height, truth[k].centre, std::exp(truth[k].log_width)};
        std::printf("peak %zu ", k + 1);
        for (std::size_t j = 0; j < 3; ++j) {
            std::printf(" %7.3f %7.3f", a[j], b[j]);
            worst = std::max(worst, std::abs(a[j] - b[j]));
        }
        std::printf("\n");
    }

    std::printf("\nOne call of loss_and_gradient:\n%s", ad::explain(loss_and_gradient, fit, x, y).c_str());

    bool const ok = report.passed && value < 0.003 && worst < 0.05;  // the noise alone leaves 0.05^2 = 0.0025
    std::printf("\n%s\n", ok ? "converged" : "NOT converged");
    return ok ? 0 : 1;
}
