// SPDX-License-Identifier: MIT
// Arrays that have elements in common, beside a list of all their bytes.

#include <tapeless/array/overlap.hpp>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "support/catch.hpp"

using namespace tapeless::detail;

namespace {

byte_array make(std::byte* data, int element, std::vector<std::int64_t> extents, std::vector<std::ptrdiff_t> strides) {
    byte_array a;
    a.at.data = data;
    a.at.rank = static_cast<int>(extents.size());
    a.element = element;
    for (std::size_t k = 0; k < extents.size(); ++k) {
        a.at.extent[k] = extents[k];
        a.at.stride[k] = strides[k];
    }
    return a;
}

void list_bytes(byte_array const& a, std::set<std::byte*>& all, int axis = 0) {
    if (axis == a.at.rank) {
        for (int i = 0; i < a.element; ++i) all.insert(static_cast<std::byte*>(a.at.data) + i);
        return;
    }
    for (std::int64_t i = 0; i < a.at.extent[axis]; ++i) list_bytes(a.part(axis, i, 1), all, axis + 1);
}
bool have_a_byte_in_common(byte_array const& a, byte_array const& b) {
    std::set<std::byte*> x, y;
    list_bytes(a, x);
    list_bytes(b, y);
    for (std::byte* p : x)
        if (y.count(p)) return true;
    return false;
}

}  // namespace

TEST_CASE(
    "overlap: arrays of up to three axes, any strides and elements of different sizes meet where they have a byte in "
    "common") {
    std::mt19937 random(7);
    auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    std::vector<std::byte> memory(4096);
    int met = 0;
    for (int n = 0; n < 4000; ++n) {
        auto any = [&] {
            int const element = pick(0, 1) ? 4 : 8, rank = pick(0, 3);
            std::vector<std::int64_t> extents;
            std::vector<std::ptrdiff_t> strides;
            for (int k = 0; k < rank; ++k) {
                extents.push_back(pick(0, 20) == 0 ? 0 : pick(1, 5));
                strides.push_back(4 * pick(-24, 24));
            }
            return make(memory.data() + 2048 + 4 * pick(-40, 40), element, extents, strides);
        };
        byte_array const a = any(), b = any();
        bool const expected = have_a_byte_in_common(a, b);
        REQUIRE(meet(a, b) == expected);
        REQUIRE(meet(b, a) == expected);
        met += expected;
    }
    CHECK(met > 400);
    CHECK(met < 3600);
}

TEST_CASE(
    "overlap: columns of a matrix, members of structs and halves of a matrix do not meet, however many rows there "
    "are") {
    std::byte* const data = reinterpret_cast<std::byte*>(std::uintptr_t{1} << 40);  // nothing is read
    constexpr std::int64_t rows = std::int64_t{1} << 33;
    byte_array const first = make(data, 8, {rows}, {24}), second = make(data + 8, 8, {rows}, {24});
    CHECK_FALSE(meet(first, second));
    CHECK(meet(first, make(data + 24, 8, {rows}, {24})));
    CHECK_FALSE(meet(make(data, 4, {50, rows}, {4, 400}), make(data + 200, 4, {50, rows}, {4, 400})));
    CHECK_FALSE(
        meet(make(data, 4, {50, rows}, {4, 400}), make(data + 200 + (rows - 1) * 400, 4, {50, rows}, {4, -400})));
    CHECK(meet(make(data, 4, {51, rows}, {4, 400}), make(data + 200, 4, {50, rows}, {4, 400})));
}

TEST_CASE("overlap: elements are copied between arrays of any strides, and nothing else is written") {
    std::vector<float> from(60), to(60, -1.0f);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
    auto bytes = [](std::vector<float>& v, std::size_t first) {
        return reinterpret_cast<std::byte*>(v.data() + first);
    };
    copy_elements(make(bytes(from, 59), 4, {3, 4}, {-8, -24}), make(bytes(to, 1), 4, {3, 4}, {16, 48}));
    std::size_t written = 0;
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            CHECK(to[1 + 12 * i + 4 * j] == from[59 - 6 * i - 2 * j]);
            ++written;
        }
    CHECK(static_cast<std::size_t>(std::count(to.begin(), to.end(), -1.0f)) == to.size() - written);
}
