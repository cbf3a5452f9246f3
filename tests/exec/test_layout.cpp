// SPDX-License-Identifier: MIT
// The layout of the workspace: buffers in use at the same time never share a byte.

#include <tapeless/exec/workspace.hpp>

#include <algorithm>
#include <random>

#include "support/catch.hpp"

using namespace tapeless::detail;

namespace {

constexpr int most = 40;
struct buffers_of_a_plan {
    buffer items[most];
    static constexpr int size() { return most; }
};

}  // namespace

TEST_CASE("layout: buffers that are in use at the same time are apart, and all lie within the total") {
    std::mt19937 random(3);
    auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
    std::int64_t used = 0, needed = 0;
    for (int n = 0; n < 2000; ++n) {
        buffers_of_a_plan b;
        int const count = pick(0, most);
        std::int64_t bytes[most]{}, offset[most]{}, all = 0;
        for (int i = 0; i < count; ++i) {
            b.items[i].first = pick(0, 20);
            b.items[i].last = b.items[i].first + pick(0, pick(0, 20));
            bytes[i] = 64 * (n % 2 ? pick(0, 5) : pick(0, pick(0, 1) ? 5 : 2000));  // large and small ones too
            all += bytes[i];
        }
        std::int64_t const total = lay_out(b, count, bytes, offset);
        for (int i = 0; i < count; ++i) {
            REQUIRE(offset[i] >= 0);
            REQUIRE(offset[i] % 64 == 0);
            REQUIRE(offset[i] + bytes[i] <= total);
            for (int j = 0; j < i; ++j) {
                bool const together = b.items[i].first <= b.items[j].last && b.items[j].first <= b.items[i].last;
                bool const apart = offset[i] + bytes[i] <= offset[j] || offset[j] + bytes[j] <= offset[i];
                REQUIRE((!together || apart || bytes[i] == 0 || bytes[j] == 0));
            }
        }
        REQUIRE(total <= all);
        used += total;
        needed += all;
    }
    CHECK(used < needed * 3 / 4);  // and memory is used again
}

TEST_CASE("layout: a chain of arrays, each needed for the next one only, takes the room of two") {
    buffers_of_a_plan b;
    std::int64_t bytes[most], offset[most];
    for (int i = 0; i < most; ++i) {
        b.items[i].first = i;
        b.items[i].last = i + 1;
        bytes[i] = 128;
    }
    CHECK(lay_out(b, most, bytes, offset) == 256);
}

TEST_CASE("layout: a small array does not take the place that a large one has left for the next") {
    buffers_of_a_plan b;
    std::int64_t const bytes[] = {64 * 1000, 64 * 900, 64, 64 * 1000};
    std::int64_t offset[4];
    int const first[] = {0, 1, 2, 3}, last[] = {1, 3, 3, 4};
    for (int i = 0; i < 4; ++i) b.items[i].first = first[i], b.items[i].last = last[i];
    CHECK(lay_out(b, 4, bytes, offset) == 64 * 1901);
    CHECK(offset[3] == offset[0]);
}

TEST_CASE("layout: a workspace grows, keeps what it has, and a copy has its own") {
    workspace w;
    std::byte* const first = w.reserve(100);
    CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
    CHECK(w.reserve(50) == first);
    workspace copy = w;
    CHECK(copy.reserve(10) != first);
    workspace moved = std::move(w);
    CHECK(moved.reserve(100) == first);
}
