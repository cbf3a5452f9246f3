// SPDX-License-Identifier: MIT
// Fuzzes the readers of .npy and .npz. Run by hand:
//     clang++-16 -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o fuzz
//         -I include -I tests tests/fuzz/npy.cpp
//     mkdir corpus; FUZZ_SEEDS=corpus ./fuzz -runs=0
//     ASAN_OPTIONS=detect_stack_use_after_return=0 ./fuzz -runs=1000000 -max_len=2048 corpus

#include <tapeless/io/npy.hpp>

#include "fuzz/targets.hpp"

using namespace fuzz;

void fuzz::write_seeds(std::string const& folder) {
    targets t;
    t.a = ad::tensor<float, ad::dyn, 3>{{1, 2, 3}};
    t.c = {1, 2};
    ad::save_npy(folder + "/a.npy", t.a);
    ad::save_npy(folder + "/b.npy", t.b);
    ad::save_npy(folder + "/d.npy", t.d);
    ad::save_npy(folder + "/f.npy", t.f);
    ad::save_npy(folder + "/i.npy", ad::view<std::int32_t, 2, 3>(t.memory.data(), std::array<std::ptrdiff_t, 2>{1, 2}));
    ad::save_npz(folder + "/small.npz", std::tuple(t.a));
    ad::save_npz(folder + "/all.npz", t);
    ad::detail::save_npz_arrays(folder + "/wide.npz", ad::detail::file_arrays_of<false>(t), 0);
}

namespace {

template <class Tree>
void one(Tree tree, std::string bytes) {
    attempt(tree, [&](Tree& t) { ad::detail::load_npy_bytes("f", bytes, ad::detail::file_array_of<true>(t, "")); });
}

template <class Tree>
void archive(std::string bytes, bool others) {
    Tree tree;
    attempt(tree, [&](Tree& t) {
        ad::detail::load_npz_bytes("f", bytes, ad::detail::file_arrays_of<true>(t), {.ignore_others = others});
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string const bytes(reinterpret_cast<char const*>(data), size);
    unsigned const which = chosen(bytes);
    if (bytes.starts_with("\x93NUMPY")) {
        targets t;
        switch (which % 8) {
            case 0: one(t.a, bytes); break;
            case 1: one(t.b, bytes); break;
            case 2: one(t.c, bytes); break;
            case 3: one(t.d, bytes); break;
            case 4: one(t.e[0], bytes); break;
            case 5: one(t.f, bytes); break;
            case 6: one(t.g, bytes); break;
            default: one(ad::view<std::int32_t, 2, 3>(t.memory.data(), std::array<std::ptrdiff_t, 2>{1, 2}), bytes);
        }
    } else if (which & 1) {
        archive<targets>(bytes, which & 2);
    } else {
        archive<std::tuple<ad::tensor<float, ad::dyn, 3>>>(bytes, which & 2);
    }
    return 0;
}
