// SPDX-License-Identifier: MIT
#pragma once
// What one call runs on where it runs on several threads, and how many those are unless a callable was told.

#include <sched.h>
#include <unistd.h>

namespace tapeless {

/// Lends threads to calls. A call hands over work of which each thread takes pieces until none is left: work(0) alone
/// would do all of it, so an executor may run as few of the others as it likes.
class executor {
public:
    /// Throws nothing: what goes wrong in a piece is kept, and thrown by the call.
    struct work {
        void (*run)(void* job, int worker) noexcept;
        void* job;
        void operator()(int worker) const noexcept { run(job, worker); }
    };
    executor() = default;
    executor(executor const&) = delete;
    executor& operator=(executor const&) = delete;
    virtual ~executor() = default;

    /// How many threads there are, the caller among them.
    virtual int threads() const = 0;
    /// Calls w(0), and each of w(1), ..., w(n - 1) at most once, on any thread. None of them runs any more when this
    /// returns.
    virtual void run(int n, work w) = 0;
};

namespace detail::inline base_part {

/// No call runs on more than so many.
inline constexpr int most_threads = 256;

inline int threads_by_default = 1;

/// As many as this process may run at once.
inline int hardware_threads() {
#if defined(CPU_COUNT)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
#endif
    long const n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? static_cast<int>(n) : 1;
}
/// n of them; 0 for as many as the hardware has.
inline int this_many_threads(int n) {
    int const some = n > 0 ? n : hardware_threads();
    return some < most_threads ? some : most_threads;
}

}  // namespace detail::base_part

/// How many threads calls run on whose callable was told nothing: 1 at first; with 0 as many as the hardware has.
inline void default_threads(int n) {
    __atomic_store_n(&detail::threads_by_default, detail::this_many_threads(n), __ATOMIC_RELAXED);
}
inline int default_threads() { return __atomic_load_n(&detail::threads_by_default, __ATOMIC_RELAXED); }

}  // namespace tapeless
