// SPDX-License-Identifier: MIT
// L-BFGS's memory beside the matrix that it stands for: H of the last pairs, updated one after the other.

#include <tapeless/optim/curvature.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include "support/catch.hpp"

namespace {

using vector = std::vector<double>;
constexpr std::size_t n = 8;

vector some(double phase) {
    vector v(n);
    for (std::size_t i = 0; i < n; ++i) v[i] = std::sin(1.7 * static_cast<double>(i) + phase);
    return v;
}
/// The gradient of a bowl whose curvatures are all different.
vector slope(vector const& x) {
    vector g(n);
    for (std::size_t i = 0; i < n; ++i)
        g[i] = (1.0 + static_cast<double>(i)) * x[i] + (i > 0 ? 0.3 * x[i - 1] : 0) + (i + 1 < n ? 0.3 * x[i + 1] : 0);
    return g;
}
double dot(vector const& a, vector const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}
/// -H g, H = (I - s yᵀ/sy) H (I - y sᵀ/sy) + s sᵀ/sy for one pair after the other, from sy/yy of the last on.
vector direction(std::vector<vector> const& s, std::vector<vector> const& y, vector const& g) {
    std::vector<vector> h(n, vector(n, 0));
    for (std::size_t i = 0; i < n; ++i) h[i][i] = dot(s.back(), y.back()) / dot(y.back(), y.back());
    for (std::size_t k = 0; k < s.size(); ++k) {
        double const sy = dot(s[k], y[k]);
        std::vector<vector> left(n, vector(n, 0)), next(n, vector(n, 0));
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t m = 0; m < n; ++m) left[i][j] += ((i == m) - s[k][i] * y[k][m] / sy) * h[m][j];
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                next[i][j] = s[k][i] * s[k][j] / sy;
                for (std::size_t m = 0; m < n; ++m) next[i][j] += left[i][m] * ((m == j) - y[k][m] * s[k][j] / sy);
            }
        h = next;
    }
    vector d(n, 0);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) d[i] -= h[i][j] * g[j];
    return d;
}

}  // namespace

TEST_CASE(
    "curvature: the direction is that of the matrix made from as many pairs as are kept, and from the last ones") {
    for (int most : {1, 2, 3, 5}) {
        tapeless::detail::curvature_memory<double> memory(most, n);
        std::vector<vector> s, y;
        vector x = some(0.1), g = slope(x);
        for (int step = 0; step < 9; ++step) {
            vector const next = some(0.9 * step + 1), next_g = slope(next);
            memory.add(x.data(), next.data(), g.data(), next_g.data());
            vector ds(n), dy(n);
            for (std::size_t i = 0; i < n; ++i) ds[i] = next[i] - x[i], dy[i] = next_g[i] - g[i];
            s.push_back(ds);
            y.push_back(dy);
            if (s.size() > static_cast<std::size_t>(most)) s.erase(s.begin()), y.erase(y.begin());
            x = next;
            g = next_g;
            vector d(n);
            memory.direction(g.data(), d.data());
            vector const expected = direction(s, y, g);
            for (std::size_t i = 0; i < n; ++i) {
                INFO(most << " pairs, step " << step << ", element " << i);
                CHECK(std::abs(d[i] - expected[i]) < 1e-10);
            }
        }
    }
}

TEST_CASE("curvature: a step along which the gradient does not grow is not kept") {
    tapeless::detail::curvature_memory<double> memory(3, n);
    vector const x = some(0), next = some(1), g = slope(x), less = slope(next);
    memory.add(x.data(), next.data(), less.data(), g.data());  // the wrong way round
    CHECK(memory.empty());
    memory.add(x.data(), next.data(), g.data(), less.data());
    CHECK_FALSE(memory.empty());
    memory.forget();
    vector d(n);
    memory.direction(g.data(), d.data());
    for (std::size_t i = 0; i < n; ++i) CHECK(d[i] == -g[i]);
}
