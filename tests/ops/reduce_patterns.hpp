// SPDX-License-Identifier: MIT
#pragma once
// The reference cases of the reductions, by rank, axes and keepdims.

#include "ops/binary_patterns.hpp"

namespace reference {

/// Op::reduce<Axis...>(x) of an array of pattern In, the result of pattern Out; no axes: all of them.
template <class In, class Out, bool Keep, int... Axis>
struct reduction {
    using in = In;
    using out = Out;
    static bool matches(std::vector<std::int64_t> const& shape, bool keep, std::vector<std::int64_t> const& axes) {
        return In::matches(shape) && keep == Keep && axes == std::vector<std::int64_t>{Axis...};
    }
    template <class Op>
    static constexpr auto apply(Op op, auto const& x) {
        if constexpr (Keep) return op.template operator()<Axis...>(x, ad::keepdims);
        else return op.template operator()<Axis...>(x);
    }
};
template <class Op, class Reduction>
inline constexpr auto weighted_reduction = [](auto x, auto cot) { return sum(Reduction::apply(Op{}, x) * cot); };

/// The axes of a case as the file names them; none: all.
inline std::vector<std::int64_t> axes_of(test_case const& c) {
    return c.has_parameter("axes") ? c.integers("axes") : std::vector<std::int64_t>{};
}

/// Shape and axes after neighbouring axes that are both reduced, or both kept, were merged. Axes of extent 1 vanish.
struct merged_reduction {
    std::vector<std::int64_t> shape, axes;
    explicit merged_reduction(test_case const& c) {
        auto const& s = c.in("x").shape;
        std::vector<bool> reduced(s.size(), !c.has_parameter("axes"));
        for (auto a : axes_of(c))
            reduced[static_cast<std::size_t>(a < 0 ? a + static_cast<std::int64_t>(s.size()) : a)] = true;
        bool last = false;
        for (std::size_t k = 0; k < s.size(); ++k) {
            if (s[k] == 1) continue;
            if (!shape.empty() && last == reduced[k]) {
                shape.back() *= s[k];
            } else {
                if (reduced[k]) axes.push_back(static_cast<std::int64_t>(shape.size()));
                shape.push_back(s[k]);
            }
            last = reduced[k];
        }
        if (!shape.empty() && axes.empty()) {  // only axes of extent 1 are reduced: keep one
            axes.push_back(static_cast<std::int64_t>(shape.size()));
            shape.push_back(1);
        }
    }
};

template <class T, class Reduction, class Op>
bool run_reduction_as(Op, test_case const& c, std::vector<std::int64_t> const& shape, bool keep,
                      std::vector<std::int64_t> const& axes) {
    if (!Reduction::matches(shape, keep, axes)) return false;
    auto cot = c.cot();
    if (cot.rank() != Reduction::out::rank) {  // merged: the kept axes
        cot.shape.clear();
        for (std::size_t k = 0; k < shape.size(); ++k)
            if (std::find(axes.begin(), axes.end(), static_cast<std::int64_t>(k)) == axes.end())
                cot.shape.push_back(shape[k]);
    }
    REQUIRE(Reduction::out::matches(cot.shape));
    auto const [dx, out] = ad::grad<0, 1>(weighted_reduction<Op, Reduction>)(
        Reduction::in::template make<T>(with_shape(c.in("x"), shape)), Reduction::out::template make<T>(cot));
    CHECK(check_close(c.out(), out, c, "out") == "");
    CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
    return true;
}

/// The cases that `accept` takes, in the shapes and with the axes of the file.
template <class T, class... Reduction, class Op, class Accept>
std::size_t run_reductions_if(Op f, std::string_view op, Accept accept) {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("reduce"), op)) {
        if (!accept(c)) continue;
        bool const found =
            (run_reduction_as<T, Reduction>(f, c, c.in("x").shape, c.flag("keepdims"), axes_of(c)) || ...);
        if (!found) FAIL_CHECK(c.id << ": no pattern for its shape and axes (" << c.note << ")");
        n += found;
    }
    return n;
}

/// Every case with its axes merged.
template <class T, class Op>
void run_reductions(Op f, std::string_view op) {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("reduce"), op)) {
        merged_reduction const m(c);
        auto run_as = [&]<class... R>() { return (run_reduction_as<T, R>(f, c, m.shape, false, m.axes) || ...); };
        bool found =
            run_as.template operator()<reduction<vector, scalar, false, 0>, reduction<matrix, vector, false, 0>,
                                       reduction<matrix, vector, false, 1>, reduction<cube, vector, false, 0, 2>,
                                       reduction<shape_pattern<run, run, run, run>, matrix, false, 1, 3>>();
        if constexpr (std::is_same_v<T, double>)  // the smaller float file has none of these
            found =
                found || run_as.template operator()<reduction<scalar, scalar, false>, reduction<cube, matrix, false, 1>,
                                                    reduction<column, vector, false, 1>>();
        if (!found) FAIL_CHECK(c.id << ": no pattern for its shape and axes (" << c.note << ")");
        n += found;
    }
    CHECK(n == count_in_file(file_of<T>("reduce"), op));
}

struct sum_of {
    template <int... Axis>
    constexpr auto operator()(auto const& x, auto... keep) const { return sum<Axis...>(x, keep...); }
};
struct mean_of {
    template <int... Axis>
    constexpr auto operator()(auto const& x, auto... keep) const { return mean<Axis...>(x, keep...); }
};
struct max_of {
    template <int... Axis>
    constexpr auto operator()(auto const& x, auto... keep) const { return max<Axis...>(x, keep...); }
};
struct min_of {
    template <int... Axis>
    constexpr auto operator()(auto const& x, auto... keep) const { return min<Axis...>(x, keep...); }
};

}  // namespace reference
