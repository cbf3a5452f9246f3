// SPDX-License-Identifier: MIT
#pragma once
// Times functions that do the same, turn by turn, so that a machine that slows down slows down all of them.

#include <nanobench.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

inline double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v.size() % 2 ? v[v.size() / 2] : (v[v.size() / 2 - 1] + v[v.size() / 2]) / 2;
}

/// One turn of nanobench: seconds a call.
template <class F>
double turn(F&& f, std::uint64_t calls) {
    ankerl::nanobench::Bench bench;
    bench.output(nullptr).performanceCounters(false).relative(false).epochs(1).epochIterations(calls);
    bench.run([&] { ankerl::nanobench::doNotOptimizeAway(f()); });
    return bench.results().back().median(ankerl::nanobench::Result::Measure::elapsed);
}

/// Seconds a call of each function in turns that they take one after the other.
template <class... F>
std::array<std::vector<double>, sizeof...(F)> turns_of_each(F&&... f) {
    constexpr double seconds_a_turn = 0.02;
    auto const calls_for = [](double seconds) {
        return static_cast<std::uint64_t>(std::clamp(seconds_a_turn / std::max(seconds, 1e-9), 1.0, 1e6));
    };
    double longest = 0;  // turn of all
    auto const calls_of = [&](auto& g) {
        double guess = turn(g, 1);
        guess = turn(g, std::min<std::uint64_t>(calls_for(guess), 1000));
        std::uint64_t const calls = calls_for(guess);
        longest = std::max(longest, static_cast<double>(calls) * turn(g, calls));
        return calls;
    };
    std::array<std::uint64_t, sizeof...(F)> const calls{calls_of(f)...};
    int const turns = static_cast<int>(std::clamp(0.25 / longest, 5.0, 21.0));
    std::array<std::vector<double>, sizeof...(F)> seconds;
    for (int i = 0; i < turns; ++i) {
        std::size_t k = 0;
        ((seconds[k].push_back(turn(f, calls[k])), ++k), ...);
    }
    return seconds;
}

/// Nanoseconds a call of each function: medians over the turns.
template <class... F>
std::array<double, sizeof...(F)> measure_each(F&&... f) {
    auto const seconds = turns_of_each(f...);
    std::array<double, sizeof...(F)> ns;
    for (std::size_t k = 0; k < ns.size(); ++k) ns[k] = median(seconds[k]) * 1e9;
    return ns;
}
/// Nanoseconds a call of each function: the shortest turn, for functions too quick to be timed alone.
template <class... F>
std::array<double, sizeof...(F)> shortest_turn_of_each(F&&... f) {
    auto const seconds = turns_of_each(f...);
    std::array<double, sizeof...(F)> ns;
    for (std::size_t k = 0; k < ns.size(); ++k) ns[k] = *std::min_element(seconds[k].begin(), seconds[k].end()) * 1e9;
    return ns;
}
/// Nanoseconds a call of each function: the least of many calls by turns, for ratios on a machine that others use too.
template <class... F>
std::array<double, sizeof...(F)> least_of_each(F&&... f) {
    std::array<double, sizeof...(F)> ns;
    ns.fill(1e18);
    double spent = 0;
    for (int i = 0; i < 5 || (spent < 2e9 && i < 400); ++i) {
        std::size_t k = 0;
        auto one = [&](auto& g) {
            double const t = turn(g, 1) * 1e9;
            spent += t;
            ns[k] = std::min(ns[k], t);
            ++k;
        };
        (one(f), ...);
    }
    return ns;
}
