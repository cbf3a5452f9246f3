// SPDX-License-Identifier: MIT
#pragma once
// Sentences of errors: every translation unit that may throw compiles what puts them together.

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace tapeless::detail::inline base_part {

/// A sentence, put together by calls that are never inlined, in room of its own: strings and their + would take ten
/// times the code. What does not fit is left out.
class sentence {
public:
    [[gnu::noinline, gnu::cold]] sentence& add(char const* s, std::size_t n) {
        for (std::size_t i = 0; i < n && used_ + 1 < sizeof text_; ++i) text_[used_++] = s[i];
        text_[used_] = '\0';
        return *this;
    }
    [[gnu::noinline, gnu::cold]] sentence& operator<<(char const* s) { return add(s, __builtin_strlen(s)); }
    [[gnu::noinline, gnu::cold]] sentence& number(std::int64_t n) {
        char digits[24];
        std::size_t first = sizeof digits;
        std::uint64_t rest = n < 0 ? 0 - static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
        do digits[--first] = static_cast<char>('0' + rest % 10);
        while ((rest /= 10) > 0);
        if (n < 0) digits[--first] = '-';
        return add(digits + first, sizeof digits - first);
    }
    sentence& operator<<(std::integral auto n) { return number(static_cast<std::int64_t>(n)); }

    char const* text() const { return text_; }

private:
    char text_[1024] = "";
    std::size_t used_ = 0;
};

}  // namespace tapeless::detail::base_part
