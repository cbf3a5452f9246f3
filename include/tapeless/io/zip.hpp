// SPDX-License-Identifier: MIT
#pragma once
// Zip archives whose members are stored as they are, which is what an .npz is: reading and writing, with 64-bit sizes.

#include <tapeless/io/file.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tapeless::detail::inline io_part {

/// The checksum of zip: x^32 + x^26 + ... + 1, bits reversed; goes on from the checksum of what stands before.
inline std::uint32_t crc32(char const* bytes, std::size_t n, std::uint32_t before = 0) {
    static constexpr auto table = [] {
        std::array<std::array<std::uint32_t, 256>, 4> t{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t c = i;
            for (int k = 0; k < 8; ++k) c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
            t[0][i] = c;
        }
        for (std::size_t j = 1; j < 4; ++j)
            for (std::size_t i = 0; i < 256; ++i) t[j][i] = t[j - 1][i] >> 8 ^ t[0][t[j - 1][i] & 0xff];
        return t;
    }();
    std::uint32_t c = ~before;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        auto const byte = [&](std::size_t k) {
            return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + k]));
        };
        c ^= byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24;
        c = table[3][c & 0xff] ^ table[2][c >> 8 & 0xff] ^ table[1][c >> 16 & 0xff] ^ table[0][c >> 24];
    }
    for (; i < n; ++i) c = c >> 8 ^ table[0][(c ^ static_cast<unsigned char>(bytes[i])) & 0xff];
    return ~c;
}

/// A member of an archive: its name and where its bytes are.
struct zip_member {
    std::string name;
    std::uint64_t header = 0, begin = 0, size = 0;
    std::uint32_t checksum = 0;
    std::uint64_t method = 0;  ///< 0: stored as it is
};

/// Writes members one after the other, and at the end the list of them.
class zip_writer {
public:
    /// Numbers above `limit` are written with 64 bits.
    explicit zip_writer(new_file& to, std::uint64_t limit = 0xfffffffe) : to_(to), limit_(limit) {}

    /// Announces a member, whose bytes must be written next.
    void begin(std::string const& name, std::uint64_t size, std::uint32_t checksum) {
        zip_member m{name, to_.position(), 0, size, checksum, 0};
        bool const wide = size > limit_;
        std::string head = "PK\3\4";
        append_common(head, m, wide);
        append_little_endian<2>(head, wide ? 20 : 0);
        head += name;
        if (wide) {
            append_little_endian<2>(head, 1);
            append_little_endian<2>(head, 16);
            append_little_endian<8>(head, size);
            append_little_endian<8>(head, size);
        }
        to_.write(head);
        members_.push_back(m);
    }
    void finish() {
        std::uint64_t const begin = to_.position();
        for (zip_member const& m : members_) {
            bool const wide_size = m.size > limit_, wide_header = m.header > limit_, wide = wide_size || wide_header;
            std::string entry = "PK\1\2";
            append_little_endian<2>(entry, 45);
            append_common(entry, m, wide_size, wide);
            std::uint64_t const extra = (wide_size ? 16u : 0u) + (wide_header ? 8u : 0u);
            append_little_endian<2>(entry, wide ? extra + 4 : 0);
            entry += std::string(10, '\0');  // no comment, disk 0, no attributes
            append_little_endian<4>(entry, wide_header ? 0xffffffff : m.header);
            entry += m.name;
            if (wide) {
                append_little_endian<2>(entry, 1);
                append_little_endian<2>(entry, extra);
            }
            if (wide_size) append_little_endian<8>(entry, m.size);
            if (wide_size) append_little_endian<8>(entry, m.size);
            if (wide_header) append_little_endian<8>(entry, m.header);
            to_.write(entry);
        }
        std::uint64_t const end = to_.position(), count = members_.size();
        bool const wide = end > limit_ || count >= 0xffff;
        std::string tail;
        if (wide) {
            tail += "PK\6\6";
            append_little_endian<8>(tail, 44);
            append_little_endian<2>(tail, 45);
            append_little_endian<2>(tail, 45);
            append_little_endian<8>(tail, 0);
            append_little_endian<8>(tail, count);
            append_little_endian<8>(tail, count);
            append_little_endian<8>(tail, end - begin);
            append_little_endian<8>(tail, begin);
            tail += "PK\6\7";
            append_little_endian<4>(tail, 0);
            append_little_endian<8>(tail, end);
            append_little_endian<4>(tail, 1);
        }
        tail += "PK\5\6";
        append_little_endian<4>(tail, 0);
        append_little_endian<2>(tail, wide ? 0xffff : count);
        append_little_endian<2>(tail, wide ? 0xffff : count);
        append_little_endian<4>(tail, wide ? 0xffffffff : end - begin);
        append_little_endian<4>(tail, wide ? 0xffffffff : begin);
        append_little_endian<2>(tail, 0);
        to_.write(tail);
    }

private:
    /// What a member's header and its entry in the list have in common, from the version to the length of the name.
    static void append_common(std::string& to, zip_member const& m, bool wide_size, bool version_45) {
        bool ascii = true;
        for (char const c : m.name) ascii = ascii && static_cast<unsigned char>(c) < 0x80;
        append_little_endian<2>(to, version_45 ? 45 : 20);
        append_little_endian<2>(to, ascii ? 0 : 0x800);  // the name is in UTF-8
        append_little_endian<2>(to, 0);                  // stored
        append_little_endian<4>(to, 0x00210000);         // the first of January 1980: equal trees make equal files
        append_little_endian<4>(to, m.checksum);
        append_little_endian<4>(to, wide_size ? 0xffffffff : m.size);
        append_little_endian<4>(to, wide_size ? 0xffffffff : m.size);
        append_little_endian<2>(to, m.name.size());
    }
    static void append_common(std::string& to, zip_member const& m, bool wide) { append_common(to, m, wide, wide); }

    new_file& to_;
    std::uint64_t limit_;
    std::vector<zip_member> members_;
};

/// The members of an archive. Members lie apart from each other and before the list of them, so they are no more than
/// the file.
inline std::vector<zip_member> read_zip(std::string const& path, std::string_view bytes) {
    auto const has = [&](std::uint64_t at, std::uint64_t n) { return at <= bytes.size() && n <= bytes.size() - at; };
    auto const signature = [&](std::uint64_t at, char const* s) { return has(at, 4) && bytes.substr(at, 4) == s; };

    // The end of the list, found from behind: a comment may follow it.
    std::uint64_t end = bytes.size();
    bool found = false;
    for (std::uint64_t back = 22; back <= bytes.size() && back <= 22 + 0xffff && !found; ++back) {
        end = bytes.size() - back;
        found = signature(end, "PK\5\6") && little_endian<2>(bytes, end + 20) == back - 22;
    }
    if (!found)
        throw_file_error(
            path,
            "expected a zip archive (.npz), found no end of its list of members: it is another file or truncated");
    std::uint64_t disk = little_endian<2>(bytes, end + 4) | little_endian<2>(bytes, end + 6);
    std::uint64_t count_here = little_endian<2>(bytes, end + 8), count = little_endian<2>(bytes, end + 10);
    std::uint64_t length = little_endian<4>(bytes, end + 12), list = little_endian<4>(bytes, end + 16);
    if (end >= 20 && signature(end - 20, "PK\6\7")) {
        std::uint64_t const record = little_endian<8>(bytes, end - 12);
        if (little_endian<4>(bytes, end - 16) != 0 || record > end - 20 || end - 20 - record < 56 ||
            !signature(record, "PK\6\6") || little_endian<8>(bytes, record + 4) != end - 20 - record - 12)
            throw_file_error(path, "the zip archive's 64-bit end record is not where it is said to be");
        disk = little_endian<4>(bytes, record + 16) | little_endian<4>(bytes, record + 20);
        count_here = little_endian<8>(bytes, record + 24), count = little_endian<8>(bytes, record + 32);
        length = little_endian<8>(bytes, record + 40), list = little_endian<8>(bytes, record + 48);
        end = record;
    }
    if (disk != 0 || count_here != count)
        throw_file_error(path, "expected a zip archive in one file, found a part of one");
    if (list > end || length != end - list)
        throw_file_error(path, "expected the zip archive's list of members to end at byte ", end, ", found ", length,
                         " bytes from byte ", list);
    if (count > length / 46)
        throw_file_error(path, "expected ", count, " members in the zip archive, found a list too short");

    std::vector<zip_member> members;
    std::map<std::uint64_t, std::uint64_t> taken;  // begin and end of members
    std::uint64_t at = list;
    for (std::uint64_t i = 0; i < count; ++i) {
        auto const broken = [&](char const* what) {
            throw_file_error(path, "member ", i, " of the zip archive",
                             (members.size() > i ? " (" + in_quotes(members[i].name) + ")" : std::string()), ": ",
                             what);
        };
        if (end - at < 46 || !signature(at, "PK\1\2")) broken("expected an entry of the list, found something else");
        std::uint64_t const flags = little_endian<2>(bytes, at + 8), name = little_endian<2>(bytes, at + 28);
        std::uint64_t const extra = little_endian<2>(bytes, at + 30), comment = little_endian<2>(bytes, at + 32);
        if (end - at - 46 < name + extra + comment) broken("its entry in the list is truncated");
        zip_member m;
        m.name = std::string(bytes.substr(at + 46, name));
        m.method = little_endian<2>(bytes, at + 10);
        m.checksum = static_cast<std::uint32_t>(little_endian<4>(bytes, at + 16));
        std::uint64_t packed = little_endian<4>(bytes, at + 20);
        m.size = little_endian<4>(bytes, at + 24);
        m.header = little_endian<4>(bytes, at + 42);
        members.push_back(m);
        if (little_endian<2>(bytes, at + 34) != 0) broken("expected it in this file, found that it begins in another");
        if (flags & 1) broken("it is encrypted");
        // Numbers of 32 bits that are all ones stand in the extra field, in this order.
        std::uint64_t field = at + 46 + name;
        std::uint64_t const fields_end = field + extra;
        while (fields_end - field >= 4) {
            std::uint64_t const tag = little_endian<2>(bytes, field), size = little_endian<2>(bytes, field + 2);
            field += 4;
            if (size > fields_end - field) broken("its extra field is truncated");
            if (tag == 1) {
                std::uint64_t next = field;
                for (std::uint64_t* const n : {&m.size, &packed, &m.header}) {
                    if (*n != 0xffffffff) continue;
                    if (field + size - next < 8) broken("its 64-bit sizes are truncated");
                    *n = little_endian<8>(bytes, next);
                    next += 8;
                }
            }
            field += size;
        }
        if (!has(m.header, 30) || !signature(m.header, "PK\3\4")) broken("expected its header, found something else");
        std::uint64_t const head = 30 + little_endian<2>(bytes, m.header + 26) + little_endian<2>(bytes, m.header + 28);
        if (!has(m.header, head) || !has(m.header + head, packed) || m.header + head + packed > list)
            broken("its bytes reach beyond the members");
        if (bytes.substr(m.header + 30, little_endian<2>(bytes, m.header + 26)) != m.name)
            broken("its header has another name than the list");
        if (m.method == 0 && packed != m.size) broken("it is stored, and its two sizes differ");
        m.begin = m.header + head;
        auto const [here, is_new] = taken.emplace(m.header, m.begin + packed);
        auto const after = std::next(here);
        if (!is_new || (here != taken.begin() && std::prev(here)->second > m.header) ||
            (after != taken.end() && m.begin + packed > after->first))
            broken("it overlaps another member");
        members.back() = m;
        at += 46 + name + extra + comment;
    }
    if (at != end) throw_file_error(path, "the zip archive's list of members is longer than its members");
    return members;
}

}  // namespace tapeless::detail::io_part
