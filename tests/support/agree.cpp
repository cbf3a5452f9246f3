// SPDX-License-Identifier: MIT
// Arrays of the library as the oracle's.

#include "support/agree.hpp"

#include <utility>

namespace oracle {
namespace {

template <class T>
void copy(void const* data, places const& at, array& to) {
    for (std::size_t i = 0; i < at.size(); ++i) {
        T const v = static_cast<T const*>(data)[static_cast<std::ptrdiff_t>(at[i])];
        if constexpr (std::integral<T>) to.whole[i] = static_cast<std::int64_t>(v);
        else if constexpr (graph::storage_only<T>) to.real[i] = static_cast<float>(v);
        else to.real[i] = v;
    }
}

}  // namespace

void read_array(dtype type, void const* data, int rank, std::int64_t const* extents, std::ptrdiff_t const* stride,
                std::vector<array>& to) {
    array x(type, lengths(extents, extents + rank));
    places const at = walk(x.shape, stride ? lengths(stride, stride + rank) : strides_of(x.shape));
    switch (type) {
        case dtype::f32: copy<float>(data, at, x); break;
        case dtype::f64: copy<double>(data, at, x); break;
        case dtype::f16: copy<tapeless::half>(data, at, x); break;
        case dtype::bf16: copy<tapeless::bfloat16>(data, at, x); break;
        case dtype::b8: copy<bool>(data, at, x); break;
        case dtype::i8: copy<std::int8_t>(data, at, x); break;
        case dtype::u8: copy<std::uint8_t>(data, at, x); break;
        case dtype::i16: copy<std::int16_t>(data, at, x); break;
        case dtype::u16: copy<std::uint16_t>(data, at, x); break;
        case dtype::i32: copy<std::int32_t>(data, at, x); break;
        case dtype::u32: copy<std::uint32_t>(data, at, x); break;
        case dtype::i64: copy<std::int64_t>(data, at, x); break;
        default: throw error("an array of masks in memory");
    }
    to.push_back(std::move(x));
}

}  // namespace oracle
