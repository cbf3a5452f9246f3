// SPDX-License-Identifier: MIT
#pragma once
// Files as bytes: read whole, written beside the old one and put in its place when complete; and the sentences of
// their errors.

#include <tapeless/array/errors.hpp>

#include <bit>
#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace tapeless::detail::inline io_part {

/// A sentence, put together by calls that are never inlined: that compiles several times faster than +.
struct file_text {
    std::string text;
    [[gnu::noinline, gnu::cold]] void add(std::string_view s) { text += s; }
    [[gnu::noinline, gnu::cold]] void number(long long n) { text += std::to_string(n); }
    [[gnu::noinline, gnu::cold]] void number(unsigned long long n) { text += std::to_string(n); }
    void add(std::signed_integral auto n) { number(static_cast<long long>(n)); }
    void add(std::unsigned_integral auto n) { number(static_cast<unsigned long long>(n)); }
};
/// "model.npy: what is the matter"
template <class... P>
[[noreturn, gnu::noinline, gnu::cold]] void throw_file_error(std::string const& path, P const&... pieces) {
    file_text t{path};
    t.add(": ");
    (t.add(pieces), ...);
    detail::raise(file_error(t.text));
}
[[noreturn, gnu::noinline, gnu::cold]] inline void throw_system_error(std::string const& path, char const* what) {
    int const reason = errno;
    if (reason != 0) throw_file_error(path, what, ": ", std::strerror(reason));
    throw_file_error(path, what);
}

/// Text out of a file as a message may show it: in quotation marks, on one line, and not much of it.
[[gnu::noinline, gnu::cold]] inline std::string in_quotes(std::string_view text) {
    constexpr std::size_t most = 60;
    std::string out = "'";
    for (char const c : text.substr(0, most)) {
        auto const code = static_cast<unsigned char>(c);
        if (code >= 0x20 && code < 0x7f) {
            out += c;
        } else {
            out += "\\x";
            out += "0123456789abcdef"[code >> 4];
            out += "0123456789abcdef"[code & 15];
        }
    }
    return out + (text.size() > most ? "'..." : "'");
}

/// The first bytes of a file, all of them unless told otherwise.
inline std::string read_file(std::string const& path, std::size_t most = SIZE_MAX) {
    struct closing {
        std::FILE* file;
        ~closing() {
            if (file) std::fclose(file);
        }
    };
    errno = 0;
    closing const in{std::fopen(path.c_str(), "rb")};
    if (!in.file) throw_system_error(path, "the file cannot be opened");
    // The length that the system tells is a hint only: a folder's is nonsense, a pipe has none.
    std::string bytes(1, '\0');
    std::size_t have = std::fread(bytes.data(), 1, 1, in.file);
    if (have == 1 && std::fseek(in.file, 0, SEEK_END) == 0) {
        long const end = std::ftell(in.file);
        if (std::fseek(in.file, 1, SEEK_SET) != 0) throw_system_error(path, "the file cannot be read");
        if (end > 0) bytes.resize(static_cast<std::size_t>(end) < most ? static_cast<std::size_t>(end) : most);
    }
    while (have > 0 && have < most) {
        if (have == bytes.size()) {
            if (int const next = std::fgetc(in.file); next == EOF) break;
            else bytes.push_back(static_cast<char>(next));
            ++have;
            bytes.resize(have + (have < 4096 ? 4096 : have) < most ? have + (have < 4096 ? 4096 : have) : most);
        }
        std::size_t const got = std::fread(bytes.data() + have, 1, bytes.size() - have, in.file);
        have += got;
        if (got == 0) break;
    }
    if (std::ferror(in.file)) throw_system_error(path, "the file cannot be read");
    bytes.resize(have);
    return bytes;
}

/// A file that is being written, under another name until commit(): nobody ever sees half of it, and one that was
/// there before stays until the new one is complete.
class new_file {
public:
    explicit new_file(std::string const& path) : path_(path) {
        for (int i = 0; i < 1000 && !file_; ++i) {
            temporary_ = path + ".part" + std::to_string(i);
            errno = 0;
            file_ = std::fopen(temporary_.c_str(), "wbx");  // x: never somebody else's
            if (!file_ && errno != EEXIST) break;
        }
        if (!file_) throw_system_error(path, "the file cannot be written");
    }
    new_file(new_file const&) = delete;
    new_file& operator=(new_file const&) = delete;
    ~new_file() {
        if (file_) std::fclose(file_);
        if (!temporary_.empty()) std::remove(temporary_.c_str());
    }

    void write(void const* bytes, std::size_t n) {
        if (n == 0) return;
        errno = 0;
        if (std::fwrite(bytes, 1, n, file_) != n) throw_system_error(path_, "the file cannot be written");
        position_ += n;
    }
    void write(std::string_view text) { write(text.data(), text.size()); }
    std::uint64_t position() const { return position_; }

    void commit() {
        errno = 0;
        std::FILE* const file = file_;
        file_ = nullptr;
        bool const flushed = std::fflush(file) == 0;
        int const reason = errno;
        if (std::fclose(file) != 0 || !flushed) {
            if (!flushed) errno = reason;
            throw_system_error(path_, "the file cannot be written");
        }
#if defined(_WIN32)
        std::remove(path_.c_str());  // a new name may not be an old one's: there is a moment without either
#endif
        if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
            throw_system_error(path_, "the file cannot be written");
        temporary_.clear();
    }

private:
    std::string path_, temporary_;
    std::FILE* file_ = nullptr;
    std::uint64_t position_ = 0;
};

/// A number of Bytes bytes, the least significant one first.
template <std::size_t Bytes>
constexpr std::uint64_t little_endian(std::string_view bytes, std::size_t at) {
    std::uint64_t n = 0;
    for (std::size_t i = Bytes; i-- > 0;) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
    return n;
}
template <std::size_t Bytes>
void append_little_endian(std::string& to, std::uint64_t n) {
    for (std::size_t i = 0; i < Bytes; ++i, n >>= 8) to += static_cast<char>(n & 0xff);
}

inline constexpr bool is_little_endian = std::endian::native == std::endian::little;

/// Turns around the bytes of every element.
inline void swap_bytes(char* bytes, std::size_t n, std::size_t element) {
    for (std::size_t at = 0; at + element <= n; at += element)
        for (std::size_t i = 0; 2 * i + 1 < element; ++i) {
            char const c = bytes[at + i];
            bytes[at + i] = bytes[at + element - 1 - i];
            bytes[at + element - 1 - i] = c;
        }
}

/// Goes through the text of a header; whatever is not as it should be becomes a file_error that says where.
struct text_cursor {
    std::string const& path;
    std::string_view text;
    std::size_t at = 0;

    [[noreturn, gnu::noinline, gnu::cold]] void fail(std::string_view expected) const {
        std::string const found = at < text.size() ? in_quotes(text.substr(at, 20)) : std::string("the end");
        throw_file_error(path, "byte ", at, " of the header: expected ", expected, ", found ", found);
    }
    bool done() const { return at == text.size(); }
    void spaces() {
        while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) ++at;
    }
    /// Takes c, where it comes next.
    bool take(char c) {
        spaces();
        if (at == text.size() || text[at] != c) return false;
        ++at;
        return true;
    }
    void expect(char c) {
        if (!take(c)) fail(in_quotes({&c, 1}));
    }
    bool take(std::string_view word) {
        spaces();
        if (text.substr(at, word.size()) != word) return false;
        at += word.size();
        return true;
    }
    /// A whole number from 0 to 2^63 - 1.
    std::int64_t number() {
        spaces();
        std::size_t const begin = at;
        std::uint64_t n = 0;
        for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
            auto const digit = static_cast<std::uint64_t>(text[at] - '0');
            if (n > (INT64_MAX - digit) / 10) {
                at = begin;
                fail("a number below 2^63");
            }
            n = 10 * n + digit;
        }
        if (at == begin || (text[begin] == '0' && at > begin + 1)) {
            at = begin;
            fail("a whole number");
        }
        return static_cast<std::int64_t>(n);
    }
};

}  // namespace tapeless::detail::io_part
