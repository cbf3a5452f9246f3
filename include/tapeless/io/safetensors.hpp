// SPDX-License-Identifier: MIT
#pragma once
// Safetensors: the arrays of a tree in one file, by name. Eight bytes of length, a header in JSON, the elements.

#if defined(__GNUC__)  // a global of the program may have the name of something local here
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

#include <tapeless/io/array_file.hpp>
#include <tapeless/io/json.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tapeless {

/// Texts that a file carries beside its arrays: {{"format", "pt"}, {"step", "1000"}}.
using file_metadata = std::vector<std::pair<std::string, std::string>>;

namespace detail::inline io_part {

inline constexpr std::uint64_t longest_safetensors_header = 100'000'000;  // what the format's own reader allows

struct safetensors_type {
    std::string_view name;
    file_type type;
};
inline constexpr safetensors_type safetensors_types[] = {
    {"F64", {'f', 8}}, {"F32", {'f', 4}}, {"F16", {'f', 2}}, {"BF16", {'w', 2}}, {"BOOL", {'b', 1}}, {"I64", {'i', 8}},
    {"I32", {'i', 4}}, {"I16", {'i', 2}}, {"I8", {'i', 1}},  {"U64", {'u', 8}},  {"U32", {'u', 4}},  {"U16", {'u', 2}},
    {"U8", {'u', 1}}};

/// What one array's name stands for in the header.
inline file_entry read_safetensors_entry(text_cursor& c, std::string name) {
    file_entry e;
    e.name = std::move(name);
    bool have_type = false, have_shape = false, have_offsets = false;
    std::int64_t offset[2]{};
    json_list(c, '{', '}', [&] {
        c.spaces();
        std::size_t const at = c.at;
        std::string const key = json_string(c);
        bool& have = key == "dtype" ? have_type : key == "shape" ? have_shape : have_offsets;
        if (have || (&have == &have_offsets && key != "data_offsets")) {
            c.at = at;
            c.fail("\"dtype\", \"shape\" and \"data_offsets\", each once");
        }
        have = true;
        c.expect(':');
        if (&have == &have_type) {
            e.type_text = json_string(c);
            for (auto const& t : safetensors_types)
                if (t.name == e.type_text) e.type = t.type;
        } else if (&have == &have_shape) {
            json_list(c, '[', ']', [&] { e.extents.push_back(c.number()); });
        } else {
            c.expect('[');
            offset[0] = c.number();
            c.expect(',');
            offset[1] = c.number();
            c.expect(']');
        }
    });
    if (!have_type || !have_shape || !have_offsets)
        c.fail("before this \"dtype\", \"shape\" and \"data_offsets\" of " + in_quotes(e.name));
    if (offset[1] < offset[0])
        throw_file_error(c.path, in_quotes(e.name), ": expected data_offsets in order, found [", offset[0], ", ",
                         offset[1], "]");
    e.begin = static_cast<std::size_t>(offset[0]);
    e.bytes = static_cast<std::size_t>(offset[1] - offset[0]);
    return e;
}

struct safetensors_header {
    std::vector<file_entry> entries;  ///< begin counts from the beginning of the file
    file_metadata metadata;
    std::size_t end = 0;  ///< where the elements begin
};

/// The header alone; `bytes` is the file, or enough of it.
inline safetensors_header read_safetensors_header(std::string const& path, std::string_view bytes) {
    if (bytes.size() < 8)
        throw_file_error(path, "expected a safetensors file, which begins with 8 bytes of length, found ",
                         bytes.size());
    std::uint64_t const length = little_endian<8>(bytes, 0);
    if (length > longest_safetensors_header)
        throw_file_error(path, "expected a safetensors header of at most 100000000 bytes, found that it has ", length);
    if (length > bytes.size() - 8)
        throw_file_error(path, "expected a header of ", length, " bytes, found ", bytes.size() - 8);
    safetensors_header h;
    h.end = 8 + static_cast<std::size_t>(length);
    text_cursor c{path, bytes.substr(8, length)};
    if (c.done() || c.text[0] != '{') c.fail("'{'");
    bool have_metadata = false;
    json_list(c, '{', '}', [&] {
        std::string name = json_string(c);
        c.expect(':');
        if (name != "__metadata__") {
            h.entries.push_back(read_safetensors_entry(c, std::move(name)));
            h.entries.back().begin += h.end;  // below 2^63 + 2^27
            return;
        }
        if (have_metadata) c.fail("before this one \"__metadata__\" only");
        have_metadata = true;
        std::map<std::string, int> keys;
        json_list(c, '{', '}', [&] {
            std::string key = json_string(c);
            if (!keys.emplace(key, 0).second)
                throw_file_error(path, "two texts of the metadata have the name ", in_quotes(key));
            c.expect(':');
            std::string value = json_string(c);
            h.metadata.emplace_back(std::move(key), std::move(value));
        });
    });
    c.spaces();
    if (!c.done()) c.fail("the end of the header");
    return h;
}

/// The header and where everything is: the arrays fill the rest of the file, one after the other.
inline safetensors_header read_safetensors(std::string const& path, std::string_view bytes) {
    safetensors_header h = read_safetensors_header(path, bytes);
    std::map<std::pair<std::size_t, std::size_t>, file_entry const*>
        in_order;  // by begin and end; arrays without elements may share
    for (auto const& e : h.entries) {
        if (e.begin > bytes.size() || e.bytes > bytes.size() - e.begin)
            throw_file_error(path, in_quotes(e.name), ": expected elements from byte ", e.begin, " to ",
                             e.begin + e.bytes, ", found the end of the file at ", bytes.size());
        if (e.type.kind != '?' && !e.fills_its_bytes())
            throw_file_error(path, in_quotes(e.name), ": expected the elements of ", e.text(), ", ", e.type.size,
                             " bytes each, found ", e.bytes, " bytes");
        if (!in_order.emplace(std::pair(e.begin, e.begin + e.bytes), &e).second && e.bytes > 0)
            throw_file_error(path, in_quotes(e.name), " has the same bytes as another array");
    }
    std::size_t at = h.end;
    for (auto const& [range, e] : in_order) {
        if (range.first != at)
            throw_file_error(path, in_quotes(e->name), ": expected its elements from byte ", at,
                             ", where those before it end, found ", range.first,
                             (range.first < at ? ": they overlap" : ": there is a hole"));
        at = range.second;
    }
    if (at != bytes.size())
        throw_file_error(path, "expected the elements to end at byte ", at, ", found a file of ", bytes.size(),
                         " bytes");
    return h;
}

/// Reads the bytes of a file into the arrays of a tree.
inline void load_safetensors_bytes(std::string const& path, std::string& bytes, std::vector<file_array> targets,
                                   load_options const& options) {
    safetensors_header h = read_safetensors(path, bytes);
    for (auto& e : h.entries) e.swapped = !is_little_endian && e.type.size > 1;
    auto const found = match_names(path, targets, h.entries, options);
    for (std::size_t i = 0; i < targets.size(); ++i) check_entry(path, targets[i], *found[i], bytes);
    take_entries(targets, found, bytes);
}

inline void save_safetensors_arrays(std::string const& path, std::vector<file_array> const& arrays,
                                    file_metadata const& metadata) {
    // Wide elements first, so that all of them lie aligned.
    std::vector<file_array const*> in_order;
    for (int size = 8; size > 0; size /= 2)
        for (auto const& a : arrays)
            if (a.type.size == size) in_order.push_back(&a);
    std::string header = "{";
    auto const add = [&](std::string_view text) {
        for (std::size_t at = 0, n = 0; at < text.size(); at += n) {
            n = utf8_length(text.substr(at));
            if (n == 0) throw_file_error(path, "expected names and metadata in UTF-8, found ", in_quotes(text));
        }
        append_json_string(header, text);
    };
    auto const begin = [&](std::string_view name) {
        if (header.back() != '{') header += ',';
        add(name);
        header += ':';
    };
    if (!metadata.empty()) {
        std::map<std::string_view, int> keys;
        begin("__metadata__");
        header += '{';
        for (auto const& [key, value] : metadata) {
            if (!keys.emplace(key, 0).second)
                throw_file_error(path, "two texts of the metadata have the name ", in_quotes(key));
            begin(key);
            add(value);
        }
        header += '}';
    }
    std::uint64_t at = 0;
    for (auto const* const a : in_order) {
        begin(a->name);
        header += "{\"dtype\":\"";
        for (auto const& t : safetensors_types)
            if (t.type == a->type) header += t.name;
        header += "\",\"shape\":[";
        for (std::size_t k = 0; k < a->rank; ++k) header += (k > 0 ? "," : "") + std::to_string(a->extent[k]);
        header += "],\"data_offsets\":[" + std::to_string(at) + ",";
        header += std::to_string(at += a->bytes()) + "]}";
    }
    header += '}';
    header.append((8 - header.size() % 8) % 8, ' ');
    if (header.size() > longest_safetensors_header)
        throw_file_error(path, "the header would be longer than 100000000 bytes");

    new_file to(path);
    std::string length;
    append_little_endian<8>(length, header.size());
    to.write(length);
    to.write(header);
    for (auto const* const a : in_order)
        with_file_elements(path, *a, false, [&](char const* elements, std::size_t n) {
            if (is_little_endian || a->type.size == 1) return to.write(elements, n);
            std::string turned(elements, n);
            swap_bytes(turned.data(), n, static_cast<std::size_t>(a->type.size));
            to.write(turned);
        });
    to.commit();
}

}  // namespace detail::io_part

/// Writes the arrays of a tree (a struct, tuple, array, or one of these in another) to a safetensors file under the
/// names of members and positions, "layers.0.weight", and perhaps texts beside them. The file appears when it is
/// complete. Throws file_error.
template <class Tree>
void save_safetensors(std::string const& path, Tree const& tree, file_metadata const& metadata = {}) {
    detail::save_safetensors_arrays(path, detail::file_arrays_of<false>(tree), metadata);
}

/// Reads a safetensors file into the arrays of a tree, found by their names; element types and shapes are the same. A
/// tensor or vector without elements takes its run-time extents from the file. Throws file_error, and then changes
/// nothing.
template <class Tree>
void load_safetensors(std::string const& path, Tree&& tree, load_options const& options = {}) {
    std::string bytes = detail::read_file(path);
    detail::load_safetensors_bytes(path, bytes, detail::file_arrays_of<true>(tree), options);
}

/// The texts that a safetensors file carries beside its arrays, in the order in which they stand there; only the
/// header is read.
inline file_metadata load_safetensors_metadata(std::string const& path) {
    std::string bytes = detail::read_file(path, 8);
    if (bytes.size() == 8) {
        std::uint64_t const length = detail::little_endian<8>(bytes, 0);
        if (length <= detail::longest_safetensors_header)
            bytes = detail::read_file(path, static_cast<std::size_t>(8 + length));
    }
    return detail::read_safetensors_header(path, bytes).metadata;
}

}  // namespace tapeless

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
