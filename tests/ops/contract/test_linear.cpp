// SPDX-License-Identifier: MIT
// linear(x, w, b) = x wT + b against the reference.

#include "ops/contract/product_cases.hpp"

using namespace reference;

namespace {

constexpr auto with_bias = [](auto x, auto w, auto b, auto cot) { return sum(linear(x, w, b) * cot); };
constexpr auto without_bias = [](auto x, auto w, auto cot) { return sum(linear(x, w) * cot); };

/// One case through one pattern; false where the shapes do not match it.
template <class T, class X, class Out>
bool run_as(test_case const& c) {
    if (!X::matches(c.in("x").shape)) return false;
    auto const x = X::template make<T>(c.in("x"));
    auto const w = matrix::make<T>(c.in("weight"));
    auto const cot = Out::template make<T>(c.cot());
    if (c.has("in", "bias")) {
        auto const [dx, dw, db, out] = ad::grad<0, 1, 2, 3>(with_bias)(x, w, vector::make<T>(c.in("bias")), cot);
        CHECK(check_close(c.out(), out, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        CHECK(check_close(c.grad("weight"), dw, c, "grad weight") == "");
        CHECK(check_close(c.grad("bias"), db, c, "grad bias") == "");
    } else if constexpr (X::rank == 2 && std::is_same_v<T, double>) {
        auto const [dx, dw, out] = ad::grad<0, 1, 2>(without_bias)(x, w, cot);
        CHECK(check_close(c.out(), out, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        CHECK(check_close(c.grad("weight"), dw, c, "grad weight") == "");
    } else {
        return false;
    }
    return true;
}

template <class T, class... X, class... Out>
void run_linear(binary_pattern<X, Out, void>...) {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("matmul"), "linear")) {
        bool const found = (run_as<T, X, Out>(c) || ...);
        if (!found) FAIL_CHECK(c.id << ": no pattern for its shapes");
        n += found;
    }
    CHECK(n == count_in_file(file_of<T>("matmul"), "linear"));
}
template <class X, class Out>
using to = binary_pattern<X, Out, void>;
using stack_of_one = shape_pattern<1, run, run, run>;

}  // namespace

TEST_CASE("linear: output and gradients are those of the reference, with a bias and without, for x of rank 1 to 4") {
    run_linear<double>(to<matrix, matrix>{}, to<vector, vector>{}, to<cube, cube>{}, to<stack_of_one, stack_of_one>{});
}
TEST_CASE("linear: float output and gradients are those of the reference") {
    run_linear<float>(to<matrix, matrix>{}, to<stack_of_one, stack_of_one>{});
}
