// SPDX-License-Identifier: MIT
#pragma once
// NumPy's files: .npy holds one array, .npz is a zip archive of such, one for each array of a tree.

#if defined(__GNUC__)  // a global of the program may have the name of something local here
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

#include <tapeless/io/array_file.hpp>
#include <tapeless/io/zip.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tapeless {
namespace detail::inline io_part {

/// An array's element type as NumPy spells it: '<f4'. bfloat16 is '<V2', as ml_dtypes has it.
inline std::string npy_descr(file_type t) {
    std::string const order = t.size == 1 ? "|" : is_little_endian ? "<" : ">";
    return order + (t.kind == 'w' ? 'V' : t.kind) + std::to_string(t.size);
}
inline bool saves_column_major(file_array const& a) { return !a.is_dense() && a.is_dense(true); }

/// Everything before the elements, of a length that is a multiple of 64.
inline std::string npy_header(file_array const& a) {
    std::string dict = "{'descr': '" + npy_descr(a.type) +
                       "', 'fortran_order': " + (saves_column_major(a) ? "True" : "False") + ", 'shape': (";
    for (std::size_t k = 0; k < a.rank; ++k)
        dict += std::to_string(a.extent[k]) + (k + 1 < a.rank ? ", " : a.rank == 1 ? "," : "");
    dict += "), }";
    dict.append(63 - (10 + dict.size()) % 64, ' ');
    dict += '\n';
    std::string head = "\x93NUMPY";
    head += '\1';
    head += '\0';
    append_little_endian<2>(head, dict.size());
    return head + dict;
}

/// A string in single or double quotation marks; those of NumPy's headers have no escapes.
inline std::string_view python_string(text_cursor& c) {
    c.spaces();
    char const mark = c.done() ? '\0' : c.text[c.at];
    if (mark != '\'' && mark != '"') c.fail("a string");
    std::size_t const begin = c.at + 1, end = c.text.find(mark, begin);
    if (end == std::string_view::npos || c.text.substr(begin, end - begin).find('\\') != std::string_view::npos)
        c.fail("a string without escapes that ends");
    c.at = end + 1;
    return c.text.substr(begin, end - begin);
}

/// The element type of a descr. Only bfloat16 comes as V2: two bytes that NumPy has no name for.
inline void read_descr(file_entry& e) {
    std::string_view d = e.type_text;
    char const order = !d.empty() && std::string_view("<>=|").find(d[0]) != std::string_view::npos ? d[0] : '=';
    if (!d.empty() && d[0] == order) d.remove_prefix(1);
    if (d.size() != 2) return;
    char const kind = d[0];
    int const size = d[1] - '0';
    bool const whole = size == 1 || size == 2 || size == 4 || size == 8;
    if ((kind == 'f' && whole && size > 1) || ((kind == 'i' || kind == 'u') && whole) || (kind == 'b' && size == 1))
        e.type = {kind, size};
    else if (kind == 'V' && size == 2 && order != '>') e.type = {'w', 2};
    if (size > 1 && order == '|' && kind != 'V') e.type = {};  // more than one byte, in no order
    e.swapped = size > 1 && (order == '<' || order == '|' ? !is_little_endian : order == '>' && is_little_endian);
}

/// What a .npy file holds; the elements fill it to its end. `name` is that of a member of an archive.
inline file_entry read_npy(std::string const& path, std::string_view bytes, std::string const& name = {}) {
    if (!bytes.starts_with("\x93NUMPY"))
        throw_file_error(path, "expected an .npy file, which begins with '\\x93NUMPY', found ",
                         in_quotes(bytes.substr(0, 6)));
    if (bytes.size() < 10) throw_file_error(path, "the file ends in its header");
    int const major = static_cast<unsigned char>(bytes[6]), minor = static_cast<unsigned char>(bytes[7]);
    if (major < 1 || major > 3 || minor != 0)
        throw_file_error(path, "expected version 1.0, 2.0 or 3.0 of .npy, found ", major, ".", minor);
    std::size_t const begin = major == 1 ? 10 : 12;
    if (bytes.size() < begin) throw_file_error(path, "the file ends in its header");
    std::uint64_t const length = major == 1 ? little_endian<2>(bytes, 8) : little_endian<4>(bytes, 8);
    if (length > bytes.size() - begin)
        throw_file_error(path, "expected a header of ", length, " bytes, found ", bytes.size() - begin);

    file_entry e;
    e.name = name;
    text_cursor c{path, bytes.substr(begin, length)};
    bool have_descr = false, have_order = false, have_shape = false;
    c.expect('{');
    while (!c.take('}')) {
        std::size_t const at = c.at;
        std::string_view const key = python_string(c);
        bool& have = key == "descr" ? have_descr : key == "fortran_order" ? have_order : have_shape;
        if (have || (&have == &have_shape && key != "shape")) {
            c.at = at;
            c.fail("'descr', 'fortran_order' and 'shape', each once");
        }
        have = true;
        c.expect(':');
        if (&have == &have_descr) {
            c.spaces();
            if (!c.done() && c.text[c.at] == '[') c.fail("one type for all elements");
            e.type_text = std::string(python_string(c));
        } else if (&have == &have_order) {
            if (c.take("True")) e.column_major = true;
            else if (!c.take("False")) c.fail("True or False");
        } else {
            c.expect('(');
            while (!c.take(')')) {
                e.extents.push_back(c.number());
                (void)c.take('L');  // Python 2 ended long numbers so
                if (!c.take(',')) {
                    c.expect(')');
                    if (e.extents.size() == 1) c.fail("a comma after the only length");
                    break;
                }
            }
        }
        if (!c.take(',')) {
            c.expect('}');
            break;
        }
    }
    c.spaces();
    if (!c.done()) c.fail("the end of the header");
    if (!have_descr || !have_order || !have_shape) c.fail("'descr', 'fortran_order' and 'shape'");
    read_descr(e);
    e.begin = begin + length;
    e.bytes = bytes.size() - e.begin;
    if (e.type.kind != '?' && !e.fills_its_bytes())
        throw_file_error(path, "expected the elements of ", e.text(), ", ", e.type.size, " bytes each, found ", e.bytes,
                         " bytes");
    return e;
}

/// Reads the bytes of an .npy file into one array.
inline void load_npy_bytes(std::string const& path, std::string& bytes, file_array const& target) {
    file_entry const e = read_npy(path, bytes);
    check_entry(path, target, e, bytes);
    std::vector<file_array> targets{target};
    take_entries(targets, {&e}, bytes);
}

/// Reads the bytes of an .npz file into the arrays of a tree.
inline void load_npz_bytes(std::string const& path, std::string& bytes, std::vector<file_array> targets,
                           load_options const& options) {
    std::vector<file_entry> entries;
    std::vector<zip_member> const members = read_zip(path, bytes);
    for (auto const& m : members) {
        file_entry e;
        e.name = m.name.ends_with(".npy") ? m.name.substr(0, m.name.size() - 4) : m.name;
        entries.push_back(std::move(e));
    }
    auto const found = match_names(path, targets, entries, options);
    for (std::size_t i = 0; i < targets.size(); ++i) {
        auto const which = static_cast<std::size_t>(found[i] - entries.data());
        zip_member const& m = members[which];
        std::string const where = path + ", member " + in_quotes(m.name);
        if (m.method != 0)
            throw_file_error(where,
                             "expected a member that is stored as it is (numpy.savez), found a compressed one "
                             "(numpy.savez_compressed)");
        std::string_view const content(bytes.data() + m.begin, m.size);
        if (crc32(content.data(), content.size()) != m.checksum)
            throw_file_error(where, "the bytes are not those that were written: the checksums differ");
        entries[which] = read_npy(where, content);
        entries[which].begin += m.begin;
        check_entry(where, targets[i], entries[which], bytes);
    }
    take_entries(targets, found, bytes);
}

inline void save_npz_arrays(std::string const& path, std::vector<file_array> const& arrays,
                            std::uint64_t limit = 0xfffffffe) {
    new_file to(path);
    zip_writer zip(to, limit);
    for (auto const& a : arrays) {
        with_file_elements(path, a, saves_column_major(a), [&](char const* elements, std::size_t n) {
            std::string const head = npy_header(a);
            zip.begin(a.name + ".npy", head.size() + n, crc32(elements, n, crc32(head.data(), head.size())));
            to.write(head);
            to.write(elements, n);
        });
    }
    zip.finish();
    to.commit();
}

}  // namespace detail::io_part

/// Writes an array (tensor, view, vector, span, array, number) to an .npy file, which numpy.load reads. The elements
/// are written in row-major order, or in column-major order where they lie so. A bfloat16 becomes NumPy's V2, as
/// ml_dtypes has it. The file appears when it is complete. Throws file_error.
template <detail::leaf A>
void save_npy(std::string const& path, A const& array) {
    detail::file_array const a = detail::file_array_of<false>(array, "");
    detail::new_file to(path);
    bool const column_major = detail::saves_column_major(a);
    to.write(detail::npy_header(a));
    detail::with_file_elements(path, a, column_major,
                               [&](char const* elements, std::size_t n) { to.write(elements, n); });
    to.commit();
}

/// Reads an .npy file (versions 1 to 3, either byte order, either order of axes) into an array of the same element
/// type and shape. A tensor or vector without elements takes its run-time extents from the file. Throws file_error,
/// and then changes nothing.
template <class A>
    requires detail::leaf<A>
void load_npy(std::string const& path, A&& target) {
    std::string bytes = detail::read_file(path);
    detail::load_npy_bytes(path, bytes, detail::file_array_of<true>(target, ""));
}

/// The array that an .npy file holds: `load_npy<tensor<float, dyn, 3>>("x.npy")`. Throws file_error where it has
/// another element type, another number of axes, or other lengths than the type says.
template <detail::leaf Array>
Array load_npy(std::string const& path) {
    static_assert(std::is_same_v<Array, typename detail::leaf_traits<Array>::owner>,
                  "an array that is returned owns its elements: a tensor, vector, array or number");
    Array array{};
    load_npy(path, array);
    return array;
}

/// Writes the arrays of a tree (a struct, tuple, array, or one of these in another) to an uncompressed .npz file, which
/// numpy.load reads as a dictionary: the keys are names of members and positions, "layers.0.weight". Throws file_error.
template <class Tree>
void save_npz(std::string const& path, Tree const& tree) {
    detail::save_npz_arrays(path, detail::file_arrays_of<false>(tree));
}

/// Reads an uncompressed .npz file into the arrays of a tree, found by their names; as load_npy for each. Throws
/// file_error, and then changes nothing.
template <class Tree>
void load_npz(std::string const& path, Tree&& tree, load_options const& options = {}) {
    std::string bytes = detail::read_file(path);
    detail::load_npz_bytes(path, bytes, detail::file_arrays_of<true>(tree), options);
}

}  // namespace tapeless

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
