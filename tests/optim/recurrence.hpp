// SPDX-License-Identifier: MIT
#pragma once
// The optimisers as their papers and PyTorch's documentation write them down: one number, in double.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <tapeless/tapeless.hpp>

namespace recurrence {

namespace ad = tapeless;

struct sgd {
    ad::optim::sgd_options o;
    double b = 0;
    int t = 0;

    void step(double& x, double g) {
        g += o.weight_decay * x;
        if (o.momentum != 0) {
            b = t++ == 0 ? g : o.momentum * b + (1 - o.dampening) * g;
            g = o.nesterov ? g + o.momentum * b : b;
        }
        x -= o.learning_rate * g;
    }
};

template <class Options, bool Decoupled>
struct adaptive {
    Options o;
    double m = 0, v = 0, largest = 0;
    int t = 0;

    void step(double& x, double g) {
        ++t;
        if (Decoupled) x -= o.learning_rate * o.weight_decay * x;
        else g += o.weight_decay * x;
        m = o.beta1 * m + (1 - o.beta1) * g;
        v = o.beta2 * v + (1 - o.beta2) * g * g;
        largest = std::max(largest, v);
        double const m_hat = m / (1 - std::pow(o.beta1, t));
        double const v_hat = (o.amsgrad ? largest : v) / (1 - std::pow(o.beta2, t));
        x -= o.learning_rate * m_hat / (std::sqrt(v_hat) + o.eps);
    }
};
using adam = adaptive<ad::optim::adam_options, false>;
using adamw = adaptive<ad::optim::adamw_options, true>;

/// The number at position i of a model, and its gradient at step t.
inline double start(std::size_t i) { return std::sin(1.0 + 0.7 * static_cast<double>(i)); }
inline double gradient(std::size_t i, int t) {
    return std::cos(0.3 + 1.1 * static_cast<double>(i) + 0.9 * t) * (t == 2 ? 3 : 1);
}

/// f(element, position) for all elements of a tree.
template <class Tree, class F>
void each(Tree& tree, F const& f) {
    std::size_t at = 0;
    ad::detail::each_leaf(tree,
                          [&](auto& l) { ad::detail::for_each_element(l, [&](auto& x, std::size_t) { f(x, at++); }); });
}

/// The largest difference, relative to max(1, |x|), between an optimiser's first steps on a tree and the recurrence.
template <class Optimizer, class Tree, class Scalar, class Options>
double largest_difference(Tree model, Tree g, Scalar const& scalar, Options const& options, int steps = 5) {
    std::vector<double> wanted;
    std::vector<Scalar> each_number;
    each(model, [&](auto& x, std::size_t i) {
        x = static_cast<std::remove_reference_t<decltype(x)>>(start(i));
        wanted.push_back(static_cast<double>(x));
        each_number.push_back(scalar);
    });
    Optimizer optimizer(model, options);
    double worst = 0;
    for (int t = 0; t < steps; ++t) {
        each(g, [&](auto& x, std::size_t i) { x = static_cast<std::remove_reference_t<decltype(x)>>(gradient(i, t)); });
        each(g, [&](auto const& x, std::size_t i) { each_number[i].step(wanted[i], static_cast<double>(x)); });
        optimizer.step(model, g);
        each(model, [&](auto const& x, std::size_t i) {
            double const difference = std::abs(static_cast<double>(x) - wanted[i]) / std::max(1.0, std::abs(wanted[i]));
            if (!(difference <= worst)) worst = difference;
        });
    }
    return worst;
}

}  // namespace recurrence
