// SPDX-License-Identifier: MIT
// Calls on threads of other libraries.

#include <threads/same_bits.hpp>

#include <tapeless/interop/openmp.hpp>
#if defined(TESTS_HAVE_TBB)
#include <tapeless/interop/tbb.hpp>
#endif

using namespace tests;

namespace {
void same_on(ad::executor& threads) {
    auto one = ad::value_and_grad<0, 1>([](auto x, auto w) { return sum(square(tanh(matmul(x, w)))); });
    auto some = one;
    some.threads(threads);
    CHECK(some.threads() == threads.threads());
    random_arrays make;
    for (std::int64_t n : {3, 150, 301}) {
        auto const x = make.matrix(n, 120), w = make.matrix(120, 90);
        CHECK(bytes_of(some(x, w)) == bytes_of(one(x, w)));
    }
}
}  // namespace

TEST_CASE("threads: OpenMP's") {
    ad::openmp_executor threads;
    same_on(threads);
}

#if defined(TESTS_HAVE_TBB)
TEST_CASE("threads: oneTBB's") {
    ad::tbb_executor threads(3);
    same_on(threads);
}
#endif
