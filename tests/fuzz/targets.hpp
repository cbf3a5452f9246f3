// SPDX-License-Identifier: MIT
#pragma once
// What the fuzzers of the readers share: targets of many kinds, which an error must leave as they were.

#include <tapeless/array/view.hpp>
#include <tapeless/io/array_file.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace fuzz {

namespace ad = tapeless;

/// Names of one letter, so that chance finds them.
struct targets {
    ad::tensor<float, ad::dyn, 3> a;
    ad::tensor<double, 2> b{1, 2};
    std::vector<ad::half> c;
    ad::tensor<bool, ad::dyn> d{true, false, true};
    std::array<ad::tensor<ad::bfloat16, ad::dyn, ad::dyn>, 2> e;
    std::int64_t f = 7;
    ad::tensor<std::uint8_t, ad::dyn, ad::dyn, ad::dyn> g;
    ad::tensor<std::int32_t, 3, 2> memory{{1, 2}, {3, 4}, {5, 6}};
};

/// The bytes of all elements, and all lengths.
template <class Tree>
std::string state(Tree& tree) {
    std::string s;
    for (auto const& a : ad::detail::file_arrays_of<false>(tree)) {
        s += a.name + a.lengths_text();
        ad::detail::with_file_elements("", a, false, [&](char const* bytes, std::size_t n) { s.append(bytes, n); });
    }
    return s;
}

/// Which target an input is tried on: the same one always, and another one after most mutations.
inline unsigned chosen(std::string const& bytes) {
    unsigned h = 2166136261u;
    for (char const c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    return h >> 16;
}

/// Calls load(tree), and sees to it that an error changes nothing. Returns whether it went well.
template <class Tree, class F>
bool attempt(Tree& tree, F&& load) {
    std::string const before = state(tree);
    try {
        load(tree);
        (void)state(tree);  // reads every element
        return true;
    } catch (ad::file_error const& e) {
        if (std::string(e.what()).size() > 3000 || state(tree) != before) {
            std::fprintf(stderr, "the target has changed, or the message is long: %s\n", e.what());
            std::abort();
        }
    }
    return false;
}

/// Files that are right, for the fuzzer to begin with.
void write_seeds(std::string const& folder);

}  // namespace fuzz

// A fuzzer is one file, which includes this one.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
    if (char const* const folder = std::getenv("FUZZ_SEEDS")) fuzz::write_seeds(folder);
    return 0;
}
