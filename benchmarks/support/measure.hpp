// SPDX-License-Identifier: MIT
#pragma once
// Times two functions that do the same, turn by turn, so that a machine that slows down slows down both.

#include <nanobench.h>

#include <algorithm>
#include <cstdint>
#include <vector>

struct timing {
    double library = 0, handwritten = 0;  ///< nanoseconds a call, the median over all turns
};

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

template <class Library, class Handwritten>
timing measure(Library&& library, Handwritten&& handwritten) {
    constexpr double seconds_a_turn = 0.02;
    auto const calls_for = [](double seconds) {
        return static_cast<std::uint64_t>(std::clamp(seconds_a_turn / std::max(seconds, 1e-9), 1.0, 1e6));
    };
    double guess = turn(library, 1);
    guess = turn(library, std::min<std::uint64_t>(calls_for(guess), 1000));
    std::uint64_t const calls = calls_for(guess);
    turn(handwritten, calls);
    int const turns = static_cast<int>(std::clamp(0.25 / (static_cast<double>(calls) * guess), 5.0, 21.0));
    std::vector<double> one, other;
    for (int i = 0; i < turns; ++i) {
        one.push_back(turn(library, calls));
        other.push_back(turn(handwritten, calls));
    }
    return {median(one) * 1e9, median(other) * 1e9};
}
