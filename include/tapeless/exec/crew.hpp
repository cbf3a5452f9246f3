// SPDX-License-Identifier: MIT
#pragma once
// The threads of a callable: how many, whose they are, and the memory that they need beside the workspace.

#include <exception>

#include <tapeless/array/errors.hpp>
#include <tapeless/base/thread_pool.hpp>
#include <tapeless/exec/workspace.hpp>

namespace tapeless::detail::inline exec_part {

/// Work that is done piece by piece. Each worker begins with its own share, the same in every job that is cut so: what
/// it reads and writes stays in its cache from one to the next. Then it takes what others have not begun. Of what
/// pieces throw, that of the first counts.
struct piece_job {
    void (*piece)(void const* data, int worker, std::int64_t number) = nullptr;
    void const* data = nullptr;
    std::int64_t count = 0;
    int workers = 1;
    alignas(128) std::int64_t next[most_threads];  // of each share: what all write, apart from what all read
    alignas(128) std::exception_ptr error;
    std::int64_t failed = -1;
    bool writing = false;

    piece_job(void (*p)(void const*, int, std::int64_t), void const* d, std::int64_t pieces, int n)
        : piece(p), data(d), count(pieces), workers(n) {
        for (int w = 0; w < n; ++w) next[w] = begin_of(w);
    }
    std::int64_t begin_of(int worker) const { return count * worker / workers; }

    static void work(void* job, int worker) noexcept {
        piece_job& j = *static_cast<piece_job*>(job);
        for (int i = 0, owner = worker; i < j.workers; ++i, owner = owner + 1 < j.workers ? owner + 1 : 0) {
            std::int64_t const end = j.begin_of(owner + 1);
            while (__atomic_load_n(&j.next[owner], __ATOMIC_RELAXED) < end) {
                std::int64_t const n = __atomic_fetch_add(&j.next[owner], 1, __ATOMIC_RELAXED);
                if (n >= end) break;
                j.run(worker, n);
            }
        }
    }
    void run(int worker, std::int64_t n) noexcept {
        if (std::exception_ptr const e = caught([&] { piece(data, worker, n); })) {
            while (__atomic_exchange_n(&writing, true, __ATOMIC_ACQUIRE)) relax();
            if (failed < 0 || n < failed) {
                failed = n;
                error = e;
            }
            __atomic_store_n(&writing, false, __ATOMIC_RELEASE);
        }
    }
};

/// What a callable runs on. A copy has as many threads, and memory of its own.
class crew {
public:
    workspace memory;  ///< what threads have for themselves, and sums of pieces

    constexpr crew() = default;
    constexpr crew(crew const& o) : told_(o.told_), lent_(o.lent_) {}
    constexpr crew(crew&&) = default;
    constexpr crew& operator=(crew o) noexcept {
        std::swap(told_, o.told_);
        std::swap(lent_, o.lent_);
        std::swap(memory, o.memory);
        return *this;
    }

    void threads(int n) {
        told_ = this_many_threads(n);
        lent_ = nullptr;
    }
    void threads(executor& e) {
        told_ = this_many_threads(e.threads() > 0 ? e.threads() : 1);
        lent_ = &e;
    }
    void take_threads(crew const& o) {
        told_ = o.told_;
        lent_ = o.lent_;
    }
    int threads() const { return told_ > 0 ? told_ : default_threads(); }

    /// piece(data, worker, number) for each number below `count`, by at most so many workers.
    void each_piece(int workers, std::int64_t count, void (*piece)(void const*, int, std::int64_t),
                    void const* data) const {
        if (workers <= 1 || count <= 1) {
            for (std::int64_t n = 0; n < count; ++n) piece(data, 0, n);
            return;
        }
        piece_job job(piece, data, count, count < workers ? static_cast<int>(count) : workers);
        executor& e = lent_ ? *lent_ : thread_pool::of_process();
        e.run(job.workers, {&piece_job::work, &job});
        if (job.error) std::rethrow_exception(job.error);
    }

private:
    int told_ = 0;
    executor* lent_ = nullptr;
};

}  // namespace tapeless::detail::exec_part
