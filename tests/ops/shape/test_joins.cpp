// SPDX-License-Identifier: MIT
// Arrays joined, parted, padded and rolled, element by element.

#include "ops/shape/places.hpp"

using namespace moves;

TEST_CASE("concat: an array with itself, and two overlapping slices of one") {
    auto twice = [](auto x) { return ad::concat<0>(x, x); };
    auto shifted = [](auto x) { return ad::concat<0>(ad::slice<0, 1, ad::to_end>(x), ad::slice<0, 0, -1>(x)); };
    for (std::int64_t n : {0, 1, 2, 9}) {
        CAPTURE(n);
        auto const x = filled<double, dyn>({n}, 1);
        auto const all = places::all({n});
        std::int64_t const less = n > 0 ? n - 1 : 0;
        check_moves(twice, all.then(0, all), filled<double, dyn>({2 * n}, 1), x);
        check_moves(shifted, all.taken(0, 1, less).then(0, all.taken(0, 0, less)), filled<double, dyn>({2 * less}, 1),
                    x);
    }
}

TEST_CASE("concat: parts that are views, and slices of what was joined, across the seam and inside a part") {
    auto const a = places::all({3, 4}), b = places::all({2, 7}, 12);
    check_moves(
        [](auto x, auto y) {
            return ad::concat<1>(transpose(x), ad::slice<1, ad::to_end, ad::to_end, -2>(ad::concat<0>(y, y)));
        },
        a.permuted({1, 0}).then(1, b.then(0, b).taken(1, 6, 4, -2)), filled<double, 4, 7>({4, 7}, 1),
        filled<double, 3, 4>({3, 4}, 1), filled<double, 2, 7>({2, 7}, 13));
    auto across = [](auto x, auto y) { return ad::slice<0, 1, -1>(ad::concat<0>(x, y)); };
    for (auto [n, m] : {std::pair{3, 4}, std::pair{0, 5}, std::pair{5, 0}, std::pair{1, 1}, std::pair{0, 0}}) {
        CAPTURE(n, m);
        auto const both = places::all({n + m});
        std::int64_t const rest = std::max(0, n + m - 2);
        check_moves(across, both.taken(0, 1, rest), filled<double, dyn>({rest}, 1), filled<double, dyn>({n}, 1),
                    filled<double, dyn>({m}, n + 1));
    }
    check_moves([](auto x, auto y) { return ad::slice<0, 1, 3>(ad::concat<0>(x, y)); }, places::all({4}).taken(0, 1, 2),
                filled<float, 2>({2}, 1), filled<float, 4>({4}, 1), filled<float, 3>({3}, 5));
}

TEST_CASE("stack and split: parts put together in another order, rows and columns picked") {
    auto const x = places::all({3, 6});
    check_moves(
        [](auto a) {
            auto [p, q, r] = ad::split<1, 1, 3, 2>(a);
            return ad::concat<-1>(r, p, q, p);
        },
        x.taken(1, 4, 2).then(1, x.taken(1, 0, 1)).then(1, x.taken(1, 1, 3)).then(1, x.taken(1, 0, 1)),
        filled<double, dyn, 7>({3, 7}, 1), filled<double, dyn, dyn>({3, 6}, 1));
    check_moves(
        [](auto a) {
            return ad::stack<1>(ad::select<0>(a, 2), ad::select<0>(a, -3), ad::select<0>(ad::flip<0>(a), 0));
        },
        places::from({6, 3}, [](lengths const& i) { return (i[1] == 1 ? 0 : 12) + i[0]; }),
        filled<double, 6, 3>({6, 3}, 1), filled<double, 3, 6>({3, 6}, 1));
    check_moves([](auto a) { return ad::concat<0>(ad::unsqueeze<0>(a), ad::expand<2>(a)); },
                places::from({3}, [](lengths const&) { return 0; }), filled<double, 3>({3}, 1), filled<double>({}, 7));
}

TEST_CASE("pad: of what is padded, joined or sliced, and slices of it") {
    auto const x = places::all({2, 3});
    check_moves([](auto a) { return ad::pad<1, 0, 0, 2>(ad::pad<0, 1, 1, 0>(a)); }, x.padded(0, 1, 1).padded(1, 1, 2),
                filled<double, dyn, dyn>({4, 6}, 1), filled<double, dyn, dyn>({2, 3}, 1));
    check_moves([](auto a) { return ad::slice<1, 1, -1>(ad::pad<1, 1, 2, 2>(transpose(a))); },
                x.permuted({1, 0}).padded(0, 1, 1).padded(1, 1, 1), filled<double, 5, 4>({5, 4}, 1),
                filled<double, 2, 3>({2, 3}, 1));
    check_moves([](auto a) { return ad::pad<0, 1, 1, 1>(ad::concat<1>(ad::slice<1, 1, 3>(a), ad::flip<0, 1>(a))); },
                x.taken(1, 1, 2).then(1, x.flipped(0).flipped(1)).padded(0, 0, 1).padded(1, 1, 1),
                filled<double, 3, 7>({3, 7}, 1), filled<double, 2, 3>({2, 3}, 1));
    check_moves([](auto a) { return ad::pad<>(a); }, places::all({}), 3.0, 7.0);
}

TEST_CASE("roll: by more than the length and backwards, also of nothing") {
    auto forth = [](auto x) { return ad::roll<0>(x, 7); };
    auto back = [](auto x) { return ad::roll<0>(ad::slice<0, 0, ad::to_end>(x), -2); };
    for (std::int64_t n : {0, 1, 2, 5, 7, 11}) {
        CAPTURE(n);
        auto const x = filled<double, dyn>({n}, 1);
        check_moves(forth, places::from({n}, [&](lengths const& i) { return (i[0] + 7 * n - 7) % n; }), x, x);
        check_moves(back, places::from({n}, [&](lengths const& i) { return (i[0] + 2) % n; }), x, x);
    }
    check_moves([](auto x) { return ad::roll<-1>(ad::roll<0>(x, 1), 2); },
                places::from({3, 4}, [](lengths const& i) { return (i[0] + 2) % 3 * 4 + (i[1] + 2) % 4; }),
                filled<double, 3, 4>({3, 4}, 1), filled<double, 3, 4>({3, 4}, 1));
}

TEST_CASE("integers and masks: joined, sliced, padded and rolled like numbers") {
    ad::tensor<std::int32_t, dyn> const a{1, 2, 3};
    ad::tensor<std::int32_t, dyn> const b{7, 8, 9, 10};
    auto ints = ad::evaluate(
        [](auto x, auto y) { return ad::pad<1, 0>(ad::concat<0>(ad::slice<0, 1, ad::to_end>(x), ad::flip<0>(y)), 5); },
        a, b);
    static_assert(std::is_same_v<decltype(ints)::value_type, std::int32_t>);
    CHECK(numbers(ints) == std::vector<double>{5, 2, 3, 10, 9, 8, 7});

    ad::tensor<double, 4> const x{1, -2, 3, -4};
    auto const kept = ad::evaluate(
        [](auto v) {
            auto positive = v > 0.0;
            return where(ad::concat<0>(ad::slice<0, 2, 4>(positive), ad::roll<0>(ad::slice<0, 0, 2>(positive), 1)), v,
                         10.0 * v);
        },
        x);
    CHECK(numbers(kept) == std::vector<double>{1, -20, 30, -4});

    ad::tensor<bool, dyn> flags(3);
    flags(0) = true;
    auto const around =
        ad::evaluate([](auto m) { return ad::concat<0>(!m, ad::pad<1, 0>(ad::flip<0>(m), 1.0)); }, flags);
    CHECK(numbers(around) == std::vector<double>{0, 1, 1, 1, 0, 0, 1});
}

TEST_CASE("half: joined, padded and rolled like numbers") {
    ad::tensor<ad::half, 3> x;
    for (int i = 0; i < 3; ++i) x(i) = ad::half(static_cast<float>(i + 1));
    ad::tensor<float, 7> const w{1, 2, 3, 4, 5, 6, 7};
    auto const [dx, out] = ad::grad<0, 1>(
        [](auto a, auto c) { return sum(ad::concat<0>(ad::roll<0>(a, 1), ad::pad<0, 1>(ad::flip<0>(a))) * c); })(x, w);
    CHECK(numbers(out) == std::vector<double>{3, 1, 2, 3, 2, 1, 0});
    for (int i = 0; i < 3; ++i)
        CHECK(static_cast<float>(dx(i)) == std::vector<float>{2 + 6, 3 + 5, 1 + 4}[static_cast<std::size_t>(i)]);
}
