// SPDX-License-Identifier: MIT
#pragma once
// The memory a callable keeps between calls: one aligned block, laid out by which kernels need which buffer.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include <tapeless/kernels/machine.hpp>
#include <tapeless/schedule/plan.hpp>

namespace tapeless::detail::inline exec_part {

/// An aligned block that grows when it must.
class memory_block {
public:
    constexpr memory_block() = default;
    constexpr memory_block(memory_block const&) {}  // a copy makes its own at its first call
    constexpr memory_block(memory_block&& o) noexcept
        : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
    constexpr memory_block& operator=(memory_block o) noexcept {
        swap(o);
        return *this;
    }
    constexpr void swap(memory_block& o) noexcept {
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
    }
    constexpr ~memory_block() {
        if (data_) ::operator delete(data_, std::align_val_t(64));
    }
    std::byte* reserve(std::size_t n) {
        if (n > size_) [[unlikely]] grow(n);
        return data_;
    }
    std::size_t size() const { return size_; }

private:
    [[gnu::noinline, gnu::cold]] void grow(std::size_t n) {
        void* grown = ::operator new(n, std::align_val_t(64));
        if (data_) ::operator delete(data_, std::align_val_t(64));
        data_ = static_cast<std::byte*>(grown);
        size_ = n;
        // What lies beyond a small packed operand is asked for ahead of time: if it is on a page that was never
        // written, the processor waits for an answer each time.
        for (std::size_t i = 0; i < n && n <= machine::small_workspace; i += machine::least_page)
            data_[i] = std::byte{0};
    }
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
};

/// What a callable computes in, and where the program that was called last has put what, for the lengths it had.
class workspace {
public:
    std::byte* reserve(std::size_t n) { return memory_.reserve(n); }
    void swap(workspace& o) noexcept {
        memory_.swap(o.memory_);
        note_.swap(o.note_);
    }

    /// What was found out for a program, known by some address, and N lengths; found out now if they were others.
    template <class Note, int N, class Find>
    Note const& note(void const* program, std::int64_t const* extents, Find const& find) {
        struct lines {
            void const* program;
            std::int64_t extents[static_cast<std::size_t>(N)];
            Note found;
        };
        bool same = note_.size() >= sizeof(lines);
        auto* const known = reinterpret_cast<lines*>(note_.reserve(sizeof(lines)));
        same = same && known->program == program;
        for (int i = 0; i < N; ++i) same = same && known->extents[i] == extents[i];
        if (!same) {
            known->program = program;
            for (int i = 0; i < N; ++i) known->extents[i] = extents[i];
            known->found = find();
        }
        return known->found;
    }

private:
    memory_block memory_, note_;
};

/// The size of a buffer that is no call's workspace.
constexpr std::int64_t bytes_of_buffer(buffer const& b, std::int64_t const* extents) {
    std::int64_t n = 1;
    for (int a = 0; a < b.shape.rank; ++a) {
        std::int64_t const e = b.shape.extent[a] >= 0 ? b.shape.extent[a] : extents[~b.shape.extent[a]];
        n *= a + 1 < b.shape.rank ? e : (e + b.multiple - 1) / b.multiple * b.multiple + b.margin;
    }
    if (b.most > 0 && n > b.most) n = b.most;
    return ((n * b.element_size + room_of_batch) * b.times + 63) / 64 * 64 + b.lead();
}
/// Writes the zeros around the rows of a buffer, whose first element is at `at`.
inline void clear_margin(buffer const& b, std::int64_t const* extents, std::byte* at) {
    auto const length = [&](int k) {
        std::int64_t const e = b.shape.from_right(k);
        return e >= 0 ? e : extents[~e];
    };
    std::int64_t rows = 1;
    for (int k = 1; k < b.shape.rank; ++k) rows *= length(k);
    std::int64_t const zeros = std::int64_t{b.margin} * b.element_size, row = length(0) * b.element_size + zeros;
    std::byte* to = at - zeros;
    for (std::int64_t r = 0; r <= rows; ++r, to += row) std::memset(to, 0, static_cast<std::size_t>(zeros));
}

/// Gives every buffer its offset: the lowest that no buffer alive at the same time occupies. Small ones lie behind all
/// others, so that none takes the beginning of what a large one leaves, and the next large one fits. Returns the size
/// of it all. `bytes` are the sizes of the buffers, multiples of 64.
template <class Buffers>
constexpr std::int64_t lay_out(Buffers const& buffers, int count, std::int64_t const* bytes, std::int64_t* offset) {
    constexpr auto room = static_cast<std::size_t>(Buffers::size() > 0 ? Buffers::size() : 1);
    int begin[room]{}, placed[room]{};  // the first use of this buffer and those after it; buffers in use, by offset
    std::int64_t largest = 0;
    for (int i = count - 1; i >= 0; --i) {
        begin[i] = buffers.items[i].first;
        if (i + 1 < count && begin[i + 1] < begin[i]) begin[i] = begin[i + 1];
        if (bytes[i] > largest) largest = bytes[i];
    }
    std::int64_t total = 0;
    for (bool const small : {false, true}) {
        std::int64_t const from = total;
        int n = 0;
        for (int i = 0; i < count; ++i) {
            if ((bytes[i] < largest / 64) != small) continue;
            int const first = buffers.items[i].first, last = buffers.items[i].last;
            std::int64_t at = from;
            int kept = 0;  // no later buffer is in use together with the others
            bool found = false;
            for (int k = 0; k < n; ++k) {
                int const j = placed[k];
                if (buffers.items[j].last < begin[i]) continue;
                placed[kept++] = j;
                if (found || buffers.items[j].last < first || last < buffers.items[j].first) continue;
                if (offset[j] >= at + bytes[i]) found = true;
                else if (offset[j] + bytes[j] > at) at = offset[j] + bytes[j];
            }
            offset[i] = at;
            total = at + bytes[i] > total ? at + bytes[i] : total;
            int k = kept;
            for (; k > 0 && offset[placed[k - 1]] > at; --k) placed[k] = placed[k - 1];
            placed[k] = i;
            n = kept + 1;
        }
    }
    return total;
}

/// Lends workspaces what the thread keeps for calls of const functions: all three, the spare one alone, or none where a
/// function has its own. A call within such a call finds nothing there, and makes its own.
enum class lent : std::uint8_t { nothing, spare, all };
class borrowed_workspace {
public:
    borrowed_workspace(lent which, workspace& memory, workspace& spare, workspace& threads)
        : memory_(memory), spare_(spare), threads_(threads), which_(which) {
        if (which_ != lent::nothing) [[unlikely]] exchange(which_, memory_, spare_, threads_);
    }
    ~borrowed_workspace() {
        if (which_ != lent::nothing) [[unlikely]] exchange(which_, memory_, spare_, threads_);
    }
    borrowed_workspace(borrowed_workspace const&) = delete;
    borrowed_workspace& operator=(borrowed_workspace const&) = delete;

private:
    workspace &memory_, &spare_, &threads_;
    lent which_;
    // static: nobody has the address of what says what is lent
    [[gnu::noinline]] static void exchange(lent which, workspace& memory, workspace& spare, workspace& threads) {
        static thread_local workspace kept[3];
        spare.swap(kept[1]);
        if (which == lent::spare) return;
        memory.swap(kept[0]);
        threads.swap(kept[2]);
    }
};

}  // namespace tapeless::detail::exec_part
