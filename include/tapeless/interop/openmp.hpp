// SPDX-License-Identifier: MIT
#pragma once
// Calls on the threads of OpenMP: for programs that have these already. Compile with -fopenmp.

#include <tapeless/base/executor.hpp>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace tapeless {

///     ad::openmp_executor threads;
///     step.threads(threads);
///
/// Without -fopenmp there is one thread, the caller.
class openmp_executor final : public executor {
public:
#if defined(_OPENMP)
    int threads() const override { return omp_get_max_threads(); }
    void run(int n, work w) override {
#pragma omp parallel num_threads(n)
        w(omp_get_thread_num());
    }
#else
    int threads() const override { return 1; }
    void run(int, work w) override { w(0); }
#endif
};

}  // namespace tapeless
