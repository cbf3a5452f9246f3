// SPDX-License-Identifier: MIT
#pragma once
// The memory a callable keeps between calls: one aligned block, laid out by which kernels need which buffer.

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <tapeless/schedule/plan.hpp>

namespace tapeless::detail {

/// One aligned block that grows when it must.
class workspace {
public:
    constexpr workspace() = default;
    constexpr workspace(workspace const&) {}  // a copy makes its own at its first call
    constexpr workspace(workspace&& o) noexcept
        : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
    constexpr workspace& operator=(workspace o) noexcept {
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        return *this;
    }
    constexpr ~workspace() {
        if (data_) ::operator delete(data_, std::align_val_t(64));
    }
    std::byte* reserve(std::size_t n) {
        if (n > size_) {
            void* grown = ::operator new(n, std::align_val_t(64));
            if (data_) ::operator delete(data_, std::align_val_t(64));
            data_ = static_cast<std::byte*>(grown);
            size_ = n;
        }
        return data_;
    }

private:
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Gives every buffer its offset: the lowest that no buffer alive at the same time occupies. Returns the size of it all.
/// `bytes` are the sizes of the buffers, multiples of 64.
template <class Buffers>
constexpr std::int64_t lay_out(Buffers const& buffers, int count, std::int64_t const* bytes, std::int64_t* offset) {
    std::int64_t total = 0;
    for (int i = 0; i < count; ++i) {
        int const first = buffers.items[i].first, last = buffers.items[i].last;
        std::int64_t const n = bytes[i];
        std::int64_t at = 0;
        for (bool moved = true; moved;) {
            moved = false;
            for (int j = 0; j < i; ++j) {
                if (buffers.items[j].last < first || last < buffers.items[j].first) continue;
                if (at < offset[j] + bytes[j] && offset[j] < at + n) {
                    at = offset[j] + bytes[j];
                    moved = true;
                }
            }
        }
        offset[i] = at;
        total = at + n > total ? at + n : total;
    }
    return total;
}

}  // namespace tapeless::detail
