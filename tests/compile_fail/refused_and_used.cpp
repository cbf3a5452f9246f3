// SPDX-License-Identifier: MIT
// What was refused is printed, computed with, assigned and gone through: nothing more is said than why.
// expect: it cannot capture; pass the value as an argument
#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>
namespace ad = tapeless;
int main() {
    std::vector<double> x{1, 2, 3}, old;
    double const k = 2.0 * x[0];
#ifdef RIGHT
    auto f = [](auto x, auto k) { return k * sum(x * x); };
#else
    auto f = [k](auto x, auto) { return k * sum(x * x); };
#endif
    auto step = ad::value_and_grad(f);
    double best = 1e9, total = 0;
    float narrow = 0;
    for (int i = 0; i < 10; ++i) {
        auto [v, g] = step(x, k);  // <- here
        for (std::size_t k = 0; k < x.size(); ++k) x[k] -= 0.1 * g[k];
        for (double e : g) total += std::abs(e);
        if (v < best || best == v || v >= 3.0) best = std::sqrt(v) + 2 * v - v / 2.0;
        total += v;
        narrow = static_cast<float>(v);
        old = g;
        std::vector<double> const copy = g;
        best = std::max(best, static_cast<double>(v));
        std::cout << "step " << i << ' ' << v << ' ' << g[0] << ' ' << g.size() << ' ' << *g.data() << std::endl;
    }
    return total + best + static_cast<double>(narrow) > static_cast<double>(old.size());
}
