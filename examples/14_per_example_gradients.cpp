// Per-example gradients: a loss is written for one example, and vmap makes it a loss of many. The norm of an
// example's own gradient says how hard it pulls at the model: the mislabelled ones pull hardest, and clipping each
// gradient keeps them from it. With a path as argument it draws the examples there, as large as their gradients are.
#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

namespace ad = tapeless;

constexpr auto loss = [](auto w, auto x, auto y) {  // one example: x has 2 numbers, y is 0 or 1
    auto z = ad::let(ad::select<0>(w, 0) * ad::select<0>(x, 0) + ad::select<0>(w, 1) * ad::select<0>(x, 1) +
                     ad::select<0>(w, 2));
    return softplus(z) - y * z;
};
constexpr auto mean_loss = [](auto w, auto xs, auto ys) { return mean(ad::vmap<ad::whole, 0, 0>(loss)(w, xs, ys)); };
constexpr auto gradient_norm = [](auto w, auto x, auto y) { return norm(ad::grad<0>(loss)(w, x, y)); };
constexpr auto clipped = [](auto w, auto xs, auto ys) {          // the mean of gradients no longer than 0.3 each
    auto one = [](auto v, auto x, auto y) {
        auto g = ad::let(ad::grad<0>(loss)(v, x, y));
        return g * minimum(1.0, 0.3 / maximum(norm(g), 1e-12));
    };
    return mean<0>(ad::vmap<ad::whole, 0, 0>(one)(w, xs, ys));
};

int main(int argc, char** argv) {
    constexpr std::size_t n = 240, wrong = 6;
    ad::tensor<double, ad::dyn, 2> xs(n);
    ad::tensor<double, ad::dyn> ys(n);
    std::uint32_t state = 7;
    auto uniform = [&] { return static_cast<double>((state = state * 1664525u + 1013904223u) >> 8) * 0x1p-24; };
    for (std::size_t i = 0; i < n; ++i) {                        // two clouds, around (-1.5, -1) and (1.5, 1)
        double const side = i % 2 ? 1 : -1;
        xs(i, 0) = 1.5 * side + uniform() + uniform() - 1;
        xs(i, 1) = side + uniform() + uniform() - 1;
        ys(i) = i < wrong ? i % 2 == 0 : i % 2 == 1;             // the first few have the other label
    }

    ad::tensor<double, 3> w{0, 0, 0}, robust{0, 0, 0}, g;
    auto step = ad::grad<0>(mean_loss);
    auto clipped_step = ad::fused(clipped);
    for (int k = 0; k < 400; ++k) {
        step(ad::into(g), w, xs, ys);
        for (std::size_t j = 0; j < 3; ++j) w(j) -= 0.5 * g(j);
        clipped_step(ad::into(g), robust, xs, ys);
        for (std::size_t j = 0; j < 3; ++j) robust(j) -= 0.5 * g(j);
    }

    auto const norms = ad::vmap<ad::whole, 0, 0>(gradient_norm)(w, xs, ys);
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return norms(a) > norms(b); });
    auto const found = std::count_if(order.begin(), order.begin() + wrong, [](std::size_t i) { return i < wrong; });
    std::printf("%td of the %zu mislabelled examples have the %zu largest gradients\n", found, wrong, wrong);

    auto const all = ad::vmap<ad::whole, 0, 0>(ad::grad<0>(loss))(w, xs, ys);  // (240, 3): a gradient for each example
    auto const mean_gradient = ad::evaluate([](auto m) { return mean<0>(m); }, all), gradient = step(w, xs, ys);
    double far = 0;
    for (std::size_t j = 0; j < 3; ++j) far = std::max(far, std::abs(mean_gradient(j) - gradient(j)));
    std::printf("their mean is the gradient of the mean: %s\n", far < 1e-12 ? "yes" : "no");
    bool const steeper = std::hypot(robust(0), robust(1)) > std::hypot(w(0), w(1));
    std::printf("with clipped gradients the model is surer of itself: %s\n", steeper ? "yes" : "no");

    if (argc > 1) {
        std::FILE* svg = std::fopen(argv[1], "w");
        if (!svg) return 1;
        std::fprintf(svg, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-4 -3 8 6' width='800' height='600'>\n");
        std::fprintf(svg, "<rect x='-4' y='-3' width='8' height='6' fill='white'/>\n");
        // where the model says 1/2; y points down in SVG
        auto line = [&](ad::tensor<double, 3> const& v, char const* colour) {
            auto y = [&](double x) { return (v(0) * x + v(2)) / v(1); };
            std::fprintf(svg, "<line x1='-4' y1='%.3f' x2='4' y2='%.3f' stroke='%s' stroke-width='0.03'/>\n", y(-4),
                         y(4), colour);
        };
        line(w, "gray");
        line(robust, "black");
        for (std::size_t i = 0; i < n; ++i)
            std::fprintf(svg, "<circle cx='%.3f' cy='%.3f' r='%.3f' fill='%s' fill-opacity='0.5'/>\n", xs(i, 0),
                         -xs(i, 1), 0.03 + 0.12 * norms(i), ys(i) > 0.5 ? "crimson" : "royalblue");
        std::fprintf(svg, "</svg>\n");
        std::fclose(svg);
    }
    return found == static_cast<std::ptrdiff_t>(wrong) && far < 1e-12 && steeper ? 0 : 1;
}
