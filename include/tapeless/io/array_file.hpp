// SPDX-License-Identifier: MIT
#pragma once
// Arrays between memory and files: what an element is, which arrays a tree has, what a file holds, and whether both
// agree. All of a file is compared with all of the tree before the first element is written.

#include <tapeless/array/overlap.hpp>
#include <tapeless/io/file.hpp>
#include <tapeless/io/member_names.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tapeless {

/// What load_npz and load_safetensors put up with.
struct load_options {
    /// The file may hold more arrays than the tree has.
    bool ignore_others = false;
};

namespace detail::inline io_part {

/// What an element in a file is: f floating point, w bfloat16, i and u whole numbers with and without sign, b bool, ?
/// another.
struct file_type {
    char kind = '?';
    int size = 0;
    bool operator==(file_type const&) const = default;
};

template <class T>
constexpr file_type file_type_of() {
    constexpr int size = static_cast<int>(sizeof(T));
    if constexpr (std::same_as<T, bool>) return {'b', 1};
    else if constexpr (std::same_as<T, float> || std::same_as<T, double> || std::same_as<T, half>) return {'f', size};
    else if constexpr (std::same_as<T, bfloat16>) return {'w', 2};
    else if constexpr (std::signed_integral<T>) return {'i', size};
    else {
        static_assert(std::unsigned_integral<T>,
                      "files hold arrays of float, double, half, bfloat16, bool and whole numbers");
        return {'u', size};
    }
}

inline std::string name_of(file_type t) {
    switch (t.kind) {
        case 'f': return t.size == 2 ? "half" : t.size == 4 ? "float" : "double";
        case 'w': return "bfloat16";
        case 'b': return "bool";
        case 'i': return "int" + std::to_string(8 * t.size);
        case 'u': return "uint" + std::to_string(8 * t.size);
        default: return "unknown";
    }
}

/// An array that is written to a file or read from one. Strides count bytes; axes count from the left.
struct file_array {
    std::string name;
    file_type type;
    std::size_t rank = 0;
    std::int64_t extent[max_rank]{};
    std::ptrdiff_t stride[max_rank]{};
    void* data = nullptr;
    /// Makes the array anew with these lengths and returns its memory; null where it does not own that, or all
    /// lengths are fixed.
    void* (*make)(void* array, std::int64_t const* lengths) = nullptr;
    void* array = nullptr;
    bool open[max_rank]{};  ///< axes that take the length which the file has
    std::string_view axis[max_rank]{};

    bool empty() const {
        for (std::size_t k = 0; k < rank; ++k)
            if (extent[k] == 0) return true;
        return false;
    }
    /// Only where the array is in memory already, so that the product is a length.
    std::size_t bytes() const {
        if (empty()) return 0;
        std::int64_t n = type.size;
        for (std::size_t k = 0; k < rank; ++k) n *= extent[k];
        return static_cast<std::size_t>(n);
    }
    void lie_densely(bool column_major = false) {
        std::size_t step = static_cast<std::size_t>(type.size);  // unsigned: beside a length of 0 it may wrap around
        for (std::size_t i = 0; i < rank; ++i) {
            std::size_t const k = column_major ? i : rank - 1 - i;
            stride[k] = static_cast<std::ptrdiff_t>(step);
            step *= static_cast<std::size_t>(extent[k]);
        }
    }
    bool is_dense(bool column_major = false) const {
        file_array dense = *this;
        dense.lie_densely(column_major);
        if (empty()) return true;
        for (std::size_t k = 0; k < rank; ++k)
            if (extent[k] != 1 && stride[k] != dense.stride[k]) return false;
        return true;
    }
    byte_array as_bytes() const {
        byte_array b;
        b.at.data = data;
        b.at.rank = static_cast<int>(rank);
        b.element = type.size;
        for (std::size_t k = 0; k < rank; ++k) {
            b.at.extent[k] = extent[rank - 1 - k];
            b.at.stride[k] = stride[rank - 1 - k];
        }
        return b;
    }
    std::string lengths_text() const {
        std::string text = "(";
        for (std::size_t k = 0; k < rank; ++k) {
            if (k > 0) text += ", ";
            if (!open[k]) text += std::to_string(extent[k]);
            else text += axis[k].empty() ? std::string_view("dyn") : axis[k];
        }
        return text + (rank == 1 ? ",)" : ")");
    }
};

template <class L>
void* make_leaf(void* array, std::int64_t const* lengths) {
    using traits = leaf_traits<L>;
    lengths_of<typename traits::shape_type> all{};
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = lengths[k];
    auto& a = *static_cast<L*>(array);
    a = traits::make(all);
    return traits::data(a);
}

/// One array of a tree. Where it is to be written and has no elements yet, run-time extents take the file's lengths.
template <bool Written, class L>
file_array file_array_of(L& leaf_, std::string const& name) {
    using traits = leaf_traits<std::remove_cv_t<L>>;
    auto* const data = traits::data(leaf_);
    static_assert(!Written || !std::is_const_v<std::remove_pointer_t<decltype(data)>>,
                  "arrays that are loaded from a file are written, so they cannot be const");
    file_array a;
    a.name = name;
    a.type = file_type_of<typename traits::value_type>();
    a.data = const_cast<void*>(static_cast<void const*>(data));
    auto const extents = traits::extents(leaf_);
    a.rank = extents.size();
    for (std::size_t k = 0; k < a.rank; ++k) a.extent[k] = extents[k];
    a.lie_densely();
    if constexpr (!traits::is_dense) {
        auto const strides = traits::strides(leaf_);
        for (std::size_t k = 0; k < a.rank; ++k) a.stride[k] = strides[k] * a.type.size;
    }
    if constexpr (Written && std::same_as<typename traits::owner, std::remove_cv_t<L>> && !std::is_const_v<L>) {
        if (a.empty() || !a.data) {
            a.make = make_leaf<L>;
            a.array = &leaf_;
            using shape_type = typename traits::shape_type;
            constexpr leaf_info info = leaf_description<L>::value;
            for (std::size_t k = 0; k < a.rank; ++k) {
                a.open[k] = shape_type::extents[k] < 0;
                a.axis[k] = info.name[k];
            }
        }
    }
    return a;
}

template <bool Written, class Tree>
std::vector<file_array> file_arrays_of(Tree& tree) {
    std::vector<file_array> all;
    for_each_named_leaf(tree,
                        [&](auto& l, std::string const& name) { all.push_back(file_array_of<Written>(l, name)); });
    return all;
}

/// f(bytes, n) for the elements in row-major order, or in column-major order.
template <class F>
void with_file_elements(std::string const& path, file_array const& a, bool column_major, F&& f) {
    std::size_t const n = a.bytes();
    if (n > 0 && !a.data)
        throw_file_error(path, "the array ", in_quotes(a.name), " was moved from, so there is nothing to save");
    if (a.is_dense(column_major)) {
        f(static_cast<char const*>(a.data), n);
    } else {
        std::string gathered(n, '\0');
        file_array to = a;
        to.data = gathered.data();
        to.lie_densely(column_major);
        copy_elements(a.as_bytes(), to.as_bytes());
        f(static_cast<char const*>(gathered.data()), n);
    }
}

/// An array as a file describes it, and where in the file its bytes are.
struct file_entry {
    std::string name;
    file_type type;
    std::string type_text;  ///< as the file spells it
    std::vector<std::int64_t> extents;
    bool column_major = false, swapped = false;
    std::size_t begin = 0, bytes = 0;

    std::string lengths_text() const {
        std::string text = "(";
        for (std::size_t k = 0; k < extents.size(); ++k) {
            if (text.size() > 200) return text + ", ...)";
            text += (k > 0 ? ", " : "") + std::to_string(extents[k]);
        }
        return text + (extents.size() == 1 ? ",)" : ")");
    }
    std::string text() const {
        return (type.kind == '?' ? "elements of type " + in_quotes(type_text) : name_of(type)) + " " + lengths_text();
    }
    /// Whether the elements take `bytes` bytes, told without an overflow.
    bool fills_its_bytes() const {
        std::uint64_t n = static_cast<std::uint64_t>(type.size);
        for (auto const e : extents)
            if (e == 0) return bytes == 0;
        for (auto const e : extents) {
            if (n > bytes / static_cast<std::uint64_t>(e)) return false;
            n *= static_cast<std::uint64_t>(e);
        }
        return n == bytes;
    }
};

/// Refuses an array of a file that is not what it should become; `bytes` are the file's.
inline void check_entry(std::string const& path, file_array const& target, file_entry const& e,
                        std::string_view bytes) {
    bool fits = target.type == e.type && target.rank == e.extents.size();
    for (std::size_t k = 0; k < target.rank && fits; ++k) fits = target.open[k] || target.extent[k] == e.extents[k];
    if (!fits) {
        std::string const who = e.name.empty() ? std::string() : in_quotes(e.name) + ": ";
        throw_file_error(path, who, "expected ", name_of(target.type), " ", target.lengths_text(), ", found ",
                         e.text());
    }
    if (e.type.kind != 'b') return;
    for (std::size_t i = 0; i < e.bytes; ++i)
        if (static_cast<unsigned char>(bytes[e.begin + i]) > 1)
            throw_file_error(path, "element ", i, (e.name.empty() ? std::string() : " of " + in_quotes(e.name)),
                             ": expected a bool, 0 or 1, found ", static_cast<unsigned char>(bytes[e.begin + i]));
}

/// Writes the targets, each from its entry; all has been checked. Where memory runs out nothing has changed.
inline void take_entries(std::vector<file_array>& targets, std::vector<file_entry const*> const& entries,
                         std::string& bytes) {
    struct undo {
        std::vector<file_array>& targets;
        std::size_t made = 0;
        bool done = false;
        ~undo() {
            for (std::size_t i = 0; i < made && !done; ++i)  // these had no elements, so this allocates nothing
                if (targets[i].make && targets[i].empty()) targets[i].make(targets[i].array, targets[i].extent);
        }
    } made{targets};
    std::vector<void*> memory(targets.size());
    for (; made.made < targets.size(); ++made.made) {
        file_array const& t = targets[made.made];
        memory[made.made] = t.make ? t.make(t.array, entries[made.made]->extents.data()) : t.data;
    }
    made.done = true;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        file_array& t = targets[i];
        file_entry const& e = *entries[i];
        if (t.make) {
            for (std::size_t k = 0; k < t.rank; ++k) t.extent[k] = e.extents[k];
            t.lie_densely();
        }
        t.data = memory[i];
        if (e.bytes == 0) continue;
        file_array from = t;
        from.data = bytes.data() + e.begin;
        from.lie_densely(e.column_major);
        if (e.swapped) swap_bytes(bytes.data() + e.begin, e.bytes, static_cast<std::size_t>(e.type.size));
        copy_elements(from.as_bytes(), t.as_bytes());
    }
}

/// The entry of every target, by name. Refuses names that stand twice or are missing, and others unless they are to
/// be ignored.
inline std::vector<file_entry const*> match_names(std::string const& path, std::vector<file_array> const& targets,
                                                  std::vector<file_entry> const& entries, load_options const& options) {
    std::map<std::string_view, file_entry const*> by_name;
    std::string names;
    for (auto const& e : entries) {
        if (!by_name.emplace(e.name, &e).second) throw_file_error(path, "two arrays have the name ", in_quotes(e.name));
        if (names.size() < 200) names += (names.empty() ? "" : ", ") + in_quotes(e.name);
        else if (!names.ends_with("...")) names += ", ...";
    }
    std::vector<file_entry const*> found;
    for (auto const& t : targets) {
        auto const e = by_name.find(t.name);
        if (e == by_name.end())
            throw_file_error(path, "expected an array ", in_quotes(t.name), ", found ",
                             (names.empty() ? std::string("none") : names));
        found.push_back(e->second);
        by_name.erase(e);
    }
    if (!by_name.empty() && !options.ignore_others)
        throw_file_error(path, "expected ", targets.size(), " arrays, found another, ",
                         in_quotes(by_name.begin()->first), " (load_options{.ignore_others = true} allows that)");
    return found;
}

}  // namespace detail::io_part
}  // namespace tapeless
