// SPDX-License-Identifier: MIT
#pragma once
// A model on all ranks: copied from one of them, and compared.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <tapeless/array/strided.hpp>
#include <tapeless/array/tree.hpp>
#include <tapeless/mpi/ranks.hpp>

namespace tapeless::detail::inline mpi_part {

/// f(pointer, bytes) for the memory of every array; what does not lie in one piece is copied, and back if Written.
template <bool Written, class Tree, class F>
void each_memory(Tree& tree, F const& f) {
    each_leaf(tree, [&](auto& l) {
        using traits = leaf_traits<std::remove_cvref_t<decltype(l)>>;
        using T = typename traits::value_type;
        auto* const data = traits::data(l);
        auto const e = traits::extents(l);
        std::int64_t n = 1;
        for (std::int64_t const length : e) n *= length;
        if constexpr (!traits::is_dense) {
            auto const s = traits::strides(l);
            bool dense = true;
            for (std::size_t k = e.size(); k-- > 0;) {
                std::ptrdiff_t step = 1;
                for (std::size_t m = k + 1; m < e.size(); ++m) step *= e[m];
                dense = dense && (e[k] == 1 || s[k] == step);
            }
            if (!dense && n > 1) {
                std::vector<std::byte> copy(static_cast<std::size_t>(n) * sizeof(T));
                auto const each = [&](auto const& move) {
                    for (std::int64_t i = 0; i < n; ++i) {
                        std::int64_t rest = i;
                        std::ptrdiff_t at = 0;
                        for (std::size_t k = e.size(); k-- > 0; rest /= e[k]) at += rest % e[k] * s[k];
                        move(data + at, copy.data() + static_cast<std::size_t>(i) * sizeof(T));
                    }
                };
                each([](auto* x, std::byte* c) { std::memcpy(c, x, sizeof(T)); });
                f(static_cast<void*>(copy.data()), n * static_cast<std::int64_t>(sizeof(T)));
                if constexpr (Written) each([](auto* x, std::byte* c) { std::memcpy(x, c, sizeof(T)); });
                return;
            }
        }
        static_assert(!Written || !std::is_const_v<std::remove_pointer_t<decltype(data)>>,
                      "broadcast writes the arrays of a model, so they cannot be const");
        f(const_cast<void*>(static_cast<void const*>(data)), n * static_cast<std::int64_t>(sizeof(T)));
    });
}

/// Whether all ranks say the same.
inline bool is_same_number(mpi_calls const& calls, std::uint64_t n) {
    std::uint64_t own[2]{n, ~n}, most[2]{};
    MPI_Request request = MPI_REQUEST_NULL;
    calls.check(MPI_Iallreduce(own, most, 2, MPI_UINT64_T, MPI_MAX, calls.comm(), &request));
    calls.wait(request);
    return most[0] == ~most[1];  // the largest is the smallest
}

}  // namespace tapeless::detail::mpi_part

namespace tapeless::mpi {

/// The arrays of a model, whatever their element type, become those of rank `from`. They have the same lengths on all
/// ranks.
template <class Model>
void broadcast(MPI_Comm comm, Model&& model, int from = 0, double timeout = mean_options{}.timeout) {
    detail::mpi_calls const calls(comm, "broadcast", timeout);
    std::uint64_t bytes = 0;
    detail::each_memory<false>(model, [&](void*, std::int64_t n) { bytes += static_cast<std::uint64_t>(n); });
    if (!detail::is_same_number(calls, bytes))
        detail::raise(rank_error("broadcast: ranks have models of different sizes, this one has " +
                                 std::to_string(bytes) + " bytes"));
    detail::each_memory<true>(model, [&](void* data, std::int64_t n) {
        constexpr std::int64_t most = std::int64_t(1) << 30;
        for (std::int64_t i = 0; i < n; i += most) {
            MPI_Request request = MPI_REQUEST_NULL;
            calls.check(MPI_Ibcast(static_cast<std::byte*>(data) + i, static_cast<int>(n - i < most ? n - i : most),
                                   MPI_BYTE, from, comm, &request));
            calls.wait(request);
        }
    });
}

/// Whether the arrays of a model are the same on all ranks, bit by bit: a sum of 64 bits is compared.
template <class Model>
bool is_same(MPI_Comm comm, Model const& model, double timeout = mean_options{}.timeout) {
    std::uint64_t hash = 0xcbf29ce484222325u;
    detail::each_memory<false>(model, [&](void* data, std::int64_t n) {
        for (std::int64_t i = 0; i < n; i += 8) {
            std::uint64_t word = static_cast<std::uint64_t>(n);
            std::memcpy(&word, static_cast<std::byte*>(data) + i, static_cast<std::size_t>(n - i < 8 ? n - i : 8));
            hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
            hash ^= hash >> 29;
        }
    });
    return detail::is_same_number(detail::mpi_calls(comm, "is_same", timeout), hash);
}

}  // namespace tapeless::mpi
