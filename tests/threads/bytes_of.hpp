// SPDX-License-Identifier: MIT
#pragma once
// Results bit by bit, for tests and benchmarks of threads.

#include <string>

#include <tapeless/tapeless.hpp>

namespace tests {

/// All numbers of a tree, as bytes.
template <class Tree>
std::string bytes_of(Tree const& tree) {
    std::string s;
    tapeless::for_each_leaf(
        [&](auto const& a) {
            if constexpr (requires { a.data(); a.size(); })
                s.append(reinterpret_cast<char const*>(a.data()), a.size() * sizeof(*a.data()));
            else s.append(reinterpret_cast<char const*>(&a), sizeof a);
        },
        tree);
    return s;
}

}  // namespace tests
