// SPDX-License-Identifier: MIT
#pragma once
// Runs the reference vectors of linear algebra: batches of matrices of run-time lengths, whatever axes the batch has
// in the file.

#include "programs/run_loss.hpp"

namespace reference {

namespace la = ad::linalg;

/// All leading axes as one: a batch of matrices (Own 2), vectors (1) or numbers (0).
template <int Own>
struct batch_of {
    template <class T>
    static auto make(tensor const& t) {
        std::size_t count = 1;
        auto own = [&](std::size_t k) { return t.extent(t.rank() - static_cast<std::size_t>(Own) + k); };
        for (std::size_t k = 0; k + static_cast<std::size_t>(Own) < t.rank(); ++k) count *= t.extent(k);
        auto a = [&] {
            if constexpr (Own == 0) return ad::tensor<T, ad::dyn>(count);
            else if constexpr (Own == 1) return ad::tensor<T, ad::dyn, ad::dyn>(count, own(0));
            else return ad::tensor<T, ad::dyn, ad::dyn, ad::dyn>(count, own(0), own(1));
        }();
        for (std::size_t i = 0; i < t.size(); ++i) a.data()[i] = static_cast<T>(t.values[i]);
        return a;
    }
};

/// f(a) of every case of an operation, and what flows back; f has one result, with Out axes of its own.
template <class T, int Out, class F>
void run_matrices(F, std::string const& op) {
    auto gradient = ad::grad<0, 1>([](auto a, auto cot) { return sum(F{}(a) * cot); });
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("linalg"), op)) {
        auto const [da, out] = gradient(batch_of<2>::make<T>(c.in("a")), batch_of<Out>::template make<T>(c.cot()));
        CHECK(check_close(c.out(), out, c, "out") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("linalg"), op));
}

/// Where a parameter of a case chooses among results: 1 at its place, elsewhere 0.
template <class T, std::size_t N>
ad::tensor<T, static_cast<int>(N)> choice(std::size_t which) {
    ad::tensor<T, static_cast<int>(N)> c;
    REQUIRE(which < N);
    for (std::size_t i = 0; i < N; ++i) c(i) = i == which ? T(1) : T(0);
    return c;
}
/// The numbers of `chosen` times the expressions, added up.
template <class Chosen, class... E>
constexpr auto weighted_sum(Chosen chosen, E... e) {
    return [&]<int... K>(std::integer_sequence<int, K...>) {
        return ((ad::select<0>(chosen, K) * e) + ...);
    }(std::make_integer_sequence<int, static_cast<int>(sizeof...(E))>{});
}

/// The cases of an operation on two arrays that `accept` takes, under these patterns.
template <class T, class A, class B, class Out, class F, class Accept>
std::size_t run_pairs(F, std::string const& op, Accept accept) {
    auto gradient = ad::grad<0, 1, 2>([](auto a, auto b, auto cot) { return sum(F{}(a, b) * cot); });
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("linalg"), op)) {
        if (!accept(c)) continue;
        auto const [da, db, out] =
            gradient(A::template make<T>(c.in("a")), B::template make<T>(c.in("b")), Out::template make<T>(c.cot()));
        CHECK(check_close(c.out(), out, c, "out") == "");
        CHECK(check_close(c.grad("a"), da, c, "grad a") == "");
        CHECK(check_close(c.grad("b"), db, c, "grad b") == "");
        ++n;
    }
    return n;
}
/// What a case looks like: how many axes its operands have, and whether vectors are meant.
struct ranks {
    std::size_t a, b;
    bool vector;
    bool operator()(test_case const& c) const {
        return c.in("a").rank() == a && c.in("b").rank() == b && c.flag("vector") == vector;
    }
};
/// Whether both have the same leading axes.
inline bool has_same_batch(test_case const& c) {
    return !c.flag("vector") && c.in("a").rank() == c.in("b").rank();
}

}  // namespace reference
