// SPDX-License-Identifier: MIT
// Regression by a Gaussian process: length, height and noise are those that make the data most likely, found by L-BFGS
// along the gradient of the marginal likelihood, which goes through a Cholesky factor. Then a mean and a band wherever
// they are wanted.
//
//   example_23_gaussian_process [band.svg]
#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

namespace ad = tapeless;
namespace la = ad::linalg;

// Logarithms of what is wanted, which is positive.
template <template <class, auto...> class Tensor>
struct Process {
    Tensor<double> length, height, noise;
};

constexpr auto covariance = [](auto const& p, auto at, auto x) {
    return exp(2.0 * p.height - 0.5 * square((ad::unsqueeze<1>(at) - x) / exp(p.length)));
};
constexpr auto surprise = [](auto const& p, auto x, auto y, auto unit) {  // -log p(y)
    return -ad::density::multivariate_normal_lpdf(y, 0.0, covariance(p, x, x) + exp(2.0 * p.noise) * unit);
};
// Mean and standard deviation of the function at some places, given what was seen of it.
constexpr auto prediction = [](auto const& p, auto x, auto y, auto unit, auto at) {
    auto const l = ad::let(la::cholesky(covariance(p, x, x) + exp(2.0 * p.noise) * unit));
    auto const cross = ad::let(la::solve_triangular(l, covariance(p, x, at)));
    return std::tuple(matmul(la::solve_triangular(l, y), cross), sqrt(exp(2.0 * p.height) - sum<0>(square(cross))));
};

double truth(double x) { return std::sin(1.7 * x) + 0.3 * x; }

using numbers = ad::tensor<double, ad::dyn>;

void draw(char const* file, numbers const& x, numbers const& y, numbers const& at, numbers const& mean,
          numbers const& sd) {
    std::FILE* const out = std::fopen(file, "w");
    if (!out) return;
    auto const px = [](double v) { return 40 + 100 * v; };
    auto const py = [](double v) { return 220 - 70 * v; };
    int const m = static_cast<int>(at.extent(0));
    std::fputs(
        "<svg xmlns='http://www.w3.org/2000/svg' width='680' height='400' style='background:white'>\n"
        "<polygon fill='#cde' points='",
        out);
    for (int i = 0; i < m; ++i) std::fprintf(out, "%.1f,%.1f ", px(at(i)), py(mean(i) + 2 * sd(i)));
    for (int i = m - 1; i >= 0; --i) std::fprintf(out, "%.1f,%.1f ", px(at(i)), py(mean(i) - 2 * sd(i)));
    std::fputs("'/>\n<polyline fill='none' stroke='#06c' points='", out);
    for (int i = 0; i < m; ++i) std::fprintf(out, "%.1f,%.1f ", px(at(i)), py(mean(i)));
    std::fputs("'/>\n<polyline fill='none' stroke='#888' stroke-dasharray='3 4' points='", out);
    for (int i = 0; i < m; ++i) std::fprintf(out, "%.1f,%.1f ", px(at(i)), py(truth(at(i))));
    std::fputs("'/>\n", out);
    for (std::size_t i = 0; i < x.size(); ++i)
        std::fprintf(out, "<circle cx='%.1f' cy='%.1f' r='3'/>\n", px(x(i)), py(y(i)));
    std::fputs("</svg>\n", out);
    std::fclose(out);
}

int main(int argc, char** argv) {
    constexpr int n = 40, places = 121;
    numbers x(n), y(n), at(places);
    ad::tensor<double, ad::dyn, ad::dyn> unit(n, n);
    unsigned state = 12345;
    auto const error = [&] {  // the sum of twelve is normal enough
        double sum = -6;
        for (int k = 0; k < 12; ++k) sum += ((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24;
        return 0.15 * sum;
    };
    for (int i = 0; i < n; ++i) {
        x(i) = (i < 25 ? 0.13 * i : 0.13 * i + 0.9);  // nothing was seen in between
        y(i) = truth(x(i)) + error();
        unit(i, i) = 1;
    }
    for (int i = 0; i < places; ++i) at(i) = 0.05 * i;

    Process<ad::tensor> p;
    p.length() = 0, p.height() = 0, p.noise() = -1;
    auto step = ad::value_and_grad<0>(surprise);
    auto const report = ad::optim::lbfgs(p).minimize(p, step, x, y, unit);
    std::printf("%s: length %.2f, height %.2f, noise %.3f (0.15 in truth)\n",
                report.converged() ? "converged" : "NOT converged", std::exp(p.length()), std::exp(p.height()),
                std::exp(p.noise()));

    auto const [mean, sd] = ad::evaluate(prediction, p, x, y, unit, at);
    int within = 0;
    double narrow = 1e9, wide = 0;
    for (int i = 0; i < places; ++i) {
        within += std::abs(mean(i) - truth(at(i))) < 2 * sd(i);
        narrow = std::fmin(narrow, sd(i)), wide = std::fmax(wide, sd(i));
    }
    std::printf("the truth is within two standard deviations at %d of %d places; they are from %.3f to %.3f\n", within,
                places, narrow, wide);
    if (argc > 1) draw(argv[1], x, y, at, mean, sd);
    bool const right =
        report.converged() && std::abs(std::exp(p.noise()) - 0.15) < 0.05 && within > 0.9 * places && wide > 2 * narrow;
    return right ? 0 : 1;
}
