// SPDX-License-Identifier: MIT
#pragma once
// Runs the reference vectors of the losses. One traced function holds several variants of a loss (numbers of its
// options, which are compile-time constants), each with every reduction, and a cotangent for each of these results: a
// case sets the one that it is about, the others are 0. The gradient by that cotangent is the case's output.

#include "programs/run_loss.hpp"

namespace reference {

using ad::loss::reduction;

template <int V>
using variant = std::integral_constant<int, V>;

/// A loss of inputs of these patterns, the first of which is the shape of the losses. F is called as
/// f.template operator()<R>(variant<v>{}, inputs...) for the first `Reductions` of none, mean, sum, batchmean.
template <class F, int Variants, int Reductions, class... In>
struct loss_program {
    static constexpr int scalars = Variants * (Reductions - 1);
    template <int V, int R, class... X>
    static constexpr auto loss_of(X const&... x) {
        return F{}.template operator()<static_cast<reduction>(R)>(variant<V>{}, x...);
    }
    static constexpr auto weighted = [](auto each, auto reduced, auto... x) {
        auto total = ad::let(sum(loss_of<0, 0>(x...) * std::get<0>(each)));
        [&]<int... V>(std::integer_sequence<int, 0, V...>) {
            ((total = ad::let(total + sum(loss_of<V, 0>(x...) * std::get<V>(each)))), ...);
        }(std::make_integer_sequence<int, Variants>{});
        [&]<int... K>(std::integer_sequence<int, K...>) {
            constexpr int n = Reductions - 1;
            ((total = ad::let(total + loss_of<K / n, 1 + K % n>(x...) * std::get<K>(reduced))), ...);
        }(std::make_integer_sequence<int, scalars>{});
        return total;
    };

    template <class T>
    static void run(test_case const& c, int v) {
        REQUIRE(c.inputs.size() == sizeof...(In));
        using first = typename std::tuple_element_t<0, std::tuple<In...>>;
        using indices = gradient_indices<reduced_cotangents, In...>;
        int const r = index_of(c.word("reduction")), at = v * (Reductions - 1) + r - 1;
        REQUIRE(r < Reductions);
        tensor zeros = c.in(c.inputs[0]);
        zeros.values.assign(zeros.size(), 0);
        bool const backward = c.has("cot", "out");
        auto each = [&]<int... V>(std::integer_sequence<int, V...>) {
            return std::tuple(first::template make<T>(backward && r == 0 && V == v ? c.cot() : zeros)...);
        }(std::make_integer_sequence<int, Variants>{});
        auto reduced = [&]<int... K>(std::integer_sequence<int, K...>) {
            return std::tuple((backward && r > 0 && K == at ? static_cast<T>(c.cot().item()) : T(0))...);
        }(std::make_integer_sequence<int, scalars>{});
        constexpr auto places = std::make_index_sequence<static_cast<std::size_t>(indices::count)>{};
        auto gradient = [&]<std::size_t... K>(std::index_sequence<K...>) {
            return ad::grad<indices::value[K]...>(weighted);
        }(places);
        auto const all = [&]<std::size_t... I>(std::index_sequence<I...>) {
            return gradient(each, reduced, In::template make<T>(c.in(c.inputs[I]))...);
        }(std::index_sequence_for<In...>{});
        INFO("variant " << v);
        auto check_output = [&](auto const& out) { CHECK(check_close(c.out(), out, c, "out") == ""); };
        if (r == 0) with_element(std::get<0>(all), v, check_output);
        else with_element(std::get<1>(all), at, check_output);
        std::size_t compared = 0;
        for (int k = 2; k < indices::count; ++k) {
            std::string const& name =
                c.inputs[static_cast<std::size_t>(indices::value[static_cast<std::size_t>(k)] - 2)];
            if (!c.has("grad", name)) continue;
            with_element(all, k, [&](auto const& g) {
                if constexpr (!requires { std::tuple_size<std::remove_cvref_t<decltype(g)>>::value; })
                    CHECK(check_close(c.grad(name), g, c, "grad " + name) == "");
            });
            ++compared;
        }
        CHECK(compared == (backward ? c.tensors.at("grad").size() : 0));  // none is forgotten
    }

private:
    struct reduced_cotangents {};  // the second argument
    static int index_of(std::string const& word) {
        std::array<std::string, 4> const names{"none", "mean", "sum", "batchmean"};
        return static_cast<int>(std::find(names.begin(), names.end(), word) - names.begin());
    }
    /// f(the element of a tuple with a number that run time knows)
    template <class Tuple, class Fn>
    static void with_element(Tuple const& t, int at, Fn f) {
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((static_cast<int>(I) == at ? f(std::get<I>(t)) : void()), ...);
        }(std::make_index_sequence<std::tuple_size_v<Tuple>>{});
    }
};

/// Every case of an operation that `accept` takes: `prepare` changes the case, and gives the variants that it is run
/// by.
template <class T, int Variants, int Reductions, class... In, class F, class Accept, class Prepare>
std::size_t run_losses_if(F, std::string const& file, std::string const& op, Accept accept, Prepare prepare) {
    std::size_t n = 0;
    for (test_case c : cases(file_of<T>(file), op)) {
        if (!accept(c)) continue;
        std::vector<int> const variants = prepare(c);
        for (int v : variants) loss_program<F, Variants, Reductions, In...>::template run<T>(c, v);
        n += !variants.empty();
    }
    return n;
}
template <class T, int Variants, int Reductions, class... In, class F, class Prepare>
void run_losses(F f, std::string const& file, std::string const& op, Prepare prepare) {
    auto const n = run_losses_if<T, Variants, Reductions, In...>(
        f, file, op, [](test_case const&) { return true; }, prepare);
    CHECK(n == count_in_file(file_of<T>(file), op));
}

/// The arrays named as ones of a single axis, or of the first axis and all others together.
inline void flatten(test_case& c, std::initializer_list<char const*> names) {
    for (char const* name : names) {
        tensor& t = input(c, name);
        t.shape = {static_cast<std::int64_t>(t.size())};
    }
    if (c.has("cot", "out") && c.word("reduction") == "none") {
        tensor& t = c.tensors.at("cot").at("out");
        t.shape = {static_cast<std::int64_t>(t.size())};
    }
}
inline void make_matrix(tensor& t) {
    auto const n = static_cast<std::int64_t>(t.size());
    auto const rows = t.rank() > 1 ? t.shape[0] : 1;
    t.shape = {rows, rows == 0 ? 0 : n / rows};
}
inline void make_matrices(test_case& c, std::initializer_list<char const*> names) {
    for (char const* name : names) make_matrix(input(c, name));
    if (c.has("cot", "out") && c.word("reduction") == "none") make_matrix(c.tensors.at("cot").at("out"));
}

}  // namespace reference
