// SPDX-License-Identifier: MIT
// batch_norm and group_norm: reference vectors, running statistics, shapes known at run time and before, and their
// plans.

#include "functional/nn_cases.hpp"

using namespace reference;

namespace {
constexpr auto nothing = [](test_case&) {};
/// x as [N, C, a, b], with a gain of ones and a bias of zeros where there is none.
constexpr auto as_images = [](test_case& c) {
    auto shape = c.in("x").shape;
    shape.resize(4, 1);
    reshape_x(c, shape);
    add_missing(c, 1, "weight", c.in("x").extent(1), 1);
    add_missing(c, 2, "bias", c.in("x").extent(1), 0);
};
constexpr auto in_training = [](test_case const& c) { return c.flag("training") && c.number("eps") == 1e-5; };
constexpr auto in_evaluation = [](test_case const& c) { return !c.flag("training") && c.number("eps") == 1e-5; };
constexpr auto plain_training = [](test_case const& c) { return c.flag("training") && c.number("eps") == 1e-3; };
constexpr auto plain_evaluation = [](test_case const& c) { return !c.flag("training") && c.number("eps") == 1e-3; };

struct training {
    constexpr auto operator()(auto x, auto g, auto b, auto m, auto v) const {
        return batch_norm_training(x, m, v, g, b);
    }
    constexpr auto operator()(auto x, auto m, auto v) const { return batch_norm_training(x, m, v, {.eps = 1e-3}); }
};
struct evaluation {
    constexpr auto operator()(auto x, auto g, auto b, auto m, auto v) const { return batch_norm(x, m, v, g, b); }
    constexpr auto operator()(auto x, auto m, auto v) const { return batch_norm(x, m, v, 1e-3); }
};
using per_channel = data<vector>;
using images = any_extents<numbers_4d>;
template <class F>
constexpr auto affine = program_of<images, vector, vector, per_channel, per_channel>(F{});
template <class F>
constexpr auto plain = program_of<matrix, per_channel, per_channel>(F{});

template <int Groups>
struct in_groups {
    constexpr auto operator()(auto x, auto g, auto b) const { return group_norm<Groups>(x, g, b); }
    constexpr auto operator()(auto x) const { return group_norm<Groups>(x, 1e-3); }
};
template <int Groups, class X, class... Gain>
constexpr auto groups = program_of<X, Gain...>(in_groups<Groups>{});
using one_sample = shape_pattern<1, run, run, run>;

/// A matrix is a row of images of one element.
constexpr auto as_cubes = [](test_case& c) {
    auto shape = c.in("x").shape;
    shape.resize(std::max<std::size_t>(shape.size(), 3), 1);
    reshape_x(c, shape);
};
using cubes = any_extents<cube>;
template <class T>
std::size_t run_groups(int n, auto... p) {
    return run_programs_if<T>(
        "group_norm", as_cubes, [n](test_case const& c) { return c.integer("groups") == n; }, p...);
}
}  // namespace

TEST_CASE("batch_norm: reference vectors, in training with new running statistics") {
    CHECK(run_programs_if<double>("batch_norm", as_images, in_training, affine<training>) +
              run_programs_if<double>("batch_norm", nothing, plain_training, plain<training>) +
              run_programs_if<double>("batch_norm", as_images, in_evaluation, affine<evaluation>) +
              run_programs_if<double>("batch_norm", nothing, plain_evaluation, plain<evaluation>) ==
          count_in_file("nn", "batch_norm"));
    CHECK(run_programs_if<float>("batch_norm", as_images, in_training, affine<training>) +
              run_programs_if<float>("batch_norm", nothing, plain_training, plain<training>) +
              run_programs_if<float>("batch_norm", as_images, in_evaluation, affine<evaluation>) ==
          count_in_file("nn_f32", "batch_norm"));
}

TEST_CASE("group_norm: reference vectors") {
    std::size_t const n = run_groups<double>(1, groups<1, cubes, vector, vector>) +
                          run_groups<double>(2, groups<2, cubes, vector, vector>, groups<2, cubes>) +
                          run_groups<double>(3, groups<3, one_sample, vector, vector>) +
                          run_groups<double>(4, groups<4, one_sample, vector, vector>);
    CHECK(n == count_in_file("nn", "group_norm"));
    CHECK(run_groups<float>(2, groups<2, cubes, vector, vector>) == count_in_file("nn_f32", "group_norm"));
}
