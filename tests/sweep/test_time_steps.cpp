// SPDX-License-Identifier: MIT
// Simulations whose time steps are written out with slices, and the same in a loop, at all lengths: beside the oracle
// and beside loops by hand; and how many passes over the grid a step takes.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "oracle/numbers.hpp"
#include "support/sweep.hpp"

using oracle::sweep;

namespace {

constexpr int steps = 3;

constexpr auto curvature = [](auto u) {
    return ad::slice<0, 0, -2>(u) - 2.0 * ad::slice<0, 1, -1>(u) + ad::slice<0, 2, ad::to_end>(u);
};
constexpr auto step_by_pad = [](auto u) { return ad::let(u + ad::pad<1, 1>(0.2 * curvature(u))); };
/// The ends stay as they are.
constexpr auto step_by_concat = [](auto u) {
    return ad::let(ad::concat<0>(ad::slice<0, 0, 1>(u), ad::slice<0, 1, -1>(u) + 0.2 * curvature(u),
                                 ad::slice<0, -1, ad::to_end>(u)));
};
/// Upwind, end to end: what flows back is moved with its sign.
constexpr auto step_by_roll = [](auto u) { return ad::let(u - 0.3 * (u - ad::roll<0>(u, 1))); };
constexpr auto step_of_plane = [](auto u) {
    auto const rows = ad::slice<0, 1, -1>(u);
    auto const columns = ad::slice<1, 1, -1>(u);
    return ad::let(u + ad::pad<1, 1, 1, 1>(0.1 * (ad::slice<0, 0, -2>(columns) + ad::slice<0, 2, ad::to_end>(columns) +
                                                  ad::slice<1, 0, -2>(rows) + ad::slice<1, 2, ad::to_end>(rows) -
                                                  4.0 * ad::slice<1, 1, -1>(rows))));
};
/// Not linear: the fluxes between cells, one fewer than those.
constexpr auto step_of_fluxes = [](auto u) {
    auto const f = ad::let(0.25 * square(u));
    auto const flux = ad::let(ad::slice<0, 0, -1>(f) + ad::slice<0, 1, ad::to_end>(f) +
                              0.2 * (ad::slice<0, 0, -1>(u) - ad::slice<0, 1, ad::to_end>(u)));
    return ad::let(u + 0.2 * (ad::pad<1, 0>(flux) - ad::pad<0, 1>(flux)));
};

template <auto Step>
constexpr auto written_out = [](auto u) {
    for (int i = 0; i < steps; ++i) u = Step(u);
    return sum(square(u) * (1.0 + u));
};
template <auto Step>
constexpr auto in_a_loop = [](auto u) {
    auto const last = ad::fold<steps>([](auto x) { return Step(x); }, u);
    return sum(square(last) * (1.0 + last));
};
/// Two states, of which one is what the other was a step before.
constexpr auto wave = [](auto u, auto before) {
    for (int i = 0; i < steps; ++i) {
        auto const next = ad::let(2.0 * u - before + ad::pad<1, 1>(0.3 * curvature(u)));
        before = u;
        u = next;
    }
    return sum(square(u)) + sum(before * u);
};
/// What is between zeros, with other slices of it, and the ends by themselves.
constexpr auto ends_apart = [](auto u) {
    auto const inside = ad::let(ad::pad<1, 1>(tanh(ad::slice<0, 1, -1>(u))));
    auto const more = ad::slice<0, 0, 1>(u) * ad::slice<0, -1, ad::to_end>(u);
    return sum(square(inside + u) * u) + sum(ad::slice<0, 0, -1>(inside) * ad::slice<0, 1, ad::to_end>(u)) + sum(more);
};

/// Of grids with two elements more, for with fewer there are no steps.
template <auto F>
constexpr auto of_line = [](auto... x) { return F(ad::let(ad::pad<1, 1>(x) + 0.1)...); };
template <auto F>
constexpr auto of_plane = [](auto x) { return F(ad::let(ad::pad<1, 1, 1, 1>(x) + 0.1)); };

/// Three steps of heat by hand, and back.
template <class T>
T heat_by_hand(std::vector<T>& gradient, std::vector<T> u) {
    std::size_t const n = u.size();
    for (int s = 0; s < steps; ++s) {
        std::vector<T> next = u;
        for (std::size_t i = 1; i + 1 < n; ++i) next[i] += T(0.2) * (u[i - 1] - 2 * u[i] + u[i + 1]);
        u = next;
    }
    T loss = 0;
    gradient.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        loss += u[i] * u[i] * (1 + u[i]);
        gradient[i] = 2 * u[i] + 3 * u[i] * u[i];
    }
    for (int s = 0; s < steps; ++s) {
        std::vector<T> back = gradient;
        for (std::size_t i = 1; i + 1 < n; ++i) {
            T const g = T(0.2) * gradient[i];
            back[i - 1] += g, back[i] -= 2 * g, back[i + 1] += g;
        }
        gradient = back;
    }
    return loss;
}
template <class T>
double worst_of_heat(auto f, std::size_t n) {
    std::vector<T> u(n), expected;
    for (std::size_t i = 0; i < n; ++i) u[i] = static_cast<T>(0.4 * std::sin(0.7 * static_cast<double>(i)) + 0.01);
    auto const [value, got] = ad::value_and_grad<0>(f)(u);
    T const loss = heat_by_hand(expected, u);
    double worst = std::abs(static_cast<double>(value - loss)) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::abs(static_cast<double>(got[i] - expected[i])));
    return worst;
}

}  // namespace

TEST_CASE("sweep: time steps: the library and the oracle agree at all lengths, written out") {
    CHECK(sweep<"n", 0>(of_line<written_out<step_by_pad>>, {.most = 4000}) == "");
    CHECK(sweep<"n", 0>(of_line<written_out<step_by_roll>>, {.most = 4000}) == "");
    CHECK(sweep<"nm", 0>(of_plane<written_out<step_of_plane>>, {.most = 2000}) == "");
    CHECK(sweep<"n", 0>(of_line<written_out<step_of_fluxes>>, {.most = 4000}) == "");
    CHECK(sweep<"n,n", 0, 1>(of_line<wave>, {.most = 4000}) == "");
    CHECK(sweep<"n", 0>(of_line<ends_apart>, {.most = 4000}) == "");
}

TEST_CASE("sweep: time steps: the library and the oracle agree at all lengths, in a loop") {
    CHECK(sweep<"n", 0>(of_line<in_a_loop<step_by_pad>>, {.most = 4000}) == "");
    CHECK(sweep<"n", 0>(of_line<in_a_loop<step_by_roll>>, {.most = 4000}) == "");
}

TEST_CASE("sweep: time steps: those by concat are those by pad, also where there is no middle") {
    for (int length : {2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1023, 1024, 1025}) {
        CAPTURE(length);
        auto const n = static_cast<std::size_t>(length);
        CHECK(worst_of_heat<double>(written_out<step_by_pad>, n) < 1e-14);
        CHECK(worst_of_heat<double>(written_out<step_by_concat>, n) < 1e-14);
        CHECK(worst_of_heat<float>(written_out<step_by_pad>, n) < 1e-6);
        CHECK(worst_of_heat<float>(written_out<step_by_concat>, n) < 1e-6);
    }
}

TEST_CASE("sweep: time steps: one pass over the grid a step, forwards and back") {
    using line = ad::tensor<double, 1000>;
    using plane = ad::tensor<double, 40, 50>;
    auto const kernels = []<class... A>(auto step, std::type_identity<A>...) {
        return decltype(step)::template plan<A...>().kernels();
    };
    auto const along = [&](auto f) { return kernels(ad::value_and_grad<0>(f), std::type_identity<line>{}); };
    // the last step forwards is in the pass that makes the loss and what flows back from it
    CHECK(along(written_out<step_by_pad>) == 2 * steps);
    CHECK(along(written_out<step_by_roll>) == 2 * steps);
    CHECK(kernels(ad::value_and_grad<0>(written_out<step_of_plane>), std::type_identity<plane>{}) == 2 * steps);
    CHECK(kernels(ad::value_and_grad<0>(wave), std::type_identity<line>{}, std::type_identity<line>{}) == 2 * steps);
    // the two ends by themselves, in one kernel, and their cotangents
    CHECK(along(written_out<step_by_concat>) <= 4 * steps);
}
