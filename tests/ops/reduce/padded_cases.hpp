// SPDX-License-Identifier: MIT
#pragma once
// The reference cases of reductions with few traced functions: neighbouring axes that are both reduced, or both kept,
// are merged, and axes of length 1 are added, until the shape is (kept, reduced), (kept, reduced, kept) or twice
// (kept, reduced).

#include "ops/reduce_patterns.hpp"

namespace reference {

/// A case as an array whose axes are kept and reduced in turn.
struct alternating_shape {
    std::vector<std::int64_t> lengths;
    alternating_shape(std::vector<std::int64_t> const& shape, std::vector<bool> const& reduced) {
        for (std::size_t k = 0; k < shape.size(); ++k) {
            if (shape[k] == 1) continue;
            if (is_reduced(lengths.size()) != reduced[k]) {  // belongs to the last group
                if (lengths.empty()) lengths.push_back(1), lengths.push_back(shape[k]);
                else lengths.back() *= shape[k];
            } else {
                lengths.push_back(shape[k]);
            }
        }
        while (lengths.size() < 2) lengths.push_back(1);
    }
    static bool is_reduced(std::size_t axis) { return axis % 2 == 1; }

    static alternating_shape of(test_case const& c) {
        auto const& s = c.in("x").shape;
        bool const one = c.has_parameter("axis");
        std::vector<bool> reduced(s.size(), !one && !c.has_parameter("axes"));
        auto mark = [&](std::int64_t a) {
            reduced[static_cast<std::size_t>(a < 0 ? a + static_cast<std::int64_t>(s.size()) : a)] = true;
        };
        if (one) mark(c.integer("axis"));
        else
            for (auto a : axes_of(c)) mark(a);
        return {s, reduced};
    }
};

inline tensor in_shape(tensor t, std::vector<std::int64_t> lengths, std::size_t rank) {
    while (lengths.size() < rank) lengths.push_back(1);
    t.shape = lengths;
    return t;
}
/// The lengths of the axes that are kept.
inline std::vector<std::int64_t> kept_of(alternating_shape const& a) {
    std::vector<std::int64_t> kept;
    for (std::size_t k = 0; k < a.lengths.size(); k += 2) kept.push_back(a.lengths[k]);
    return kept;
}

using rows = reduction<matrix, vector, false, 1>;
using middle = reduction<cube, matrix, false, 1>;
using twice = reduction<shape_pattern<run, run, run, run>, matrix, false, 1, 3>;

template <class T, class Reduction, class Op>
void run_padded_as(test_case const& c, alternating_shape const& a) {
    auto const [dx, out] = ad::grad<0, 1>(weighted_reduction<Op, Reduction>)(
        Reduction::in::template make<T>(in_shape(c.in("x"), a.lengths, Reduction::in::rank)),
        Reduction::out::template make<T>(in_shape(c.cot(), kept_of(a), Reduction::out::rank)));
    CHECK(check_close(c.out(), out, c, "out") == "");
    CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
}

/// Every case of the operation that `accept` takes; float ones in the shape that all others fit into.
template <class T, class Op, class Accept>
std::size_t run_padded_if(Op, std::string_view op, Accept accept) {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("reduce"), op)) {
        if (!accept(c)) continue;
        INFO(c.id << ": " << c.note);
        auto const a = alternating_shape::of(c);
        REQUIRE(a.lengths.size() <= 4);
        if constexpr (std::is_same_v<T, double>) {
            if (a.lengths.size() == 2) run_padded_as<T, rows, Op>(c, a);
            else if (a.lengths.size() == 3) run_padded_as<T, middle, Op>(c, a);
            else run_padded_as<T, twice, Op>(c, a);
        } else {
            run_padded_as<T, twice, Op>(c, a);
        }
        ++n;
    }
    return n;
}
template <class Op>
void run_padded(Op f, std::string_view op) {
    auto all = [](test_case const&) { return true; };
    CHECK(run_padded_if<double>(f, op, all) == count_in_file("reduce", op));
    CHECK(run_padded_if<float>(f, op, all) == count_in_file("reduce_f32", op));
}
/// An operation with a parameter: the first function for the cases where it has the first value, the second for the
/// second.
template <class First, class Second>
void run_padded_with(std::string_view op, std::string const& parameter, double first, double second, First f,
                     Second s) {
    auto has = [&](double value) {
        return [&parameter, value](test_case const& c) {
            auto const& p = c.get_parameter(parameter);
            return (p.type == 'f' ? p.number : static_cast<double>(p.integers.at(0))) == value;
        };
    };
    CHECK(run_padded_if<double>(f, op, has(first)) + run_padded_if<double>(s, op, has(second)) ==
          count_in_file("reduce", op));
    CHECK(run_padded_if<float>(f, op, has(first)) + run_padded_if<float>(s, op, has(second)) ==
          count_in_file("reduce_f32", op));
}

}  // namespace reference
