// SPDX-License-Identifier: MIT
// What an optimiser remembers: copies, saving and restoring; that a step allocates nothing; what is refused.

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include <tapeless/tapeless.hpp>

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/messages.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

using tree = std::tuple<std::vector<float>, ad::tensor<float, dyn, 3>>;
tree make_tree(float value) {
    tree t{std::vector<float>(21, value), ad::tensor<float, dyn, 3>(2)};
    ad::fill(std::get<1>(t), value);
    return t;
}

template <class F>
std::string refusal_of(F&& f) {
    try {
        f();
    } catch (ad::shape_error const&) {
        return "a shape_error";
    } catch (std::invalid_argument const& e) {
        return e.what();
    }
    return "nothing was thrown";
}

}  // namespace

TEST_CASE("steps: nothing is allocated, whatever the optimiser and the kind of array") {
    tree model = make_tree(1), g = make_tree(0.5f);
    ad::optim::sgd s(model, {.momentum = 0.9});
    ad::optim::adam a(model, {.amsgrad = true});
    ad::optim::adamw w(model);
    std::vector<ad::half> h(40), hg(40);
    ad::optim::adam b(h);
    std::vector<double> memory(40);
    ad::view<double, dyn> const view(memory.data(), 20, std::array<std::ptrdiff_t, 1>{2});
    ad::optim::sgd v(view);
    ad::optim::loss_scale scale;
    std::vector<float> wide(40);
    std::size_t const before = allocations;
    s.step(model, g);
    a.step(model, g);
    w.step(model, g);
    b.step(h, hg);
    v.step(view, view);
    (void)ad::optim::clip_grad_norm(g, 0.1);
    scale.step(a, model, g);
    scale.step(v, view, view);
    scale.step(b, h, hg, wide);
    CHECK(allocations == before);
}

TEST_CASE("lbfgs: the iterations allocate nothing") {
    auto const counted = [](int iterations) {
        std::vector<double> x(50, 3.0);
        ad::optim::lbfgs o(x, {.max_iterations = iterations, .gradient_tolerance = 0, .change_tolerance = 0});
        std::size_t const before = allocations;
        auto const report = o.minimize(x, [](auto const& p, auto& g) {
            double sum = 0;
            for (std::size_t i = 0; i < p.size(); ++i) {
                double const c = static_cast<double>(i + 1);
                g[i] = 4 * c * p[i] * p[i] * p[i] + p[i];
                sum += c * p[i] * p[i] * p[i] * p[i] + p[i] * p[i] / 2;
            }
            return sum;
        });
        CHECK(report.iterations == iterations);
        return allocations - before;
    };
    CHECK(counted(2) == counted(12));
}

TEST_CASE("state: a copy of an optimiser goes its own way, and takes the same steps") {
    tree model = make_tree(1), g = make_tree(0.5f), other = model;
    ad::optim::adam a(model, {.learning_rate = 0.1});
    a.step(model, g);
    other = model;
    ad::optim::adam b = a;
    CHECK(a.state() == b.state());
    a.step(model, g);
    CHECK(!(a.state() == b.state()));
    CHECK(std::get<0>(model) != std::get<0>(other));
    b.step(other, g);
    CHECK(a.state() == b.state());
    CHECK(model == other);
}

TEST_CASE("state: saved as numbers and bytes, and restored into another optimiser, it continues") {
    tree model = make_tree(1), g = make_tree(0.5f);
    ad::optim::sgd a(model, {.learning_rate = 0.1, .momentum = 0.9});
    a.step(model, g);
    a.step(model, g);
    std::vector<std::byte> const saved(a.state().velocity.bytes().begin(), a.state().velocity.bytes().end());
    tree copy = model;
    ad::optim::sgd b(copy, a.options);
    b.state().steps = a.state().steps;
    std::copy(saved.begin(), saved.end(), b.state().velocity.bytes().begin());
    a.step(model, g);
    b.step(copy, g);
    CHECK(model == copy);
    CHECK(a.state().velocity.array<float>(1).size() == 6);
    CHECK_THROWS_AS(a.state().velocity.array<double>(1), std::invalid_argument);
    CHECK_THROWS_AS(a.state().velocity.array<float>(2), std::out_of_range);
}

TEST_CASE(
    "state: an optimiser without momentum or amsgrad keeps no memory for them, and says so when they are asked for "
    "later") {
    tree model = make_tree(1), g = make_tree(0.5f);
    ad::optim::sgd s(model);
    CHECK(s.state().velocity.size() == 0);
    CHECK(s.state().velocity.bytes().empty());
    s.options.momentum = 0.9;
    CHECK(mentions(message_of([&] { s.step(model, g); }), {"sgd", "momentum", "when it is made"}));
    ad::optim::adam a(model);
    a.options.amsgrad = true;
    CHECK(mentions(message_of([&] { a.step(model, g); }), {"adam", "amsgrad", "when it is made"}));
    CHECK(model == make_tree(1));
    CHECK(a.state().steps == 0);
}

TEST_CASE(
    "errors: a gradient of other lengths is refused, naming the array and the lengths, before anything is written") {
    tree model = make_tree(1), g = make_tree(0.5f);
    std::get<1>(g) = ad::tensor<float, dyn, 3>(5);
    ad::optim::sgd s(model, {.momentum = 0.9});
    ad::optim::adam a(model);
    CHECK(mentions(message_of([&] { s.step(model, g); }), {"sgd", "array 1", "(2, 3)", "(5, 3)"}));
    CHECK(mentions(message_of([&] { a.step(model, g); }), {"adam", "array 1", "(2, 3)", "(5, 3)"}));
    CHECK(model == make_tree(1));
    CHECK(a.state() == ad::optim::adam(model).state());
}

TEST_CASE("errors: a model other than the optimiser's is refused") {
    tree model = make_tree(1), g = make_tree(0.5f);
    ad::optim::adam a(model);
    std::vector<float> one(21);
    CHECK(mentions(message_of([&] { a.step(one, one); }), {"adam", "1 arrays", "2"}));
    tree longer{std::vector<float>(22), ad::tensor<float, dyn, 3>(2)};
    CHECK(mentions(message_of([&] { a.step(longer, longer); }), {"adam", "array 0", "22", "21"}));
    std::tuple<std::vector<float>, ad::tensor<double, dyn, 3>> wider{std::vector<float>(21),
                                                                     ad::tensor<double, dyn, 3>(2)};
    CHECK(mentions(message_of([&] { a.step(wider, g); }), {"adam", "array 1", "double", "float"}));
    ad::optim::lbfgs l(one);
    CHECK(mentions(message_of([&] { l.minimize(model, [](auto const&, auto&) { return 0.0; }); }),
                   {"lbfgs", "27", "21"}));
}

TEST_CASE("errors: options that make no sense are refused, by name, when made and at each step") {
    double x = 1;
    double const nan = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();
    for (double bad : {-1.0, nan, infinite}) {
        CHECK(mentions(refusal_of([&] { ad::optim::sgd(x, {.learning_rate = bad}); }), {"sgd", "learning_rate"}));
        CHECK(mentions(refusal_of([&] { ad::optim::adam(x, {.learning_rate = bad}); }), {"adam", "learning_rate"}));
        CHECK(mentions(refusal_of([&] { ad::optim::adamw(x, {.weight_decay = bad}); }), {"adamw", "weight_decay"}));
        CHECK(mentions(refusal_of([&] { ad::optim::lbfgs(x, {.learning_rate = bad}); }), {"lbfgs", "learning_rate"}));
        ad::optim::adam a(x);
        a.options.learning_rate = bad;
        CHECK(mentions(refusal_of([&] { a.step(x, 1.0); }), {"adam", "learning_rate"}));
    }
    CHECK(mentions(refusal_of([&] { ad::optim::adam(x, {.beta1 = 1}); }), {"beta1"}));
    CHECK(mentions(refusal_of([&] { ad::optim::adam(x, {.beta2 = -0.1}); }), {"beta2"}));
    CHECK(mentions(refusal_of([&] { ad::optim::adam(x, {.eps = -1}); }), {"eps"}));
    CHECK(mentions(refusal_of([&] { ad::optim::sgd(x, {.momentum = -1}); }), {"momentum"}));
    CHECK(mentions(refusal_of([&] { ad::optim::sgd(x, {.momentum = 0.9, .dampening = nan}); }), {"dampening"}));
    CHECK(mentions(refusal_of([&] { ad::optim::sgd(x, {.nesterov = true}); }), {"nesterov"}));
    CHECK(mentions(refusal_of([&] { ad::optim::sgd(x, {.momentum = 0.9, .dampening = 0.1, .nesterov = true}); }),
                   {"nesterov"}));
    CHECK(mentions(refusal_of([&] { ad::optim::lbfgs(x, {.history = 0}); }), {"history"}));
    CHECK(mentions(refusal_of([&] { ad::optim::lbfgs(x, {.decrease = 0.9, .curvature = 0.1}); }), {"decrease"}));
    CHECK(x == 1);
}
