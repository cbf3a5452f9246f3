// SPDX-License-Identifier: MIT
// batch_norm and group_norm: reference vectors, running statistics, shapes known at run time and before, and their plans.

#include "functional/nn_cases.hpp"

using namespace reference;

namespace {
constexpr auto nothing = [](test_case&) {};
constexpr auto in_training = [](test_case const& c) { return c.flag("training"); };
constexpr auto in_evaluation = [](test_case const& c) { return !c.flag("training"); };

struct training {
    constexpr auto operator()(auto x, auto g, auto b, auto m, auto v) const { return batch_norm_training(x, m, v, g, b); }
    constexpr auto operator()(auto x, auto m, auto v) const { return batch_norm_training(x, m, v, {.eps = 1e-3}); }
};
struct evaluation {
    constexpr auto operator()(auto x, auto g, auto b, auto m, auto v) const { return batch_norm(x, m, v, g, b); }
    constexpr auto operator()(auto x, auto m, auto v) const { return batch_norm(x, m, v, 1e-3); }
};
using per_channel = data<vector>;
template <class F, class X>
constexpr auto affine = program_of<X, vector, vector, per_channel, per_channel>(F{});
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

template <class T>
std::size_t run_groups(int n, auto... p) {
    return run_programs_if<T>("group_norm", nothing, [n](test_case const& c) { return c.integer("groups") == n; }, p...);
}
}  // namespace

TEST_CASE("batch_norm: reference vectors, in training with new running statistics") {
    std::size_t const n = run_programs_if<double>("batch_norm", nothing, in_training, affine<training, matrix>, affine<training, cube>,
                                                  affine<training, numbers_4d>, plain<training>) +
                          run_programs_if<double>("batch_norm", nothing, in_evaluation, affine<evaluation, matrix>, affine<evaluation, cube>,
                                                  affine<evaluation, numbers_4d>, plain<evaluation>);
    CHECK(n == count_in_file("nn", "batch_norm"));
    CHECK(run_programs_if<float>("batch_norm", nothing, in_training, affine<training, matrix>, plain<training>) +
              run_programs_if<float>("batch_norm", nothing, in_evaluation, affine<evaluation, numbers_4d>) ==
          count_in_file("nn_f32", "batch_norm"));
}

TEST_CASE("group_norm: reference vectors") {
    std::size_t const n = run_groups<double>(1, groups<1, cube, vector, vector>) +
                          run_groups<double>(2, groups<2, cube, vector, vector>, groups<2, matrix, vector, vector>, groups<2, cube>) +
                          run_groups<double>(3, groups<3, one_sample, vector, vector>) +
                          run_groups<double>(4, groups<4, one_sample, vector, vector>);
    CHECK(n == count_in_file("nn", "group_norm"));
    CHECK(run_groups<float>(2, groups<2, cube, vector, vector>, groups<2, matrix, vector, vector>) == count_in_file("nn_f32", "group_norm"));
}
