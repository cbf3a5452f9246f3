// SPDX-License-Identifier: MIT
// Fuzzes the reader of safetensors. Run by hand:
//     clang++-16 -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -o fuzz
//         -I include -I tests tests/fuzz/safetensors.cpp
//     mkdir corpus; FUZZ_SEEDS=corpus ./fuzz -runs=0
//     ASAN_OPTIONS=detect_stack_use_after_return=0 ./fuzz -runs=1000000 -max_len=2048 corpus

#include <tapeless/io/safetensors.hpp>

#include "fuzz/targets.hpp"

using namespace fuzz;

void fuzz::write_seeds(std::string const& folder) {
    targets t;
    t.a = ad::tensor<float, ad::dyn, 3>{{1, 2, 3}};
    t.c = {1, 2};
    ad::save_safetensors(folder + "/small.safetensors", std::tuple(t.b));
    ad::save_safetensors(folder + "/two.safetensors", std::tuple(t.a, t.d), {{"format", "pt"}, {"\n\"", "\xc3\xa4"}});
    ad::save_safetensors(folder + "/all.safetensors", t);
}

namespace {

template <class Tree>
void load(std::string bytes, bool others) {
    Tree tree;
    attempt(tree, [&](Tree& t) {
        ad::detail::load_safetensors_bytes("f", bytes, ad::detail::file_arrays_of<true>(t), {.ignore_others = others});
    });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string bytes(reinterpret_cast<char const*>(data), size);
    unsigned const which = chosen(bytes);
    // Half of them have the length of their header made right: most inputs would get no further otherwise.
    if (std::size_t const end = bytes.rfind('}'); which & 1 && end != std::string::npos && end >= 8) {
        std::string length;
        ad::detail::append_little_endian<8>(length, end + 1 - 8);
        bytes.replace(0, 8, length);
    }
    bool const others = which & 2;
    switch (which >> 2 & 3) {
        case 0: load<targets>(bytes, others); break;
        case 1: load<std::tuple<ad::tensor<double, 2>>>(bytes, others); break;
        case 2: load<std::tuple<ad::tensor<float, ad::dyn, 3>, ad::tensor<bool, ad::dyn>>>(bytes, others); break;
        default: load<std::tuple<>>(bytes, others);
    }
    return 0;
}
