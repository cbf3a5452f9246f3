// SPDX-License-Identifier: MIT
// tensor: the memory it owns, copied, moved and handed over.
#include <tapeless/array/tensor.hpp>

#include "support/catch.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>
#include <utility>

using namespace tapeless;

namespace {
std::size_t aligned_allocations = 0, aligned_bytes = 0, given_back = 0;

template <class F>
std::size_t allocations_in(F&& f) {
    auto const before = aligned_allocations;
    f();
    return aligned_allocations - before;
}
bool is_aligned(void const* p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }
}  // namespace

// Only the aligned forms are replaced: tensors use no other.
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a) {
    ++aligned_allocations;
    aligned_bytes = n;
    if (void* p = std::aligned_alloc(static_cast<std::size_t>(a), n)) return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept {
    given_back += p != nullptr;
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

TEST_CASE("tensor: what was allocated is given back") {
    auto const made = aligned_allocations, back = given_back;
    {
        tensor<float, dyn, 3> a{{1, 2, 3}}, b, c(2);
        b = a;
        tensor<float, 100, 100> const large;
        c = std::move(b);
        CHECK(c(0, 2) == large(0, 0) + 3);
    }
    CHECK(aligned_allocations - made == 4);
    CHECK(given_back - back == 4);
}

TEST_CASE("tensor: zero lengths are legal and allocate nothing") {
    CHECK(allocations_in([] {
              tensor<float, dyn, 3> a(0);
              tensor<float, dyn, dyn> b(1000, 0);
              tensor<float, 0, 7> c;
              auto d = b;
              CHECK(a.size() + b.size() + c.size() + d.size() == 0);
              CHECK(d.extents() == std::array<std::int64_t, 2>{1000, 0});
              CHECK(c.begin() == c.end());
              CHECK(a == a);
              CHECK_FALSE((b == tensor<float, dyn, dyn>(1001, 0)));
          }) == 0);
}

TEST_CASE("tensor: elements are aligned to 64 bytes and padded to a multiple of them") {
    struct {
        char before;
        tensor<float, 5> small;
        tensor<bool> number;
    } s{};
    CHECK(is_aligned(s.small.data()));
    CHECK(is_aligned(s.number.data()));
    static_assert(sizeof(tensor<float, 5>) == 64 && sizeof(tensor<float, 17>) == 128 && sizeof(tensor<float, 0>) == 64);
    tensor<double, dyn> d(9);
    CHECK(aligned_bytes == 128);
    CHECK(is_aligned(d.data()));
    tensor<float, 100, 100> big;
    CHECK(aligned_bytes == 40000);
    CHECK(is_aligned(big.data()));
}

TEST_CASE("tensor: static extents up to 16 KiB allocate nothing, others once") {
    CHECK(allocations_in([] {
              tensor<float, 64, 64> a;
              auto b = a;
              auto c = std::move(b);
              c = a;
              tensor<float, 64u, 64u> d = std::move(c);
              CHECK(d == a);
          }) == 0);
    CHECK(allocations_in([] { tensor<float, 64, 65> a; }) == 1);
    CHECK(allocations_in([] { tensor<float, dyn> a(1); }) == 1);
    CHECK(allocations_in([] { tensor<float, dyn> a{1.f, 2.f}; }) == 1);
    static_assert(std::is_trivially_copyable_v<tensor<float, 64, 64>>);
}

TEST_CASE("tensor: copies are independent, and copying to a tensor of the same size allocates nothing") {
    tensor<float, dyn> a{1.f, 2.f, 3.f}, b(3), c(2);
    CHECK(allocations_in([&] { b = a; }) == 0);
    CHECK(allocations_in([&] { c = a; }) == 1);
    CHECK(b == a);
    CHECK(c == a);
    b(0) = 9;
    CHECK(a(0) == 1);
    CHECK_FALSE(b == a);

    tensor<float, dyn, dyn> wide{{1, 2, 3}}, tall(3, 1);
    tall = wide;
    CHECK(tall.extents() == std::array<std::int64_t, 2>{1, 3});
}

TEST_CASE("tensor: self-assignment changes nothing") {
    tensor<float, dyn> a{1.f, 2.f, 3.f};
    auto& itself = a;
    a = itself;
    CHECK(a == tensor<float, 3>{1.f, 2.f, 3.f});
    a = std::move(itself);
    CHECK(a == tensor<float, 3>{1.f, 2.f, 3.f});
    swap(a, itself);
    CHECK(a == tensor<float, 3>{1.f, 2.f, 3.f});
}

TEST_CASE("tensor: moving takes the memory and leaves run-time extents of 0") {
    tensor<float, dyn, 2> a{{1, 2}, {3, 4}};
    auto const* memory = a.data();
    CHECK(allocations_in([&] {
              auto b = std::move(a);
              CHECK(b.data() == memory);
              CHECK(a.extents() == std::array<std::int64_t, 2>{0, 2});
              CHECK(a.size() == 0);
              CHECK(a.data() == nullptr);
              CHECK(a == tensor<float, dyn, 2>());
              a = std::move(b);
              CHECK(a.data() == memory);
              CHECK(b.size() == 0);
          }) == 0);
    CHECK(a(1, 1) == 4);
}

TEST_CASE("tensor: a large static tensor that was moved from can be assigned to, copied and destroyed") {
    tensor<double, 64, 64> a, empty;
    a(1, 2) = 5;
    auto b = std::move(a);
    CHECK(a.data() == nullptr);
    auto c = a;
    a = b;
    CHECK(a(1, 2) == 5);
    c = std::move(b);
    CHECK(c == a);
    empty = std::move(c);
    CHECK(empty(1, 2) == 5);
}

TEST_CASE("tensor: swap exchanges elements and lengths") {
    tensor<float, dyn> a{1.f}, b{2.f, 3.f};
    swap(a, b);
    CHECK(a == tensor<float, 2>{2.f, 3.f});
    CHECK(b == tensor<float, 1>{1.f});
    tensor<int, 2> c{1, 2}, d{3, 4};
    c.swap(d);
    CHECK(c(0) == 3);
    CHECK(d(1) == 2);
}

TEST_CASE("tensor: converting a temporary takes its memory over where both are on the heap") {
    tensor<float, dyn, 3> a(2);
    auto const* memory = a.data();
    tensor<float, dim<"n">, dyn> b = std::move(a);
    CHECK(b.data() == memory);
    CHECK(b.extents() == std::array<std::int64_t, 2>{2, 3});
    CHECK(a.extents() == std::array<std::int64_t, 2>{0, 3});
    tensor<float, 2, 3> c = std::move(b);
    CHECK(c.size() == 6);
    CHECK(b.size() == 6);
}
