// SPDX-License-Identifier: MIT
#pragma once
// Counts what is allocated. Only one file of a folder includes this: it replaces operator new for the whole program.

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::size_t allocations = 0;
}
[[gnu::noinline]] void* operator new(std::size_t n) {
    ++allocations;
    if (void* p = std::malloc(n ? n : 1)) return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t n, std::align_val_t a) {
    ++allocations;
    auto const step = static_cast<std::size_t>(a);
    if (void* p = std::aligned_alloc(step, (n + step - 1) / step * step)) return p;
    throw std::bad_alloc();
}
// What is deleted below has to come from here: the sanitizers' own forms do not call those above.
[[gnu::noinline]] void* operator new(std::size_t n, std::nothrow_t const&) noexcept {
    ++allocations;
    return std::malloc(n ? n : 1);
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
