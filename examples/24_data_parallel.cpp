// SPDX-License-Identifier: MIT
// Digits on many processors: every process has the model and a part of each batch, and runs on several threads.
//
//   mpirun -n RANKS example_24_data_parallel [THREADS [FOLDER [EPOCHS [WIRE]]]]
//
// THREADS of each rank (0: as many as it is bound to: mpirun --map-by slot:PE=4 gives each of them four); FOLDER as of
// 20_digits; WIRE: float, half or bfloat16. Rank 0 prints images a second, and how many digits are told apart. The
// batch is one of 512 images, however many ranks share it, so that all of them learn what one would.
#include <tapeless/mpi.hpp>
#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "digits.hpp"

namespace ad = tapeless;

template <template <class, auto...> class Tensor>
struct Net {
    Tensor<float, 256, pixels> w1;
    Tensor<float, 256> b1;
    Tensor<float, 10, 256> w2;
    Tensor<float, 10> b2;
};
constexpr auto scores_of = [](auto const& m, auto x) { return linear(relu(linear(x, m.w1, m.b1)), m.w2, m.b2); };
constexpr auto loss = [](auto const& m, auto x, auto labels) {
    return ad::loss::cross_entropy(scores_of(m, x), labels);
};

constexpr auto items = ad::dim<"items">;
using images = ad::tensor<float, items, pixels>;
using classes = ad::tensor<std::int64_t, items>;
constexpr std::int64_t at_once = 512;

int train(MPI_Comm comm, int threads, std::string const& folder, int epochs, std::string const& wire) {
    std::mt19937 random(3);  // the same on all ranks: they see the same data, in the same order
    bool const synthetic = folder == "synthetic";
    Data const seen = synthetic ? draw_digits(8192, random) : read_data(folder, "train"),
               unseen = synthetic ? draw_digits(2000, random) : read_data(folder, "t10k");

    Net<ad::tensor> net{}, gradient{};
    ad::fill_normal(net.w1, random, 0, std::sqrt(2.0 / pixels));
    ad::fill_normal(net.w2, random, 0, std::sqrt(2.0 / 256));
    ad::mpi::broadcast(comm, net);

    ad::mpi::range const mine = ad::mpi::shard_of(comm, at_once);
    auto step = ad::mpi::value_and_grad<0>(loss, comm, {.weight = static_cast<double>(mine.size)});
    if (wire == "half") step.options.on_wire = ad::mpi::wire::half;
    if (wire == "bfloat16") step.options.on_wire = ad::mpi::wire::bfloat16;
    step.threads(threads);
    ad::optim::adam optimizer(net, {.learning_rate = 4e-3});
    optimizer.threads(threads);

    int rank = 0, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    if (rank == 0)
        std::printf("%d ranks of %d threads, batches of %d images, of which rank 0 has %d\n", ranks, step.threads(),
                    static_cast<int>(at_once), static_cast<int>(mine.size));
    images x(mine.size);
    classes labels(mine.size);
    std::vector<std::size_t> order(seen.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::size_t const batches = seen.size() / static_cast<std::size_t>(at_once);
    auto const seconds = [start = std::chrono::steady_clock::now()] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    for (int epoch = 1; epoch <= epochs; ++epoch) {
        double const begin = seconds();
        double value = 0;
        std::shuffle(order.begin(), order.end(), random);
        for (std::size_t b = 0; b < batches; ++b) {
            copy_batch(seen, order, b * static_cast<std::size_t>(at_once) + static_cast<std::size_t>(mine.first), x,
                       labels);
            value += step(ad::into(gradient), net, x, labels) / static_cast<double>(batches);
            optimizer.step(net, gradient);
        }
        if (rank == 0)
            std::printf("epoch %2d  loss %.4f  %7.0f images/s\n", epoch, value,
                        static_cast<double>(batches) * static_cast<double>(at_once) / (seconds() - begin));
    }
    if (!ad::mpi::is_same(comm, net)) throw std::runtime_error("the ranks have learned different things");

    // each rank tells its part of the other images apart
    ad::mpi::range const part = ad::mpi::shard_of(comm, static_cast<std::int64_t>(unseen.size()));
    images y(part.size);
    classes expected(part.size);
    std::vector<std::size_t> all(unseen.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    copy_batch(unseen, all, static_cast<std::size_t>(part.first), y, expected);
    auto const scores = ad::evaluate(scores_of, net, y);
    double right = 0;
    for (std::int64_t i = 0; i < part.size; ++i) {
        float const* const row = &scores(i, 0);
        right += std::max_element(row, row + 10) - row == expected(i);
    }
    double accuracy = part.size > 0 ? right / static_cast<double>(part.size) : 0;
    ad::mpi::mean_into(comm, accuracy, {.weight = static_cast<double>(part.size)});
    if (rank == 0) std::printf("%.2f %% of the images that were not learned from are told apart\n", 100 * accuracy);
    return accuracy >= (synthetic ? 0.9 : 0.85) ? 0 : 1;
}

int main(int argc, char** argv) {
    return ad::mpi::run(argc, argv, [&](MPI_Comm comm) {
        std::string const folder = argc > 2 ? argv[2] : "synthetic", wire = argc > 4 ? argv[4] : "float";
        return train(comm, argc > 1 ? std::atoi(argv[1]) : 0, folder, argc > 3 ? std::atoi(argv[3]) : 10, wire);
    });
}
