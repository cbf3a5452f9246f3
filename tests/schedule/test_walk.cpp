// SPDX-License-Identifier: MIT
// Walks: what loops read of an array behind views is what the views show, and windows that are called apart have
// nothing in common.

#include <tapeless/tapeless.hpp>

#include <set>
#include <tuple>
#include <vector>

#include "support/agree.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using namespace tapeless::detail;
using tapeless::max_rank;

namespace {

/// The graph of f as it was traced, for arguments of these types.
template <class F, class... A>
traced graph_of(F const&, A const&...) {
    return oracle::trace_stages<F, wanted::value, A...>(std::integer_sequence<int>{})[0].made;
}

/// The numbers of the elements of x that a view of it shows, by the walk that the scheduler makes; none where it has
/// no walk.
template <class F>
std::vector<std::int64_t> walked(F const& f, ad::tensor<double, ad::dyn, ad::dyn> const& x) {
    traced const t = graph_of(f, x);
    builder const& g = t.graph;
    std::int64_t const given[] = {static_cast<std::int64_t>(x.extents()[0]), static_cast<std::int64_t>(x.extents()[1])};
    std::vector<std::int64_t> extents(given, given + 2);
    for (int i = 2; i < g.extents.size(); ++i) {
        length_formula const& l = g.extents[i].formula;
        auto known = [&](std::int64_t e) { return e >= 0 ? e : extents[static_cast<std::size_t>(~e)]; };
        extents.push_back(l.apply(known(l.a), known(l.b)));
    }
    auto length = [&](std::int64_t e) { return e >= 0 ? e : extents[static_cast<std::size_t>(~e)]; };

    int id = t.outputs[0];
    dims const shape = g.shape_of(id);
    walk_table table;
    walk_map map;
    int loops = 0;
    std::int64_t loop_length[max_rank]{};
    for (int k = shape.rank - 1; k >= 0; --k) {
        map.set(loops, k);
        loop_length[loops++] = length(shape.from_right(k));
    }
    for (; g.nodes[id].kind == node_kind::view; id = g.nodes[id].in[0]) {
        node const& n = g.nodes[id];
        if (n.op->form == view_form::reshape && !axis_split(g, g.shape_of(n.in[0]), g.shape_of(id)).ok) return {};
        map = table.through(g, n, table.within(map, g.shape_of(id), loops), loops);
    }
    REQUIRE(g.nodes[id].kind == node_kind::argument);
    dims const& array = g.shape_of(id);
    std::int64_t stride[max_rank]{};
    for (int k = 0, s = 1; k < array.rank; ++k) {
        stride[k] = s;
        s *= static_cast<int>(length(array.from_right(k)));
    }
    std::int64_t origin = 0;
    if (map.affine >= 0)
        for (int k = 0; k < array.rank; ++k) {
            walk_start const& s = table.walks[map.affine].start[k];
            std::int64_t at = s.number;
            for (int i = 0; i < s.terms; ++i) at += extents[static_cast<std::size_t>(s.extent[i])] * s.factor[i];
            origin += at * stride[k];
        }
    std::vector<std::int64_t> at{origin};
    for (int l = 0; l < loops; ++l) {
        std::vector<std::int64_t> next;
        std::int64_t const step = map.axis(l) == walk_map::none ? 0 : table.step(map, l) * stride[map.axis(l)];
        for (std::int64_t o : at)
            for (std::int64_t i = 0; i < loop_length[l]; ++i) next.push_back(o + i * step);
        at = next;
    }
    return at;
}

/// Checks that walk beside the oracle's view of the numbers 0, 1, 2, ...; false where there is none.
template <class F>
bool walks_as_shown(F const& f, std::size_t n, std::size_t m) {
    ad::tensor<double, ad::dyn, ad::dyn> x(n, m);
    for (std::size_t i = 0; i < n * m; ++i) x.data()[i] = static_cast<double>(i);
    auto const walk = walked(f, x);
    auto const shown = oracle::evaluate(graph_of(f, x), oracle::read_all(x)).at(0);
    if (walk.empty() && shown.size() > 0) return false;
    REQUIRE(walk.size() == shown.size());
    for (std::size_t i = 0; i < walk.size(); ++i) REQUIRE(static_cast<long double>(walk[i]) == shown.real[i]);
    return true;
}

}  // namespace

TEST_CASE("walk: chains of slices, exchanged axes and reshapes lead to the elements they show") {
    for (std::size_t n : {4u, 6u, 12u, 30u})
        for (std::size_t m : {2u, 6u, 8u}) {
            CAPTURE(n, m);
            CHECK(walks_as_shown([](auto x) { return transpose(x); }, n, m));
            CHECK(walks_as_shown([](auto x) { return ad::slice<0, 1, ad::to_end>(transpose(x)); }, n, m));
            CHECK(walks_as_shown([](auto x) { return ad::slice<0, 1, ad::to_end, 2>(x); }, n, m));
            CHECK(walks_as_shown([](auto x) { return ad::flip<0, 1>(x); }, n, m));
            CHECK(walks_as_shown(
                [](auto x) { return ad::slice<1, ad::to_end, ad::to_end, -1>(ad::slice<0, -3, ad::to_end>(x)); }, n,
                m));
            CHECK(walks_as_shown([](auto x) { return transpose(ad::slice<0, -3, -1>(ad::flip<0>(x))); }, n, m));
            CHECK(walks_as_shown(
                [](auto x) { return ad::slice<0, 1, ad::to_end, 3>(ad::slice<0, ad::to_end, 0, -1>(x)); }, n, m));
            CHECK(walks_as_shown([](auto x) { return ad::unsqueeze<1>(ad::narrow<1, 1, 1>(x)); }, n, m));
            CHECK(walks_as_shown([](auto x) { return ad::windows<0, 3>(ad::flip<0>(x)); }, n, m));
            CHECK(walks_as_shown(
                [](auto x) {
                    return ad::slice<-1, 1, 2>(ad::flip<0>(ad::windows<1, 2, 2>(ad::windows<0, 2, 1, 2>(x))));
                },
                n, m));
            CHECK(walks_as_shown(
                [](auto x) { return ad::permute<2, 0, 1>(ad::unsqueeze<1>(ad::slice<0, -2, ad::to_end>(x))); }, n, m));
        }
}

TEST_CASE("walk: an axis cut into two, and slices of the pieces") {
    auto cut = [](auto x) { return ad::reshape<-1, 2, 3>(ad::select<0>(x, 1)); };
    auto inner = [](auto x) { return ad::slice<1, 1, 2>(ad::reshape<-1, 2, 3>(ad::select<0>(x, 1))); };
    auto reversed = [](auto x) {
        return ad::flip<0>(ad::slice<2, 0, 3, 2>(ad::reshape<-1, 2, 3>(ad::flip<0>(ad::select<0>(x, 0)))));
    };
    auto late = [](auto x) {
        return ad::slice<0, -1, ad::to_end>(ad::reshape<-1, 3>(ad::slice<0, -6, ad::to_end>(ad::select<0>(x, 1))));
    };
    for (std::size_t m : {6u, 12u, 18u}) {
        CHECK(walks_as_shown(cut, 3, m));
        CHECK(walks_as_shown(inner, 3, m));
        CHECK(walks_as_shown(reversed, 3, m));
        CHECK(walks_as_shown(late, 3, m));
    }
    // merges axes: only memory can be read so
    CHECK_FALSE(walks_as_shown([](auto x) { return ad::reshape<-1>(x); }, 3, 4));
}

TEST_CASE("walk: where one begins is a sum of lengths, each of them once; a ninth is refused") {
    walk_start s;
    s.add(5, 2);
    s.add(~std::int64_t{3}, 1);
    s.add(~std::int64_t{3}, 4);
    CHECK((s.number == 10 && s.terms == 1 && s.extent[0] == 3 && s.factor[0] == 5));
    walk_start sum;
    sum.add(s, -2);
    CHECK((sum.number == -20 && sum.factor[0] == -10));
    for (int e = 4; e < 11; ++e) s.add(~static_cast<std::int64_t>(e), 1);
    CHECK(s.terms == walk_start::most);
    CHECK_THROWS_AS(s.add(~std::int64_t{20}, 1), char const*);
}

TEST_CASE("walk: an axis is cut where the pieces after it make up its elements") {
    builder b;
    auto shape = [](std::vector<std::int64_t> const& e) {
        dims d;
        for (std::int64_t x : e) d.extent[d.rank++] = x;
        return d;
    };
    auto is_cut = [&](std::vector<std::int64_t> const& from, std::vector<std::int64_t> const& to) {
        axis_split const s(b, shape(from), shape(to));
        if (!s.ok) return false;
        // row-major numbers of an element before and after are the same
        dims const x = shape(from), y = shape(to);
        std::int64_t stride[max_rank]{}, all = 1;
        for (int k = 0; k < x.rank; ++k) {
            stride[k] = all;
            all *= x.from_right(k);
        }
        for (std::int64_t i = 0; i < all; ++i) {
            std::int64_t rest = i, number = 0;
            for (int k = 0; k < y.rank; ++k) {
                if (s.axis[k] >= 0) number += rest % y.from_right(k) * s.factor[k] * stride[s.axis[k]];
                rest /= y.from_right(k);
            }
            if (number != i) return false;
        }
        return true;
    };
    CHECK(is_cut({12}, {3, 4}));
    CHECK(is_cut({12, 5}, {3, 2, 2, 5}));
    CHECK(is_cut({6, 1, 4}, {1, 2, 3, 1, 2, 2}));
    CHECK(is_cut({4, 6}, {2, 2, 6}));
    CHECK(is_cut({1}, {1, 1}));
    CHECK_FALSE(is_cut({3, 4}, {12}));
    CHECK_FALSE(is_cut({3, 4}, {4, 3}));
    CHECK_FALSE(is_cut({0, 4}, {2, 0}));
}

namespace {

/// Windows into an array of 7 by 6 elements: from `start` on, so many, `step` apart, along each axis.
struct window {
    std::int64_t start[2], length[2], step[2];
    std::set<std::int64_t> places() const {
        std::set<std::int64_t> r;
        for (std::int64_t i = 0; i < length[0]; ++i)
            for (std::int64_t j = 0; j < length[1]; ++j)
                r.insert((start[0] + i * step[0]) * 6 + start[1] + j * step[1]);
        return r;
    }
    window_box box() const {
        window_box w;
        for (int k = 0; k < max_rank; ++k) w.length[k] = w.step[k] = 1;
        for (int a = 0; a < 2; ++a) {
            w.start[1 - a] = start[a];
            w.length[1 - a] = length[a];
            w.step[1 - a] = step[a];
        }
        return w;
    }
};

}  // namespace

TEST_CASE("walk: windows that are called apart have no place in common, and those of plain slices are called so") {
    std::vector<window> all;
    for (std::int64_t s0 : {0, 2, 5})
        for (std::int64_t n0 : {0, 1, 2})
            for (std::int64_t s1 : {0, 3, 4})
                for (std::int64_t n1 : {1, 2})
                    for (auto [d0, d1] : {std::pair{1, 1}, std::pair{-1, 1}, std::pair{1, -1}}) {
                        window const w{{s0, s1}, {n0, n1}, {d0, d1}};
                        if (s0 + d0 * (n0 - 1) < 0 || s1 + d1 * (n1 - 1) < 0) continue;
                        all.push_back(w);
                    }
    builder const b;
    int apart = 0;
    for (window const& v : all)
        for (window const& w : all) {
            bool common = false;
            std::set<std::int64_t> const there = w.places();
            for (std::int64_t p : v.places()) common = common || there.count(p);
            bool const says_apart = are_apart(b, v.box(), w.box());
            REQUIRE_FALSE((says_apart && common));
            bool const plain = v.step[0] == 1 && v.step[1] == 1 && w.step[0] == 1 && w.step[1] == 1 &&
                               v.length[0] > 0 && w.length[0] > 0;
            if (plain) REQUIRE(says_apart == !common);
            apart += says_apart;
        }
    CHECK(apart > 500);
}
