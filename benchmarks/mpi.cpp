// SPDX-License-Identifier: MIT
// Means over ranks: how long they take, by what is sent and how much of it at a time; and whether computing goes on
// while MPI sends.
//
//   mpirun -n 2 bench_mpi [MOST_BYTES]

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <tapeless/mpi.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

namespace {

double now() {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
/// The best of some microseconds; that of the rank that took longest.
template <class F>
double best_of(MPI_Comm comm, int times, F const& f) {
    double best = 1e30;
    for (int i = 0; i < times; ++i) {
        MPI_Barrier(comm);
        double const start = now();
        f();
        double own = now() - start, longest = 0;
        MPI_Allreduce(&own, &longest, 1, MPI_DOUBLE, MPI_MAX, comm);
        best = std::min(best, longest);
    }
    return best;
}

void means(MPI_Comm comm, bool prints, std::int64_t most) {
    if (prints)
        std::printf("mean_into, microseconds       float: 256 KiB     1 MiB     4 MiB at a time      half  bfloat16\n");
    for (std::int64_t bytes = 1024; bytes <= most; bytes *= 8) {
        std::vector<float> g(static_cast<std::size_t>(bytes / 4), 1.0f);
        int const times = static_cast<int>(std::clamp<std::int64_t>((1 << 26) / bytes, 20, 2000));
        auto const one = [&](ad::mpi::wire w, std::int64_t bucket) {
            return best_of(comm, times, [&] {
                ad::mpi::mean_into(comm, g, {.on_wire = w, .bucket_bytes = bucket});
            });
        };
        using ad::mpi::wire;
        double const t[] = {one(wire::as_stored, 1 << 18), one(wire::as_stored, 1 << 20), one(wire::as_stored, 1 << 22),
                            one(wire::half, 1 << 20), one(wire::bfloat16, 1 << 20)};
        if (prints)
            std::printf("%10lld bytes                  %10.1f%10.1f%10.1f          %10.1f%10.1f\n",
                        static_cast<long long>(bytes), t[0], t[1], t[2], t[3], t[4]);
    }
}

/// A sum over ranks that is begun, a computation, and waiting for the sum: together they take as long as one after the
/// other where MPI sends only while it is called.
void while_computing(MPI_Comm comm, bool prints) {
    std::vector<float> g(1 << 17, 1.0f);
    ad::tensor<float, 96, 96> a, b, c;
    ad::fill(a, 0.5), ad::fill(b, 0.25);
    auto product = ad::fused([](auto x, auto y) { return matmul(x, y); });
    auto const compute = [&](auto const& between) {
        for (int i = 0; i < 10; ++i) {
            product(ad::into(c), a, b);
            between();
        }
    };
    auto const send = [&](auto const& meanwhile) {
        MPI_Request r = MPI_REQUEST_NULL;
        MPI_Iallreduce(MPI_IN_PLACE, g.data(), static_cast<int>(g.size()), MPI_FLOAT, MPI_MAX, comm, &r);
        meanwhile(r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    };
    double const sent = best_of(comm, 1000, [&] { send([](MPI_Request&) {}); }),
                 computed = best_of(comm, 1000, [&] { compute([] {}); }),
                 both = best_of(comm, 1000, [&] { send([&](MPI_Request&) { compute([] {}); }); }),
                 asked = best_of(comm, 1000, [&] {
                     send([&](MPI_Request& r) {
                         compute([&] {
                             int done = 0;
                             MPI_Test(&r, &done, MPI_STATUS_IGNORE);
                         });
                     });
                 });
    if (prints)
        std::printf("512 KiB are sent in %.0f us, something is computed in %.0f us; together %.0f us, and %.0f us where MPI is "
                    "asked 10 times meanwhile\n",
                    sent, computed, both, asked);
}

}  // namespace

int main(int argc, char** argv) {
    return ad::mpi::run(argc, argv, [&](MPI_Comm comm) {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        means(comm, rank == 0, argc > 1 ? std::atoll(argv[1]) : 1 << 25);
        while_computing(comm, rank == 0);
        return 0;
    });
}
