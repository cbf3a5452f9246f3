// SPDX-License-Identifier: MIT
// Reads the files that check.py had NumPy and safetensors write, and writes what it has read: FOLDER/x.npy to
// FOLDER/ours/x.npy.

#include <tapeless/io/npy.hpp>
#include <tapeless/io/safetensors.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

namespace ad = tapeless;

struct layer {
    ad::tensor<float, ad::dyn, 3> weight;
    ad::tensor<double, 3> bias;
};
struct model {
    std::array<layer, 2> layers;
    ad::tensor<ad::half, ad::dyn> halves;
    ad::tensor<bool, 2, 2> flags;
    ad::tensor<std::int8_t, ad::dyn> i8;
    ad::tensor<std::int16_t, ad::dyn> i16;
    ad::tensor<std::int32_t, ad::dyn> i32;
    ad::tensor<std::int64_t, ad::dyn> i64;
    ad::tensor<std::uint8_t, ad::dyn> u8;
    ad::tensor<std::uint16_t, ad::dyn> u16;
    ad::tensor<std::uint32_t, ad::dyn> u32;
    ad::tensor<std::uint64_t, ad::dyn> u64;
    ad::tensor<float, ad::dyn, 0> none;
    double number = 0;
};
struct brain {
    ad::tensor<ad::bfloat16, ad::dyn, 2> brain;
};

template <class Array>
void copy(std::string const& folder, std::string const& name) {
    ad::save_npy(folder + "/ours/" + name, ad::load_npy<Array>(folder + "/" + name));
}

int main(int count, char** arguments) {
    if (count < 3) return 2;
    std::string const folder = arguments[1], what = arguments[2];
    try {
        if (what == "numpy") {
            for (auto const* name :
                 {"rows.npy", "columns.npy", "big_endian.npy", "big_columns.npy", "version_2.npy", "version_3.npy"})
                copy<ad::tensor<float, ad::dyn, ad::dyn>>(folder, name);
            auto const transposed = ad::load_npy<ad::tensor<float, 5, 3>>(folder + "/rows.npy");
            ad::save_npy(folder + "/ours/transposed.npy",
                         ad::view<float const, 3, 5>(transposed.data(), std::array<std::ptrdiff_t, 2>{1, 3}));
            model m;
            ad::load_npz(folder + "/model.npz", m);
            ad::save_npz(folder + "/ours/model.npz", m);
            ad::detail::save_npz_arrays(folder + "/ours/wide.npz", ad::detail::file_arrays_of<false>(m), 0);
        } else if (what == "safetensors") {
            model m;
            ad::load_safetensors(folder + "/model.safetensors", m);
            ad::save_safetensors(folder + "/ours/model.safetensors", m,
                                 ad::load_safetensors_metadata(folder + "/model.safetensors"));
        } else {
            brain b;
            ad::load_safetensors(folder + "/brain.safetensors", b);
            ad::save_safetensors(folder + "/ours/brain.safetensors", b, {{"format", "pt"}});
        }
    } catch (ad::file_error const& e) {
        std::printf("%s\n", e.what());
        return 1;
    }
}
