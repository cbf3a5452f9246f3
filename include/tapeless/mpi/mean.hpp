// SPDX-License-Identifier: MIT
#pragma once
// Trees of arrays averaged over ranks. Numbers of all arrays, one after the other, are cut into buckets; while some of
// them are on their way, the next is filled.
//
// In 16 bits each rank adds up one part of a bucket, in float and in the order of the ranks, and sends it to the
// others: numbers are rounded when they leave and when the mean does, however many ranks there are.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <tapeless/base/inline.hpp>
#include <tapeless/exec/workspace.hpp>
#include <tapeless/mpi/ranks.hpp>
#include <tapeless/optim/arrays.hpp>

namespace tapeless::detail::inline mpi_part {

constexpr bool is_averaged(dtype d) {
    return d == dtype::f32 || d == dtype::f64 || d == dtype::f16 || d == dtype::bf16;
}
/// The floating-point arrays of a tree, which are averaged; others are left alone.
template <class Tree>
struct averaged_summary {
    struct counts {
        std::size_t arrays = 0;
        unsigned types = 0;
    };
    static constexpr counts count() {
        list<leaf_info> all;
        describe_leaves<Tree>(all);
        counts c;
        for (leaf_info const& l : all)
            if (is_averaged(l.type)) {
                ++c.arrays;
                c.types |= type_bit(l.type);
            }
        return c;
    }
    static constexpr std::size_t arrays = count().arrays;
    static constexpr unsigned types = count().types;
};
template <class Tree>
std::array<tree_array, averaged_summary<std::remove_cv_t<Tree>>::arrays> averaged_arrays(Tree& tree) {
    std::array<tree_array, averaged_summary<std::remove_cv_t<Tree>>::arrays> all;
    std::size_t next = 0;
    each_leaf(tree, [&](auto& l) {
        using value = typename leaf_traits<std::remove_cvref_t<decltype(l)>>::value_type;
        if constexpr (is_averaged(dtype_of<value>())) {
            static_assert(!std::is_const_v<std::remove_pointer_t<
                              decltype(leaf_traits<std::remove_cvref_t<decltype(l)>>::data(l))>>,
                          "mean_into writes the arrays that it averages, so they cannot be const");
            all[next++] = arrays_of<true>(l)[0];
        }
    });
    return all;
}

/// What ranks tell each other before they average: all have to agree on how many numbers there are, and none to have
/// failed.
struct rank_card {
    double weight = 1, numbers = 0, failed = 0;
};

/// Arrays on their way to their mean. `start` fills a bucket and sends it; all ranks do so in the same order.
template <unsigned Types>
class mean_job {
public:
    mean_job(mpi_calls const& calls, workspace& memory, mpi::mean_options const& options,
             std::span<tree_array const> arrays)
        : calls_(calls), options_(options), memory_(memory), arrays_(arrays), ranks_(ranks_of(calls.comm())) {}

    std::int64_t numbers() const {
        std::int64_t n = 0;
        for (tree_array const& a : arrays_) n += a.size();
        return n;
    }

    /// Makes the arrays those of all ranks' mean, weighted as `cards` say.
    void run(rank_card const* cards) {
        if (options_.on_wire == mpi::wire::half) return run_in<float, half>(cards, ~0u);
        if (options_.on_wire == mpi::wire::bfloat16) return run_in<float, bfloat16>(cards, ~0u);
        if constexpr (Types & ~type_bit(dtype::f64)) run_in<float, float>(cards, ~type_bit(dtype::f64));
        if constexpr (Types & type_bit(dtype::f64)) run_in<double, double>(cards, type_bit(dtype::f64));
    }

private:
    static constexpr int in_flight = 4;

    struct bucket {
        std::int64_t first = 0, count = 0, part = 0;  ///< part: what each rank adds up, in 16 bits
        MPI_Request request = MPI_REQUEST_NULL;
        std::byte *numbers = nullptr, *sent = nullptr, *received = nullptr;
    };
    mpi_calls const& calls_;
    mpi::mean_options const& options_;
    workspace& memory_;
    std::span<tree_array const> arrays_;
    int ranks_;

    template <class T>
    TAPELESS_CONFIG_INLINE static auto get(T const* p) {
        return simd::detail::raw(simd::load(p));
    }
    template <class T, class V>
    TAPELESS_CONFIG_INLINE static void put(T* p, V v) {
        simd::store(p, simd::detail::wrap<T>(v));
    }
    /// f(array, its first element, how many, position in the bucket) for the numbers of a bucket.
    template <class F>
    void each_array(unsigned types, bucket const& b, F const& f) const {
        std::int64_t begin = 0;
        for (tree_array const& a : arrays_) {
            if (!(types & type_bit(a.type))) continue;
            std::int64_t const from = std::max(b.first, begin), to = std::min(b.first + b.count, begin + a.size());
            if (from < to) f(a, from - begin, to - from, from - b.first);
            begin += a.size();
        }
    }

    template <class T, class Wire>
    void run_in(rank_card const* cards, unsigned types) {
        constexpr bool packed = !std::same_as<T, Wire>;
        std::int64_t all = 0;
        for (tree_array const& a : arrays_)
            if (types & type_bit(a.type)) all += a.size();
        std::int64_t const least = simd::lanes<T> * ranks_;
        std::int64_t most =
            std::max(least, options_.bucket_bytes / static_cast<std::int64_t>(sizeof(Wire)) / least * least);
        if (most > 1 << 30) most = (1 << 30) / least * least;  // MPI counts in int
        most = std::min(most, (all + least - 1) / least * least);
        if (all == 0) return;
        double weights = 0;
        for (int r = 0; r < ranks_; ++r) weights += cards[r].weight;
        std::int64_t const buckets = (all + most - 1) / most, flying = buckets < in_flight ? buckets : in_flight;
        auto const room = [](std::int64_t n, std::size_t size) {
            return (n * static_cast<std::int64_t>(size) + 63) / 64 * 64;
        };
        std::int64_t const numbers = room(most, sizeof(T)), wired = packed ? room(most, sizeof(Wire)) : 0;
        std::byte* const memory = memory_.reserve(static_cast<std::size_t>(flying * (numbers + 2 * wired)));
        bucket slot[in_flight];
        for (std::int64_t i = 0; i < flying; ++i) {
            slot[i].numbers = memory + i * (numbers + 2 * wired);
            slot[i].sent = slot[i].numbers + numbers;
            slot[i].received = slot[i].sent + wired;
        }
        double const own = cards[rank_of(calls_.comm())].weight;
        for (std::int64_t n = 0; n < buckets; ++n) {
            bucket& b = slot[n % flying];
            if (n >= flying) finish<T, Wire>(types, b, weights);
            b.first = n * most;
            b.count = std::min(most, all - b.first);
            start<T, Wire>(types, b, own);
            if constexpr (packed)
                if (n > 0) add_up<Wire>(slot[(n - 1) % flying], cards, weights);
        }
        if constexpr (packed) add_up<Wire>(slot[(buckets - 1) % flying], cards, weights);
        for (std::int64_t n = buckets - flying; n < buckets; ++n) finish<T, Wire>(types, slot[n % flying], weights);
    }

    /// This rank's part of a sum begins its way.
    template <class T, class Wire>
    void start(unsigned types, bucket& b, double weight) {
        T* const x = reinterpret_cast<T*>(b.numbers);
        std::int64_t const whole = whole_batches<T>(b.count);
        for (std::int64_t i = whole - simd::lanes<T>; i < whole; ++i) x[i] = T(0);
        if (weight == 0) std::fill_n(x, b.count, T(0));  // and not 0 times NaN, where there are no items
        else
            each_array(types, b, [&](tree_array const& a, std::int64_t first, std::int64_t n, std::int64_t at) {
                read_elements<Types>(a, first, n, x + at);
            });
        if constexpr (std::same_as<T, Wire>) {
            for (std::int64_t i = 0; weight != 1 && i < whole; i += simd::lanes<T>)
                put(x + i, static_cast<T>(weight) * get(x + i));
            calls_.check(MPI_Iallreduce(MPI_IN_PLACE, x, static_cast<int>(b.count),
                                        std::same_as<T, double> ? MPI_DOUBLE : MPI_FLOAT, MPI_SUM, calls_.comm(),
                                        &b.request));
        } else {
            Wire* const to = reinterpret_cast<Wire*>(b.sent);
            b.part = whole_batches<T>((b.count + ranks_ - 1) / ranks_);
            for (std::int64_t i = 0; i < whole; i += simd::lanes<T>)
                simd::store(to + i, simd::narrow<Wire>(simd::load(static_cast<T const*>(x) + i)));
            std::fill(to + whole, to + std::max(whole, b.part * ranks_), Wire(0));
            calls_.check(MPI_Ialltoall(b.sent, static_cast<int>(b.part), MPI_UINT16_T, b.received,
                                       static_cast<int>(b.part), MPI_UINT16_T, calls_.comm(), &b.request));
        }
    }

    /// Of 16 bits: the part that is this rank's, to all.
    template <class Wire>
    void add_up(bucket& b, rank_card const* cards, double weights) {
        calls_.wait(b.request);
        Wire const* const from = reinterpret_cast<Wire const*>(b.received);
        Wire* const to = reinterpret_cast<Wire*>(b.sent);
        for (std::int64_t i = 0; i < b.part; i += simd::lanes<float>) {
            simd::detail::vec<float> sum{};
            for (int r = 0; r < ranks_; ++r)
                sum += static_cast<float>(cards[r].weight) *
                       simd::detail::raw(simd::widen(simd::load(from + r * b.part + i)));
            simd::store(to + i, simd::narrow<Wire>(simd::detail::wrap<float>(sum / static_cast<float>(weights))));
        }
        calls_.check(MPI_Iallgather(b.sent, static_cast<int>(b.part), MPI_UINT16_T, b.received,
                                    static_cast<int>(b.part), MPI_UINT16_T, calls_.comm(), &b.request));
    }

    /// The mean is there, and is written.
    template <class T, class Wire>
    void finish(unsigned types, bucket& b, [[maybe_unused]] double weights) {
        calls_.wait(b.request);
        T* const x = reinterpret_cast<T*>(b.numbers);
        for (std::int64_t i = 0; i < b.count; i += simd::lanes<T>) {
            if constexpr (std::same_as<T, Wire>) put(x + i, get(x + i) / static_cast<T>(weights));
            else simd::store(x + i, simd::widen(simd::load(reinterpret_cast<Wire const*>(b.received) + i)));
        }
        each_array(types, b, [&](tree_array const& a, std::int64_t first, std::int64_t n, std::int64_t at) {
            write_elements<Types>(a, first, n, static_cast<T const*>(x) + at);
        });
    }
};

/// What every rank says of itself; throws, on all of them, where they do not agree.
[[gnu::noinline]] inline void exchange_cards(mpi_calls const& calls, char const* who, rank_card const& own,
                                             std::vector<rank_card>& all, std::string const& why) {
    all.resize(static_cast<std::size_t>(ranks_of(calls.comm())));
    MPI_Request request = MPI_REQUEST_NULL;
    calls.check(MPI_Iallgather(&own, 3, MPI_DOUBLE, all.data(), 3, MPI_DOUBLE, calls.comm(), &request));
    calls.wait(request);
    auto const name_of_rank = [&](std::size_t r) { return std::string(who) + ": rank " + std::to_string(r); };
    for (std::size_t r = 0; r < all.size(); ++r)
        if (all[r].failed != 0) {
            char text[256] = "";
            why.copy(text, sizeof text - 1);
            calls.check(MPI_Ibcast(text, sizeof text, MPI_CHAR, static_cast<int>(r), calls.comm(), &request));
            calls.wait(request);
            raise(mpi::rank_error(name_of_rank(r) + " failed: " + text));
        }
    double weights = 0;
    for (std::size_t r = 0; r < all.size(); ++r) {
        auto const numbers = [&](std::size_t i) {
            return std::to_string(static_cast<std::int64_t>(all[i].numbers));
        };
        if (all[r].numbers != all[0].numbers)
            raise(mpi::rank_error(name_of_rank(r) + " has " + numbers(r) + " numbers, rank 0 has " + numbers(0)));
        if (!(all[r].weight >= 0 && all[r].weight <= 1e300))
            raise(mpi::rank_error(name_of_rank(r) + " has the weight " + std::to_string(all[r].weight) +
                                  ", it should be 0 or more, and finite"));
        weights += all[r].weight;
    }
    if (!(weights > 0)) raise(mpi::rank_error(std::string(who) + ": all ranks have the weight 0"));
}

/// What is kept between calls.
struct mean_memory {
    workspace buckets;
    std::vector<rank_card> cards;
};

template <class Tree>
void mean_over_ranks(MPI_Comm comm, char const* who, mean_memory& memory, mpi::mean_options const& options,
                     Tree& tree, std::string const* failed = nullptr) {
    auto const arrays = averaged_arrays(tree);
    mpi_calls const calls(comm, who, options.timeout);
    mean_job<averaged_summary<std::remove_cv_t<Tree>>::types> job(calls, memory.buckets, options, arrays);
    exchange_cards(calls, who, {options.weight, static_cast<double>(job.numbers()), failed ? 1.0 : 0.0}, memory.cards,
                   failed ? *failed : std::string());
    if (ranks_of(comm) > 1) job.run(memory.cards.data());
}

}  // namespace tapeless::detail::mpi_part

namespace tapeless::mpi {

/// Each number of g becomes its mean over the ranks, weighted by what each of them says. Integers are left as they
/// are. All ranks call it, with trees alike.
///
///     ad::mpi::mean_into(comm, gradient);
///     ad::mpi::mean_into(comm, gradient, {.weight = items, .on_wire = ad::mpi::wire::bfloat16});
///
/// With float or double on the wire the numbers are those of MPI's sum. With 16 bits they are the same, bit by bit, on
/// any MPI, and off by no more than 2 u times the mean of their magnitudes, and the rounding of float: u is 2^-8 of
/// bfloat16, and of half 2^-11, but for an absolute 2^-25 below 2^-14.
template <class G>
void mean_into(MPI_Comm comm, G&& g, mean_options const& options = {}) {
    static thread_local detail::mean_memory memory;
    detail::mean_over_ranks(comm, "mean_into", memory, options, g);
}

}  // namespace tapeless::mpi
