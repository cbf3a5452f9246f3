// SPDX-License-Identifier: MIT
#pragma once
// Calls on the threads of oneTBB: for programs that have these already. Link with -ltbb.

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <tapeless/base/executor.hpp>

namespace tapeless {

///     ad::tbb_executor threads;  // or (8)
///     step.threads(threads);
class tbb_executor final : public executor {
public:
    tbb_executor() = default;
    explicit tbb_executor(int n) : arena_(n) {}

    int threads() const override { return arena_.max_concurrency(); }
    void run(int n, work w) override {
        arena_.execute([&] { tbb::parallel_for(0, n, [w](int i) { w(i); }); });
    }

private:
    mutable tbb::task_arena arena_;
};

}  // namespace tapeless
