// SPDX-License-Identifier: MIT
// How fast is a step of training? Loss and gradients of a perceptron with one hidden layer, in float, beside the same
// step by hand (support/perceptron.hpp): with OpenBLAS's sgemm where it is installed, and with plain loops.
//
//   bench_mlp
//
// `error` is the largest relative difference of the loss or a gradient. Exits with 1 where they differ.

#include <tapeless/tapeless.hpp>

#include <cstdint>
#include <cstdio>
#include <span>

#include "support/blas.hpp"
#include "support/digits.hpp"
#include "support/measure.hpp"
#include "support/numbers.hpp"
#include "support/perceptron.hpp"
#include "support/product.hpp"

namespace {

namespace ad = tapeless;

/// 4-16-3: irises.
template <template <class, auto...> class Tensor>
struct Irises {
    Tensor<float, 4, 16> w1;
    Tensor<float, 16> b1;
    Tensor<float, 16, 3> w2;
    Tensor<float, 3> b2;
};

constexpr auto loss = [](auto const& m, auto x, auto t) {
    auto h = relu(matmul(x, m.w1) + m.b1);
    auto z = let(matmul(h, m.w2) + m.b2);
    auto top = stop_gradient(max<1>(z, ad::keepdims));
    return mean(log(sum<1>(exp(z - top), ad::keepdims)) + top - sum<1>(z * t, ad::keepdims));
};

template <class Model>
double difference_of(Model const& a, Model const& b) {
    auto const one = [](auto const& x, auto const& y) {
        return difference(std::span<float const>(x.data(), x.size()), std::span<float const>(y.data(), y.size()));
    };
    return worse(worse(one(a.w1, b.w1), one(a.b1, b.b1)), worse(one(a.w2, b.w2), one(a.b2, b.b2)));
}

/// The step with products by `Product`; none where that is not installed.
template <class Product, int In, int Hidden, int Out>
struct by_hand : handwritten::perceptron<Product, In, Hidden, Out> {
    using handwritten::perceptron<Product, In, Hidden, Out>::perceptron;
    static constexpr bool present = true;
};
template <int In, int Hidden, int Out>
    requires(!product_by_blas::present)
struct by_hand<product_by_blas, In, Hidden, Out> {
    explicit by_hand(std::int64_t) {}
    static constexpr bool present = false;
    float step(auto&, auto const&, float const*, float const*) { return 0; }
};

void print(bool present, char const* format, double figure) {
    if (present) std::printf(format, figure);
    else std::printf(" %9s", "-");
}

/// One line of the table. X and T: the rows and their targets, (batch, In) and (batch, Out).
template <template <template <class, auto...> class> class Model, int In, int Hidden, int Out, class X, class T>
bool compare(char const* name, std::int64_t batch) {
    Model<ad::tensor> m, mine, theirs;
    fill(m.w1, -0.1, 0.1), fill(m.b1, -0.1, 0.1), fill(m.w2, -0.3, 0.3), fill(m.b2, -0.1, 0.1);
    X x = X::with_extents({batch, In});
    T t = T::with_extents({batch, Out});
    fill(x, -1, 1);
    for (std::int64_t i = 0; i < batch; ++i) t(i, (i * 7 + 1) % Out) = 1;

    auto step = ad::value_and_grad<0>(loss);
    by_hand<product_by_blas, In, Hidden, Out> blas(batch);
    by_hand<product_by_loops, In, Hidden, Out> loops(batch);
    auto const library_step = [&] { return step(ad::into(mine), m, x, t); };
    auto const blas_step = [&] { return blas.step(theirs, m, x.data(), t.data()); };
    auto const loops_step = [&] { return loops.step(theirs, m, x.data(), t.data()); };

    float const value = library_step();
    double error = 0;
    auto const check = [&](float expected) {
        error = worse(error, difference(std::span<float const>(&value, 1), std::span<float const>(&expected, 1)));
        error = worse(error, difference_of(mine, theirs));
    };
    check(loops_step());
    if constexpr (blas.present) check(blas_step());
    bool const right = error <= 1e-4;

    auto const ns = measure_each(library_step, blas_step, loops_step);
    std::printf("%-32s %9.2f", name, ns[0] / 1000);
    print(blas.present, " %9.2f", ns[1] / 1000);
    print(true, " %9.2f", ns[2] / 1000);
    print(blas.present, " %9.2f", ns[0] / ns[1]);
    print(true, " %9.2f", ns[0] / ns[2]);
    std::printf(" %9.1e%s\n", error, right ? "" : "  WRONG");
    std::fflush(stdout);
    return right;
}

}  // namespace

int main() {
    product_by_blas::use_one_thread();
    std::puts("Microseconds a step, one thread; ratios to the steps by hand, with sgemm and with plain loops.");
    std::puts("Targets: 784-128-10 at most 1.0, 4-16-3 at most 0.5.\n");
    std::printf("%-32s %9s %9s %9s %9s %9s %9s\n", "", "us", "sgemm", "loops", "to sgemm", "to loops", "error");
    bool right = compare<Digits, 784, 128, 10, ad::tensor<float, 64, 784>, ad::tensor<float, 64, 10>>(
        "784-128-10, batch 64", 64);
    right &= compare<Digits, 784, 128, 10, ad::tensor<float, ad::dyn, 784>, ad::tensor<float, ad::dyn, 10>>(
        "784-128-10, batch 64 at run time", 64);
    right &= compare<Irises, 4, 16, 3, ad::tensor<float, 32, 4>, ad::tensor<float, 32, 3>>("4-16-3, batch 32", 32);
    return right ? 0 : 1;
}
