// SPDX-License-Identifier: MIT
#pragma once
// The threads that calls run on unless a program hands in its own: one pool a process, which grows as it is asked.
// POSIX threads and the compiler's atomics, because <thread> and <atomic> take longer to compile than all of this.

#include <cstdint>
#include <ctime>

#include <pthread.h>

#include <tapeless/base/executor.hpp>

namespace tapeless::detail::inline base_part {

/// The processor is told that this thread only waits.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/// A worker looks for work for a while before it sleeps; whoever has work waits for no worker that has not begun, so
/// that one that comes too late only leaves more to the others. A second call at the same time, and one from within a
/// piece of the first, is done by its caller alone. The threads end with the process; one that was forked has none of
/// them, and starts its own.
class thread_pool final : public executor {
public:
    static thread_pool& of_process() {
        static thread_pool& pool = *new thread_pool;  // never destroyed: its threads use it to the end
        return pool;
    }
    int threads() const override { return hardware_threads(); }

    void run(int n, work w) override {
        if (n > most_threads) n = most_threads;
        if (n <= 1 || __atomic_exchange_n(&busy_, true, __ATOMIC_ACQUIRE)) return w(0);
        for (; workers_ < n - 1; ++workers_)
            if (!start(workers_ + 1)) break;
        work_ = w;
        std::uint64_t const generation = (this_job() + 1) % one_generation;  // `state_` has room for so many
        __atomic_store_n(&state_, generation * one_generation + static_cast<std::uint64_t>(n) * one_limit,
                         __ATOMIC_RELEASE);
        __atomic_store_n(&job_, generation, __ATOMIC_SEQ_CST);
        if (__atomic_load_n(&sleepers_, __ATOMIC_SEQ_CST) > 0) {
            pthread_mutex_lock(&mutex_);
            pthread_cond_broadcast(&wake_);
            pthread_mutex_unlock(&mutex_);
        }
        w(0);
        // nobody else may begin, and those that did are waited for
        std::uint64_t s = __atomic_or_fetch(&state_, closed, __ATOMIC_ACQ_REL);
        for (int i = 0; s % closed != 0; ++i) {
            if (i < 1000) relax();
            else sched_yield();
            s = __atomic_load_n(&state_, __ATOMIC_ACQUIRE);
        }
        __atomic_store_n(&busy_, false, __ATOMIC_RELEASE);
    }

private:
    /// `state_` holds workers at work, whether it is too late to begin, how many may, and the number of the job.
    static constexpr std::uint64_t closed = 1u << 15, one_limit = 1u << 16, one_generation = std::uint64_t(1) << 32;
    static constexpr std::int64_t spins = 250'000;  ///< nanoseconds before a worker sleeps

    struct worker {
        thread_pool* pool;
        int number;
        std::uint64_t seen;  ///< the last job it looked at
    };
    work work_{};
    int sleepers_ = 0, workers_ = 0;
    bool busy_ = false;
    // Those who wait read one line of memory, and those who begin and end write another: with 16 threads a job of no
    // work takes 2 microseconds so, and 5 otherwise (measured with AVX-512).
    alignas(128) std::uint64_t job_ = 0;
    alignas(128) std::uint64_t state_ = closed;
    alignas(128) pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t wake_ = PTHREAD_COND_INITIALIZER;
    worker all_[most_threads]{};

    thread_pool() {
        pthread_atfork(nullptr, nullptr, [] { of_process().begin_again(); });
    }
    void begin_again() {
        workers_ = sleepers_ = 0;
        busy_ = false;
        state_ = job_ * one_generation + closed;
        mutex_ = PTHREAD_MUTEX_INITIALIZER;
        wake_ = PTHREAD_COND_INITIALIZER;
    }

    bool start(int number) {
        all_[number - 1] = {this, number, this_job()};
        pthread_t thread;
        auto const live = [](void* w) -> void* {
            static_cast<worker*>(w)->pool->live(*static_cast<worker*>(w));
            return nullptr;
        };
        if (pthread_create(&thread, nullptr, live, &all_[number - 1]) != 0) return false;
        pthread_detach(thread);
        return true;
    }
    std::uint64_t this_job() const { return __atomic_load_n(&job_, __ATOMIC_RELAXED); }
    static std::int64_t now() {
        timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return std::int64_t(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
    }
    [[noreturn]] void live(worker& w) {
        for (;;) {
            w.seen = wait_for_job(w.seen);
            std::uint64_t s = __atomic_load_n(&state_, __ATOMIC_ACQUIRE);
            while (!(s & closed) && s / one_generation == w.seen &&
                   static_cast<std::uint64_t>(w.number) < s % one_generation / one_limit)
                if (__atomic_compare_exchange_n(&state_, &s, s + 1, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
                    work_(w.number);
                    __atomic_fetch_sub(&state_, 1, __ATOMIC_RELEASE);
                    break;
                }
        }
    }
    std::uint64_t wait_for_job(std::uint64_t seen) {
        std::uint64_t s = __atomic_load_n(&job_, __ATOMIC_ACQUIRE);
        for (std::int64_t const start = now(); s == seen && now() - start < spins;)
            for (int i = 0; i < 64 && s == seen; ++i) {
                relax();
                s = __atomic_load_n(&job_, __ATOMIC_ACQUIRE);
            }
        if (s != seen) return s;
        pthread_mutex_lock(&mutex_);
        __atomic_fetch_add(&sleepers_, 1, __ATOMIC_SEQ_CST);
        while ((s = __atomic_load_n(&job_, __ATOMIC_SEQ_CST)) == seen)
            pthread_cond_wait(&wake_, &mutex_);
        __atomic_fetch_sub(&sleepers_, 1, __ATOMIC_SEQ_CST);
        pthread_mutex_unlock(&mutex_);
        return s;
    }
};

}  // namespace tapeless::detail::base_part
