// SPDX-License-Identifier: MIT
#pragma once
// Runs reference vectors of losses of classes. One traced function gives all three reductions, each times a
// cotangent: those of the reductions that a case does not ask for are 0, and the gradient of a cotangent is the
// reduction itself.

#include "ops/binary_patterns.hpp"

namespace reference {

using ad::loss::reduction;

/// Loss::of<R>(x, target, more...) under cotangents of its three reductions.
template <class Loss>
inline constexpr auto all_reductions = [](auto each, auto mean, auto sum_, auto x, auto target, auto... more) {
    return sum(Loss::template of<reduction::none>(x, target, more...) * each) +
           Loss::template of<reduction::mean>(x, target, more...) * mean +
           Loss::template of<reduction::sum>(x, target, more...) * sum_;
};

/// Axis 1 of an array (n, c, d...) moved to the end, as rows (n d, c); a case's targets and losses keep their order.
inline tensor as_rows_of_classes(tensor t) {
    if (t.rank() < 2) return t;
    std::size_t const n = t.extent(0), c = t.extent(1), d = n * c == 0 ? 0 : t.size() / (n * c);
    tensor r = t;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < c; ++j)
            for (std::size_t k = 0; k < d; ++k) r.values[(i * d + k) * c + j] = t.values[(i * c + j) * d + k];
    r.shape = {static_cast<std::int64_t>(n * d), static_cast<std::int64_t>(c)};
    return r;
}

/// The array as a tensor of T with Rank run-time axes: trailing axes are one, missing ones are 1.
template <class T, std::size_t Rank>
auto tensor_of(tensor const& t) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        std::array<std::int64_t, Rank> lengths{};
        for (std::size_t k = 0; k < Rank; ++k) lengths[k] = k < t.rank() ? t.shape[k] : 1;
        for (std::size_t k = Rank; k < t.rank(); ++k) lengths[Rank - 1] *= t.shape[k];
        auto a = ad::tensor<T, (static_cast<void>(I), ad::dyn)...>::with_extents(lengths);
        for (std::size_t i = 0; i < t.size(); ++i) a.data()[i] = static_cast<T>(t.values[i]);
        return a;
    }(std::make_index_sequence<Rank>{});
}

inline std::size_t place_of(std::string const& word) { return word == "none" ? 0 : word == "mean" ? 1 : 2; }

/// A case by Loss on arrays of Rank axes (2: rows of classes, whatever the case has; 3: classes stand in the middle).
/// Targets are class indices, or of the input's shape.
template <class T, std::size_t Rank, class Loss, class... Weight>
void run_class_case(test_case const& c, Weight const&... weight) {
    constexpr bool indices = !Loss::soft;
    tensor x = c.in("input"), target = c.in("target"), each = c.cot();
    bool const unbatched = x.rank() == 1;
    if (unbatched) x.shape.insert(x.shape.begin(), 1), target.shape.insert(target.shape.begin(), 1);
    if (Rank == 2) x = as_rows_of_classes(x);
    if (Rank == 2 && !indices) target = as_rows_of_classes(target);
    std::size_t const place = place_of(c.word("reduction"));
    std::vector<std::int64_t> rows = {x.shape[0]};
    for (std::size_t k = 2; k < x.rank(); ++k) rows.push_back(x.shape[k]);
    std::size_t count = 1;
    for (auto e : rows) count *= static_cast<std::size_t>(e);
    tensor losses{"f64", rows, std::vector<double>(count, 0.0)};
    T upstream[3] = {};
    if (place == 0) losses.values = each.values;
    else upstream[place] = static_cast<T>(each.item());
    auto const input = tensor_of<T, Rank>(x);
    auto const cots = tensor_of<T, Rank - 1>(losses);
    auto check = [&](auto const& gradient) {
        if (place == 0) CHECK(check_close(with_shape(c.out(), rows), std::get<0>(gradient), c, "out") == "");
        else if (place == 1) CHECK(check_close(c.out(), std::get<1>(gradient), c, "out") == "");
        else CHECK(check_close(c.out(), std::get<2>(gradient), c, "out") == "");
        if (!c.has("grad", "input")) return;
        tensor g = c.grad("input");
        if (unbatched) g.shape.insert(g.shape.begin(), 1);
        CHECK(check_close(Rank == 2 ? as_rows_of_classes(g) : g, std::get<3>(gradient), c, "grad input") == "");
    };
    if constexpr (indices) {
        check(ad::grad<0, 1, 2, 3>(all_reductions<Loss>)(cots, upstream[1], upstream[2], input,
                                                         tensor_of<std::int64_t, Rank - 1>(target), weight...));
    } else {
        auto const g = ad::grad<0, 1, 2, 3, 4>(all_reductions<Loss>)(cots, upstream[1], upstream[2], input,
                                                                     tensor_of<T, Rank>(target), weight...);
        check(g);
        if (c.has("grad", "target"))
            CHECK(check_close(as_rows_of_classes(c.grad("target")), std::get<4>(g), c, "grad target") == "");
    }
}

/// All cases of an operation of loss_class. dispatch(c, weight...) runs one; weights are there or not.
template <class T, class Dispatch>
void run_class_cases(std::string const& op, Dispatch dispatch) {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("loss_class"), op)) {
        bool const weighted = c.has("const", "weight");
        bool const found = weighted ? dispatch(c, tensor_of<T, 1>(c.in("weight"))) : dispatch(c);
        if (!found) FAIL_CHECK(c.id << ": no program for it (" << c.note << ")");
        n += found;
    }
    CHECK(n == count_in_file(file_of<T>("loss_class"), op));
}

}  // namespace reference
