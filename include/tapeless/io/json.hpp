// SPDX-License-Identifier: MIT
#pragma once
// The little of JSON that headers of files are written in: strings and lists.

#if defined(__GNUC__)  // a global of the program may have the name of something local here
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

#include <tapeless/io/array_file.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace tapeless::detail::inline io_part {

/// How many bytes the character at the beginning takes in UTF-8; 0 where there is none.
constexpr std::size_t utf8_length(std::string_view s) {
    auto const byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
    auto const follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
    unsigned const a = byte(0), b = byte(1);
    if (s.empty() || a < 0x80) return s.empty() ? 0 : 1;
    if (a >= 0xc2 && a < 0xe0) return follows(1) ? 2 : 0;
    // not the longer spellings of shorter characters, nor surrogates, nor what lies above 10ffff
    if (a >= 0xe0 && a < 0xf0)
        return follows(1) && follows(2) && !(a == 0xe0 && b < 0xa0) && !(a == 0xed && b >= 0xa0) ? 3 : 0;
    if (a >= 0xf0 && a < 0xf5)
        return follows(1) && follows(2) && follows(3) && !(a == 0xf0 && b < 0x90) && !(a == 0xf4 && b >= 0x90) ? 4 : 0;
    return 0;
}

inline unsigned json_hexadecimal(text_cursor& c) {
    unsigned code = 0;
    for (int i = 0; i < 4; ++i, ++c.at) {
        char const d = c.done() ? '\0' : c.text[c.at];
        if (d >= '0' && d <= '9') code = 16 * code + static_cast<unsigned>(d - '0');
        else if (d >= 'a' && d <= 'f') code = 16 * code + static_cast<unsigned>(d - 'a' + 10);
        else if (d >= 'A' && d <= 'F') code = 16 * code + static_cast<unsigned>(d - 'A' + 10);
        else c.fail("four hexadecimal digits");
    }
    return code;
}

inline std::string json_string(text_cursor& c) {
    std::string s;
    c.expect('"');
    while (true) {
        if (c.done()) c.fail("a string that ends");
        char const first = c.text[c.at];
        if (first == '"') break;
        if (first != '\\') {
            std::size_t const n = static_cast<unsigned char>(first) < 0x20 ? 0 : utf8_length(c.text.substr(c.at));
            if (n == 0) c.fail("a string in UTF-8 without control characters");
            s += c.text.substr(c.at, n);
            c.at += n;
            continue;
        }
        ++c.at;
        char const escape = c.done() ? '\0' : c.text[c.at++];
        constexpr std::string_view escapes = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
        if (auto const k = escapes.find(escape); escape != '\0' && k != std::string_view::npos) {
            s += meant[k];
            continue;
        }
        if (escape != 'u') {
            --c.at;
            c.fail("an escape of JSON");
        }
        unsigned code = json_hexadecimal(c);
        if (code >= 0xd800 && code < 0xdc00) {  // the first of a pair
            if (c.text.substr(c.at, 2) != "\\u") c.fail("the second surrogate of a pair");
            c.at += 2;
            unsigned const low = json_hexadecimal(c);
            if (low < 0xdc00 || low >= 0xe000) c.fail("before this the second surrogate of a pair");
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        } else if (code >= 0xdc00 && code < 0xe000) {
            c.fail("before this the first surrogate of a pair");
        }
        auto const add = [&](unsigned byte) { s += static_cast<char>(static_cast<unsigned char>(byte)); };
        if (code < 0x80) add(code);
        else if (code < 0x800) add(0xc0 | code >> 6), add(0x80 | (code & 0x3f));
        else if (code < 0x10000) add(0xe0 | code >> 12), add(0x80 | (code >> 6 & 0x3f)), add(0x80 | (code & 0x3f));
        else
            add(0xf0 | code >> 18), add(0x80 | (code >> 12 & 0x3f)), add(0x80 | (code >> 6 & 0x3f)),
                add(0x80 | (code & 0x3f));
    }
    ++c.at;
    return s;
}

inline void append_json_string(std::string& to, std::string_view s) {
    to += '"';
    for (char const c : s) {
        auto const code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') (to += '\\') += c;
        else if (code >= 0x20) to += c;
        else ((to += "\\u00") += "0123456789abcdef"[code >> 4]) += "0123456789abcdef"[code & 15];
    }
    to += '"';
}

/// f() for each of what stands between two brackets, separated by commas.
template <class F>
void json_list(text_cursor& c, char open, char close, F&& f) {
    c.expect(open);
    if (c.take(close)) return;
    do f();
    while (c.take(','));
    c.expect(close);
}


}  // namespace tapeless::detail::io_part

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
