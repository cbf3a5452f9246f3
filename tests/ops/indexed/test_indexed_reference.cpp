// SPDX-License-Identifier: MIT
// gather, index_select and embedding against the reference vectors.

#include "ops/indexed/indexed_cases.hpp"

using namespace reference;

namespace {

template <int Axis>
struct gather_along {
    constexpr auto operator()(auto x, auto index) const { return gather<Axis>(x, index); }
};
template <int Axis>
struct select_along {
    constexpr auto operator()(auto x, auto index) const { return index_select<Axis>(x, index); }
};
struct embed {
    constexpr auto operator()(auto weight, auto index) const { return embedding(weight, index); }
};
struct embed_padded {  // the padding is part of the program
    constexpr auto operator()(auto weight, auto index) const { return embedding(weight, index, 1); }
};
auto const is_padded = [](test_case const& c) { return c.has_parameter("padding_idx"); };

template <int Rank, int Axis>
using gathered = indexed_pattern<gather_along<Axis>, Rank, Rank, Rank, Axis>;
template <int Rank, int Axis>
using selected = indexed_pattern<select_along<Axis>, Rank, 1, Rank, Axis>;
template <int Index>
using embedded = indexed_pattern<embed, 2, Index, Index + 1, none>;

}  // namespace

TEST_CASE("gather: the reference cases in double") {
    run_indexed<double, std::int64_t, gathered<2, 1>, gathered<2, 0>, gathered<3, -1>, gathered<3, 1>, gathered<1, 0>>(
        "shape", "gather");
}
TEST_CASE("gather: the reference cases in float, with indices of 32 bits") {
    run_indexed<float, std::int32_t, gathered<2, 1>, gathered<3, 1>>("shape", "gather");
}

TEST_CASE("index_select: the reference cases in double") {
    run_indexed<double, std::int64_t, selected<2, 0>, selected<3, 2>, selected<3, -2>, selected<1, 0>>("shape",
                                                                                                       "index_select");
}
TEST_CASE("index_select: the reference cases in float, with indices of 32 bits") {
    run_indexed<float, std::int32_t, selected<2, 0>, selected<1, 0>>("shape", "index_select");
}

TEST_CASE("embedding: the reference cases in double") {
    auto const plain = run_indexed_if<double, std::int64_t, embedded<2>, embedded<1>, embedded<0>>(
        "nn", "embedding", "weight", [](test_case const& c) { return !is_padded(c); });
    auto const padded = run_indexed_if<double, std::int64_t, indexed_pattern<embed_padded, 2, 2, 3, none>>(
        "nn", "embedding", "weight",
        [](test_case const& c) { return is_padded(c) && c.integers("padding_idx").at(0) == 1; });
    CHECK(plain + padded == count_in_file("nn", "embedding"));
    CHECK(padded == 1);
}
TEST_CASE("embedding: the reference cases in float, with indices of 32 bits") {
    auto const n = run_indexed_if<float, std::int32_t, embedded<2>, embedded<0>>("nn", "embedding", "weight",
                                                                                [](test_case const&) { return true; });
    CHECK(n == count_in_file("nn_f32", "embedding"));
}
