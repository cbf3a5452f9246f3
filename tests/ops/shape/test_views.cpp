// SPDX-License-Identifier: MIT
// Views of views, element by element.

#include "ops/shape/places.hpp"

using namespace moves;

TEST_CASE("views: a slice of a transpose, and its gradient, stand at the operand's own places") {
    check_moves([](auto x) { return ad::slice<0, 1, 3>(transpose(x)); },
                places::all({3, 4}).permuted({1, 0}).taken(0, 1, 2), filled<double, 2, 3>({2, 3}, 1),
                filled<double, 3, 4>({3, 4}, 1));
    check_moves(
        [](auto x) {
            return ad::slice<0, 1, ad::to_end, 2>(permute<2, 0, 1>(ad::slice<1, ad::to_end, ad::to_end, -1>(x)));
        },
        places::all({2, 3, 5}).flipped(1).permuted({2, 0, 1}).taken(0, 1, 2, 2),
        filled<double, dyn, dyn, dyn>({2, 2, 3}, 1), filled<double, dyn, dyn, dyn>({2, 3, 5}, 1));
}

TEST_CASE("views: reshapes of permuted, sliced and stretched arrays") {
    check_moves([](auto x) { return ad::reshape<6, 4>(permute<2, 0, 1>(x)); },
                places::all({2, 3, 4}).permuted({2, 0, 1}).with_shape({6, 4}), filled<double, 6, 4>({6, 4}, 1),
                filled<double, 2, 3, 4>({2, 3, 4}, 1));
    check_moves([](auto x) { return ad::reshape<-1, 3>(ad::slice<0, 1, -1, 2>(x)); },
                places::all({8, 6}).taken(0, 1, 3, 2).with_shape({6, 3}), filled<double, dyn, 3>({6, 3}, 1),
                filled<double, dyn, 6>({8, 6}, 1));
    check_moves([](auto x) { return transpose(ad::slice<1, ad::to_end, ad::to_end, -2>(ad::reshape<6, 4>(x))); },
                places::all({2, 3, 4}).with_shape({6, 4}).taken(1, 3, 2, -2).permuted({1, 0}),
                filled<double, 2, 6>({2, 6}, 1), filled<double, 2, 3, 4>({2, 3, 4}, 1));
    check_moves([](auto x) { return ad::flatten(ad::expand<3, 2, 2>(ad::unsqueeze<-1>(x))); },
                places::from({12}, [](lengths const& i) { return i[0] / 2 % 2; }), filled<double, 12>({12}, 1),
                filled<double, 2>({2}, 1));
    check_moves([](auto x) { return ad::slice<1, 1, 5>(ad::tile<2, 2>(ad::slice<1, 1, 4>(x))); },
                places::from({4, 4}, [](lengths const& i) { return i[0] % 2 * 4 + (i[1] + 1) % 3 + 1; }),
                filled<double, 4, 4>({4, 4}, 1), filled<double, 2, 4>({2, 4}, 1));
}

TEST_CASE("views: four of them, one in another, over run-time lengths") {
    check_moves(
        [](auto x) {
            return ad::slice<0, -4, -1>(ad::flip<0>(ad::slice<0, 1, ad::to_end, 2>(ad::slice<0, 2, -1>(x))));
        },
        places::all({17}).taken(0, 2, 14).taken(0, 1, 7, 2).flipped(0).taken(0, 3, 3), filled<double, dyn>({3}, 1),
        filled<double, dyn>({17}, 1));
    check_moves([](auto x) { return ad::select<0>(ad::select<1>(ad::slice<2, -3, ad::to_end>(x), -2), 1); },
                places::all({2, 4, 5}).taken(2, 2, 3).taken(1, 2, 1).taken(0, 1, 1), filled<double, dyn>({3}, 1),
                filled<double, dyn, dyn, dyn>({2, 4, 5}, 1));
    check_moves([](auto x) { return ad::reshape<2, -1, 2>(ad::flip<0, 1>(ad::reshape<-1, 4>(transpose(x)))); },
                places::all({4, 6}).permuted({1, 0}).with_shape({6, 4}).flipped(0).flipped(1).with_shape({2, 6, 2}),
                filled<double, 2, dyn, 2>({2, 6, 2}, 1), filled<double, dyn, dyn>({4, 6}, 1));
}

TEST_CASE("views: bounds beyond the axis mean its end, and a slice may be of nothing") {
    auto clipped = [](auto x) { return ad::slice<0, -9, 5>(x); };
    auto backwards = [](auto x) { return ad::slice<0, 9, -9, -3>(x); };
    auto tail = [](auto x) { return ad::slice<0, 4, ad::to_end>(x); };
    for (std::int64_t n : {0, 1, 3, 4, 5, 8}) {
        CAPTURE(n);
        auto const all = places::all({n});
        auto const x = filled<double, dyn>({n}, 1);
        std::int64_t const few = std::min<std::int64_t>(n, 5), rest = n > 4 ? n - 4 : 0,
                           from = std::min<std::int64_t>(n - 1, 9);
        check_moves(clipped, all.taken(0, 0, few), filled<double, dyn>({few}, 1), x);
        check_moves(backwards, all.taken(0, from, (n + 2) / 3, -3), filled<double, dyn>({(n + 2) / 3}, 1), x);
        check_moves(tail, all.taken(0, 4, rest), filled<double, dyn>({rest}, 1), x);
    }
}

TEST_CASE("diagonal: of square, wide and tall matrices, above and below, also of several and of run-time lengths") {
    check_moves([](auto x) { return ad::diagonal(x); },
                places::from({2, 3}, [](lengths const& i) { return i[0] * 15 + i[1] * 6; }),
                filled<double, 2, 3>({2, 3}, 1), filled<double, 2, 3, 5>({2, 3, 5}, 1));
    auto below = [](auto x) { return ad::diagonal<-1>(x); };
    auto above = [](auto x) { return ad::diagonal<2>(x); };
    check_moves(below, places::from({3}, [](lengths const& i) { return (i[0] + 1) * 3 + i[0]; }),
                filled<double, 3>({3}, 1), filled<double, 5, 3>({5, 3}, 1));
    for (auto const& size : {std::pair{4, 4}, std::pair{5, 3}, std::pair{2, 6}, std::pair{3, 1}, std::pair{0, 4}}) {
        int const rows = size.first, columns = size.second;
        CAPTURE(rows, columns);
        auto const x = filled<double, dyn, dyn>({rows, columns}, 1);
        auto const first = std::max(0, std::min(rows - 1, columns)), second = std::max(0, std::min(rows, columns - 2));
        check_moves(below, places::from({first}, [&](lengths const& i) { return (i[0] + 1) * columns + i[0]; }),
                    filled<double, dyn>({first}, 1), x);
        check_moves(above, places::from({second}, [&](lengths const& i) { return i[0] * columns + i[0] + 2; }),
                    filled<double, dyn>({second}, 1), x);
    }
}

TEST_CASE("triu: what is below a diagonal is zero, whatever it was") {
    check_moves([](auto x) { return ad::triu(ad::slice<1, 1, ad::to_end>(x), -1); },
                places::from({4, 3}, [](lengths const& i) { return i[1] >= i[0] - 1 ? i[0] * 4 + i[1] + 1 : -1; }),
                filled<float, 4, 3>({4, 3}, 1), filled<float, 4, 4>({4, 4}, 1));
}
