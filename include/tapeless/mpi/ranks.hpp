// SPDX-License-Identifier: MIT
#pragma once
// Ranks of MPI: beginning and end, whose items are whose, and waiting for the others, but not for ever.

#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <string>

#include <mpi.h>
#include <sched.h>

#include <tapeless/array/errors.hpp>
#include <tapeless/array/view.hpp>

namespace tapeless::mpi {

/// A rank failed while others computed, or ranks do not agree on what is averaged: thrown on all of them.
struct rank_error : detail::error_as<std::runtime_error> {
    using error_as::error_as;
};

/// What numbers are while they are sent.
enum class wire {
    as_stored,  ///< float, or double
    half,       ///< 2 bytes, of which 11 bits are significant; more than 65504 becomes infinite
    bfloat16    ///< 2 bytes, of which 8 bits are significant
};

struct mean_options {
    /// Of this rank: the items in its batch where ranks have different numbers of them.
    double weight = 1;
    wire on_wire = wire::as_stored;
    /// Seconds after which the program is ended where some rank does not answer.
    double timeout = 300;
    /// Bytes that are sent at a time.
    std::int64_t bucket_bytes = 1 << 20;
};

/// Ends all processes of a communicator with a message, which names this rank.
[[noreturn]] inline void abort(MPI_Comm comm, char const* message) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    std::fprintf(stderr, "tapeless: rank %d of %d: %s\n", rank, size, message);
    std::fflush(stderr);
    MPI_Abort(comm, 1);
    std::abort();
}

}  // namespace tapeless::mpi

namespace tapeless::detail::inline mpi_part {

inline int rank_of(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}
inline int ranks_of(MPI_Comm comm) {
    int size = 1;
    MPI_Comm_size(comm, &size);
    return size;
}

/// While it lives, what MPI cannot do comes back as a number, is said, and ends the program; and so does a rank that
/// is not heard of for too long.
class mpi_calls {
public:
    mpi_calls(MPI_Comm comm, char const* who, double timeout) : comm_(comm), who_(who), timeout_(timeout) {
        MPI_Comm_get_errhandler(comm, &before_);
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    }
    ~mpi_calls() {
        MPI_Comm_set_errhandler(comm_, before_);
        if (before_ != MPI_ERRORS_ARE_FATAL && before_ != MPI_ERRORS_RETURN) MPI_Errhandler_free(&before_);
    }
    mpi_calls(mpi_calls const&) = delete;
    mpi_calls& operator=(mpi_calls const&) = delete;

    MPI_Comm comm() const { return comm_; }
    void check(int code) const {
        if (code != MPI_SUCCESS) fail(code);
    }
    bool is_done(MPI_Request& request) const {
        int done = 0;
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE));
        return done != 0;
    }
    void wait(MPI_Request& request) const {
        for (int i = 0; i < 1000; ++i)
            if (is_done(request)) return;
        for (double const start = now(); !is_done(request);) {
            if (now() - start > timeout_) give_up();
            sched_yield();
        }
    }

private:
    MPI_Comm comm_;
    char const* who_;
    double timeout_;
    MPI_Errhandler before_;

    static double now() {
        timespec t;
        clock_gettime(CLOCK_MONOTONIC, &t);
        return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
    }
    [[noreturn, gnu::noinline, gnu::cold]] void fail(int code) const {
        char text[MPI_MAX_ERROR_STRING + 1] = "";
        int length = 0;
        MPI_Error_string(code, text, &length);
        mpi::abort(comm_, (std::string(who_) + ": " + text).c_str());
    }
    [[noreturn, gnu::noinline, gnu::cold]] void give_up() const {
        mpi::abort(comm_, (std::string(who_) + ": some rank has not answered for " + std::to_string(timeout_) +
                           " s: it has ended, hangs, or does not make the same calls")
                              .c_str());
    }
};

}  // namespace tapeless::detail::mpi_part

namespace tapeless::mpi {

/// Begins MPI, calls f(comm) with all ranks, and ends MPI; what f returns is for main to return. Where an exception
/// leaves f on one rank, its message is said, and the others are ended too, instead of waiting for it.
///
///     int main(int argc, char** argv) {
///         return ad::mpi::run(argc, argv, [](MPI_Comm comm) { ... return 0; });
///     }
template <class F>
int run(int& argc, char**& argv, F const& f) {
    int provided = 0, status = 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);  // one thread of a process calls MPI
    if (std::exception_ptr const e = detail::caught([&] { status = f(MPI_COMM_WORLD); }))
        mpi::abort(MPI_COMM_WORLD, detail::text_of(e).c_str());
    MPI_Finalize();
    return status;
}

/// Items first ... first + size - 1.
struct range {
    std::int64_t first, size;
};
/// Those of n items that are this rank's: ranks have them in order, and as many each, or one more.
inline range shard_of(MPI_Comm comm, std::int64_t n) {
    std::int64_t const rank = detail::rank_of(comm), ranks = detail::ranks_of(comm), each = n / ranks, more = n % ranks;
    return {rank * each + (rank < more ? rank : more), each + (rank < more ? 1 : 0)};
}
/// The rows of an array that are this rank's.
template <class T, auto E, auto... Rest>
auto shard_of(MPI_Comm comm, tensor<T, E, Rest...> const& a) {
    auto lengths = a.extents();
    range const r = shard_of(comm, lengths[0]);
    std::int64_t row = 1;
    for (std::size_t k = 1; k < lengths.size(); ++k) row *= lengths[k];
    lengths[0] = r.size;
    if constexpr (canonical_shape<E>::is_static)
        return view<T const, dyn, Rest...>::with_extents(a.data() + r.first * row, lengths);
    else return view<T const, E, Rest...>::with_extents(a.data() + r.first * row, lengths);
}

}  // namespace tapeless::mpi
