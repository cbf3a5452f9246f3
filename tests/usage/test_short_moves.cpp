// SPDX-License-Identifier: MIT
// Functions that move elements, of matrices with 0, 1, 2 and 3 rows and columns.

#include "ops/shape/places.hpp"

using namespace moves;

namespace {

/// f of a matrix of every size gives what `expected` (of the matrix' places) says.
template <std::size_t Rank = 2, class F, class Expected>
void sweep(F f, Expected expected, std::int64_t least_rows = 0, std::int64_t least_columns = 0) {
    for (std::int64_t n = least_rows; n < 4; ++n)
        for (std::int64_t m = least_columns; m < 4; ++m) {
            CAPTURE(n, m);
            places const p = expected(places::all({n, m}));
            auto const x = filled<double, dyn, dyn>({n, m}, 1);
            if constexpr (Rank == 1) check_moves(f, p, filled<double, dyn>(p.shape, 1), x);
            else if constexpr (Rank == 2) check_moves(f, p, filled<double, dyn, dyn>(p.shape, 1), x);
            else check_moves(f, p, filled<double, dyn, dyn, dyn>(p.shape, 1), x);
        }
}
std::int64_t half(std::int64_t n) { return (n + 1) / 2; }

}  // namespace

TEST_CASE("short axes: transpose, flatten and unsqueeze") {
    sweep([](auto x) { return transpose(x); }, [](places const& p) { return p.permuted({1, 0}); });
    sweep<1>([](auto x) { return ad::flatten(x); },
             [](places const& p) { return p.with_shape({p.shape[0] * p.shape[1]}); });
    sweep<1>([](auto x) { return ad::flatten(transpose(x)); },
             [](places const& p) { return p.permuted({1, 0}).with_shape({p.shape[0] * p.shape[1]}); });
    sweep<3>([](auto x) { return ad::unsqueeze<1>(x); },
             [](places const& p) { return p.with_shape({p.shape[0], 1, p.shape[1]}); });
}

TEST_CASE("short axes: slices from the front, from the back, of every second element, beyond the end") {
    sweep([](auto x) { return ad::slice<0, 0, ad::to_end, 2>(x); },
          [](places const& p) { return p.taken(0, 0, half(p.shape[0]), 2); });
    sweep([](auto x) { return ad::slice<1, ad::to_end, ad::to_end, -2>(x); },
          [](places const& p) { return p.taken(1, p.shape[1] - 1, half(p.shape[1]), -2); });
    sweep([](auto x) { return ad::slice<0, 1, -1>(x); },
          [](places const& p) { return p.taken(0, 1, std::max<std::int64_t>(0, p.shape[0] - 2)); });
    sweep([](auto x) { return ad::slice<1, -2, 7>(x); }, [](places const& p) {
        auto const count = std::min<std::int64_t>(2, p.shape[1]);
        return p.taken(1, p.shape[1] - count, count);
    });
}

TEST_CASE("short axes: narrow and select where there are enough elements") {
    sweep([](auto x) { return ad::narrow<0, 1, 1>(x); }, [](places const& p) { return p.taken(0, 1, 1); }, 2);
    sweep<1>([](auto x) { return ad::select<1>(x, -1); },
             [](places const& p) { return p.taken(1, p.shape[1] - 1, 1).with_shape({p.shape[0]}); }, 0, 1);
}

TEST_CASE("short axes: concat, stack, tile and pad") {
    sweep([](auto x) { return ad::concat<0>(x, ad::flip<0>(x)); },
          [](places const& p) { return p.then(0, p.flipped(0)); });
    sweep([](auto x) { return ad::concat<1>(x, ad::flip<1>(x)); },
          [](places const& p) { return p.then(1, p.flipped(1)); });
    sweep<3>([](auto x) { return ad::stack<1>(x, ad::flip<0>(x)); }, [](places const& p) {
        lengths const one{p.shape[0], 1, p.shape[1]};
        return p.with_shape(one).then(1, p.flipped(0).with_shape(one));
    });
    sweep([](auto x) { return ad::tile<2, 3>(x); }, [](places const& p) {
        places const wide = p.then(1, p).then(1, p);
        return wide.then(0, wide);
    });
    sweep([](auto x) { return ad::pad<1, 0, 2, 1>(x); },
          [](places const& p) { return p.padded(0, 1, 0).padded(1, 2, 1); });
}

TEST_CASE("short axes: tril, triu and diagonal") {
    auto triangle = [](places const& p, auto keep) {
        return places::from(p.shape, [&](lengths const& i) { return keep(i[0], i[1]) ? p(i) : -1; });
    };
    sweep([](auto x) { return ad::tril(x, -1); },
          [&](places const& p) { return triangle(p, [](auto i, auto j) { return j <= i - 1; }); });
    sweep([](auto x) { return ad::triu(x, 1); },
          [&](places const& p) { return triangle(p, [](auto i, auto j) { return j >= i + 1; }); });
    sweep<1>([](auto x) { return ad::diagonal<1>(x); }, [](places const& p) {
        auto const count = std::max<std::int64_t>(0, std::min(p.shape[0], p.shape[1] - 1));
        return places::from({count}, [&](lengths const& i) { return p({i[0], i[0] + 1}); });
    });
}
