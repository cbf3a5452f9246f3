// SPDX-License-Identifier: MIT
// Gradients, models and failures over ranks: mpirun -n 1, 2, 4 ranks PART.

#include <tapeless/mpi.hpp>
#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include <unistd.h>

namespace ad = tapeless;

namespace {

int failures = 0;
void check(bool good, std::string const& claim) {
    if (good) return;
    ++failures;
    std::fprintf(stderr, "not so: %s\n", claim.c_str());
}
/// Whether f throws an E whose message holds some text.
template <class E, class F>
bool throws(char const* text, F const& f) {
    try {
        f();
    } catch (E const& e) {
        if (std::strstr(e.what(), text)) return true;
        std::fprintf(stderr, "message: %s\n", e.what());
    } catch (std::exception const& e) {
        std::fprintf(stderr, "another exception: %s\n", e.what());
    }
    return false;
}
int rank_in(MPI_Comm comm) {
    int r = 0;
    MPI_Comm_rank(comm, &r);
    return r;
}
int ranks_in(MPI_Comm comm) {
    int n = 0;
    MPI_Comm_size(comm, &n);
    return n;
}

// ---- training ------------------------------------------------------------------------------------------------------

template <template <class, auto...> class Tensor>
struct Net {
    Tensor<double, 7, 5> w1;
    Tensor<double, 5> b1;
    Tensor<double, 5, 3> w2;
};
constexpr auto loss = [](auto const& m, auto x, auto k) {
    return ad::loss::cross_entropy(matmul(tanh(matmul(x, m.w1) + m.b1), m.w2), k);
};
using inputs = ad::tensor<double, ad::dyn, 7>;
using classes = ad::tensor<std::int64_t, ad::dyn>;

void start(Net<ad::tensor>& net, unsigned seed) {
    std::mt19937 random(seed);
    ad::fill_normal(net.w1, random, 0, 0.4);
    ad::fill_normal(net.b1, random, 0, 0.4);
    ad::fill_normal(net.w2, random, 0, 0.4);
}
/// Those of this rank, or all.
std::tuple<inputs, classes> batch(std::mt19937& random, std::int64_t items, ad::mpi::range mine) {
    inputs all(items), x(mine.size);
    classes all_k(items), k(mine.size);
    ad::fill_normal(all, random);
    ad::fill_uniform(all_k, random, 0, 3);
    for (std::int64_t i = 0; i < mine.size; ++i) {
        k(i) = all_k(mine.first + i);
        for (int j = 0; j < 7; ++j) x(i, j) = all(mine.first + i, j);
    }
    return {x, k};
}
double distance(Net<ad::tensor> const& a, Net<ad::tensor> const& b) {
    double most = 0;
    ad::for_each_leaf(
        [&](auto const& x, auto const& y) {
            for (std::size_t i = 0; i < x.size(); ++i) most = std::max(most, std::abs(x.data()[i] - y.data()[i]));
        },
        a, b);
    return most;
}

/// 50 steps of all ranks together end where those of one process with the whole batch do.
void trains(MPI_Comm comm, std::int64_t items, ad::mpi::wire wire, double bound) {
    Net<ad::tensor> together{}, alone{}, gradient{};
    start(together, 3 + static_cast<unsigned>(rank_in(comm)));  // others than rank 0's are written over
    start(alone, 3);
    check(ad::mpi::is_same(comm, together) == (ranks_in(comm) == 1), "models differ before they are broadcast");
    ad::mpi::broadcast(comm, together);
    check(ad::mpi::is_same(comm, together), "a model that was broadcast is the same everywhere");

    auto step = ad::mpi::value_and_grad<0>(loss, comm, {.on_wire = wire});
    auto one = ad::value_and_grad<0>(loss);
    ad::optim::adam optimizer(together, {.learning_rate = 1e-2}), other(alone, {.learning_rate = 1e-2});
    ad::mpi::range const mine = ad::mpi::shard_of(comm, items);
    std::mt19937 random(11), same(11);
    for (int i = 0; i < 50; ++i) {
        auto const [x, k] = batch(random, items, mine);
        step.options.weight = static_cast<double>(mine.size);
        double const value = step(ad::into(gradient), together, x, k);
        optimizer.step(together, gradient);

        auto const [whole, labels] = batch(same, items, {0, items});
        auto const [expected, g] = one(alone, whole, labels);
        other.step(alone, g);
        check(std::abs(value - expected) <= std::max(1e-12, bound), "step " + std::to_string(i) + ": the value");
    }
    check(ad::mpi::is_same(comm, together), "after 50 steps parameters are the same on all ranks, bit by bit");
    double const d = distance(together, alone);
    check(d <= bound, "after 50 steps parameters are those of one process, but for " + std::to_string(d));
}

// ---- means ---------------------------------------------------------------------------------------------------------

struct Tree {
    ad::tensor<float, ad::dyn> a;
    ad::tensor<double, ad::dyn> b;
    ad::tensor<ad::half, ad::dyn> h;
    ad::tensor<ad::bfloat16, ad::dyn> f;
    ad::tensor<std::int64_t, ad::dyn> i;
    double number = 0;
};
Tree tree_of(std::int64_t n, double add) {
    Tree t{ad::tensor<float, ad::dyn>(n), ad::tensor<double, ad::dyn>(n), ad::tensor<ad::half, ad::dyn>(n),
           ad::tensor<ad::bfloat16, ad::dyn>(n), ad::tensor<std::int64_t, ad::dyn>(n), 7 + 4 * add};
    for (std::int64_t i = 0; i < n; ++i) {
        double const x = static_cast<double>(4 * (i % 13)) - 24;
        t.a(i) = static_cast<float>(x + 4 * add);
        t.b(i) = x - 4 * add;
        t.h(i) = ad::half(static_cast<float>(x + 8 * add));
        t.f(i) = ad::bfloat16(static_cast<float>(x));
        t.i(i) = i + static_cast<std::int64_t>(add);
    }
    return t;
}

/// Whole numbers, whose means are exact: of rank r's r they are (n - 1) / 2.
void means(MPI_Comm comm) {
    using ad::mpi::wire;
    double const rank = rank_in(comm), ranks = ranks_in(comm), middle = (ranks - 1) / 2;
    for (wire w : {wire::as_stored, wire::half, wire::bfloat16})
        for (std::int64_t bytes : {1, 64, 1000, 1 << 20})
            for (std::int64_t n : {0, 1, 3, 4, 5, 15, 16, 17, 31, 33, 127, 128, 129, 1000}) {
                Tree t = tree_of(n, rank), expected = tree_of(n, middle);
                ad::mpi::mean_into(comm, t, {.on_wire = w, .bucket_bytes = bytes});
                bool same = t.number == expected.number;
                for (std::int64_t i = 0; i < n; ++i)
                    same = same && t.a(i) == expected.a(i) && t.b(i) == expected.b(i) &&
                           float(t.h(i)) == float(expected.h(i)) && float(t.f(i)) == float(expected.f(i)) &&
                           t.i(i) == i + static_cast<std::int64_t>(rank);
                check(same, "means of " + std::to_string(n) + " in buckets of " + std::to_string(bytes));
            }
    // weights: sum of r * r / sum of r, of which rank 0 has NaN, and no weight
    if (ranks > 1) {
        std::vector<double> x(9, rank == 0 ? std::nan("") : rank);
        double sum = 0, squares = 0;
        for (int r = 0; r < ranks; ++r) sum += r, squares += r * r;
        ad::mpi::mean_into(comm, x, {.weight = rank});
        for (double v : x) check(std::abs(v - squares / sum) < 1e-15 * ranks, "weighted means");
    }
    // every other element of a matrix, one column of it in place
    ad::tensor<float, ad::dyn, 4> m(6);
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 4; ++j) m(i, j) = static_cast<float>(10 * i + j) + 2 * static_cast<float>(rank);
    ad::mpi::mean_into(comm,
                       ad::view<float, ad::dyn>(m.data() + 1, 6, std::array<std::ptrdiff_t, 1>{4}));
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 4; ++j)
            check(m(i, j) == static_cast<float>(10 * i + j + 2 * (j == 1 ? middle : rank)), "means of a column");
}

/// Numbers of all sizes in 16 bits: the same on all ranks, and no further off than is said.
void bounds(MPI_Comm comm) {
    using ad::mpi::wire;
    int const ranks = ranks_in(comm);
    for (wire w : {wire::half, wire::bfloat16}) {
        double const u = w == wire::half ? 0x1p-11 : 0x1p-8;
        std::vector<double> mean(3000), magnitude(3000);
        std::vector<float> own;
        for (int r = 0; r < ranks; ++r) {
            std::mt19937 random(static_cast<unsigned>(100 + r));
            std::normal_distribution<float> normal;
            std::vector<float> x(3000);
            for (std::size_t i = 0; i < x.size(); ++i) {
                x[i] = std::ldexp(normal(random), static_cast<int>(i % 24) - 12);
                mean[i] += x[i] / static_cast<double>(ranks);
                magnitude[i] += std::abs(x[i]) / static_cast<double>(ranks);
            }
            if (r == rank_in(comm)) own = x;
        }
        ad::mpi::mean_into(comm, own, {.on_wire = w, .bucket_bytes = 777});
        check(ad::mpi::is_same(comm, own), "means in 16 bits are the same on all ranks");
        double most = 0;
        for (std::size_t i = 0; i < own.size(); ++i) {
            double const floor = w == wire::half ? 0x1p-24 : 0;
            most = std::max(most, (std::abs(own[i] - mean[i]) - floor) / (2 * u * magnitude[i] * (1 + 1e-4)));
        }
        check(most <= 1, "means in 16 bits are off by no more than is said: " + std::to_string(most));
        if (ranks > 1) check(most > 0.05, "the bound says something: " + std::to_string(most));
    }
}

// ---- models and shards ---------------------------------------------------------------------------------------------

void models(MPI_Comm comm) {
    int const rank = rank_in(comm), ranks = ranks_in(comm), last = ranks - 1;
    ad::tensor<float, 4, 3> m;
    for (int i = 0; i < 12; ++i) m.data()[i] = static_cast<float>(100 * rank + i);
    ad::tensor<bool, 2> flags{rank == last, rank != last};
    ad::tensor<std::int64_t, ad::dyn> whole(5);
    for (int i = 0; i < 5; ++i) whole(i) = 10 * rank + i;
    auto model = std::tuple(ad::view<float, 2, 3>(m.data(), std::array<std::ptrdiff_t, 2>{6, 1}), flags, whole, rank + 0.5);
    ad::mpi::broadcast(comm, model, last);
    check(ad::mpi::is_same(comm, model), "what was broadcast is the same");
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 3; ++j)
            check(m(i, j) == static_cast<float>(100 * (i % 2 == 0 ? last : rank) + 3 * i + j), "rows 0 and 2");
    check(std::get<1>(model)(0) && !std::get<1>(model)(1), "truth values");
    check(std::get<2>(model)(4) == 10 * last + 4 && std::get<3>(model) == last + 0.5, "integers and numbers");

    std::int64_t next = 0;
    for (std::int64_t n : {0, 1, 2, 3, 4, 5, 64, 67}) {
        ad::mpi::range const r = ad::mpi::shard_of(comm, n);
        std::int64_t sum = 0;
        MPI_Allreduce(&r.size, &sum, 1, MPI_INT64_T, MPI_SUM, comm);
        MPI_Exscan(&r.size, &next, 1, MPI_INT64_T, MPI_SUM, comm);
        check(sum == n && (rank == 0 ? r.first == 0 : r.first == next), "shards are all items, in order");
        check(r.size == n / ranks || r.size == n / ranks + 1, "shards are as long as others, or one longer");
    }
    ad::tensor<float, 9, 2> rows;
    for (int i = 0; i < 18; ++i) rows.data()[i] = static_cast<float>(i);
    auto const mine = ad::mpi::shard_of(comm, rows);
    ad::mpi::range const r = ad::mpi::shard_of(comm, std::int64_t(9));
    check(static_cast<std::int64_t>(mine.extent(0)) == r.size && mine(0, 1) == rows(r.first, 1), "rows of a shard");
}

// ---- what goes wrong -----------------------------------------------------------------------------------------------

void errors(MPI_Comm comm) {
    int const rank = rank_in(comm), last = ranks_in(comm) - 1;
    auto step = ad::mpi::value_and_grad<0>(loss, comm);
    Net<ad::tensor> net{};
    start(net, 5);
    std::mt19937 random(1);
    auto [x, k] = batch(random, 8, {0, 8});
    auto const before = step(net, x, k);
    check(ad::mpi::is_same(comm, std::tie(before.value, before.grad)), "the same value and gradient on all ranks");
    if (rank == last) k(3) = 17;  // a class that there is not
    bool const told = rank == last ? throws<ad::index_error>("17", [&] { step(net, x, k); })
                                   : throws<ad::mpi::rank_error>("failed: ", [&] { step(net, x, k); });
    check(told, "what one rank throws reaches all");
    k(3) = 0;
    check(std::isfinite(step(net, x, k).value), "and calls go on");

    if (last == 0) return;
    std::vector<float> some(static_cast<std::size_t>(rank == last ? 9 : 8));
    check(throws<ad::mpi::rank_error>("has 9 numbers, rank 0 has 8", [&] { ad::mpi::mean_into(comm, some); }),
          "trees of different sizes");
    check(throws<ad::mpi::rank_error>("different sizes", [&] { ad::mpi::broadcast(comm, some); }),
          "models of different sizes");
    check(throws<ad::mpi::rank_error>("all ranks have the weight 0",
                                      [&] { ad::mpi::mean_into(comm, net, {.weight = 0}); }),
          "no weight at all");
    check(throws<ad::mpi::rank_error>("rank 1 has the weight -1",
                                      [&] { ad::mpi::mean_into(comm, net, {.weight = rank == 1 ? -1.0 : 1.0}); }),
          "a weight below 0");
}

}  // namespace

int main(int argc, char** argv) {
    std::string const part = argc > 1 ? argv[1] : "";
    return ad::mpi::run(argc, argv, [&](MPI_Comm comm) {
        int const rank = rank_in(comm), last = ranks_in(comm) - 1;
        std::vector<float> x(100);
        if (part == "hangs") {  // the others wait for two seconds
            if (rank == last) sleep(60);
            ad::mpi::mean_into(comm, x, {.timeout = 2});
        } else if (part == "throws") {
            if (rank == last) throw std::runtime_error("the disk is full");
            ad::mpi::mean_into(comm, x);
        } else if (part == "dies") {
            if (rank == last) std::_Exit(3);
            ad::mpi::mean_into(comm, x);
        } else {
            trains(comm, 64, ad::mpi::wire::as_stored, 1e-12);
            trains(comm, 61, ad::mpi::wire::as_stored, 1e-12);
            trains(comm, 64, ad::mpi::wire::half, 2e-2);
            means(comm);
            bounds(comm);
            models(comm);
            errors(comm);
        }
        if (failures == 0 && rank == 0) std::printf("all is well on %d ranks\n", last + 1);
        return failures == 0 ? 0 : 1;
    });
}
