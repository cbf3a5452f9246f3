// SPDX-License-Identifier: MIT
// .npy: the bits come back as they were, NumPy's other spellings are read, and files that are not right change nothing.

#include <tapeless/array/makers.hpp>
#include <tapeless/io/npy.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "files.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using namespace files;

namespace {

/// A file of version 1 with this dictionary and these elements.
std::string npy(std::string dict, std::string const& elements, int version = 1) {
    dict += '\n';
    return "\x93NUMPY" + little(static_cast<unsigned>(version), 2) + little(dict.size(), version == 1 ? 2 : 4) + dict +
           elements;
}
std::string dict(std::string const& descr, std::string const& shape, std::string const& order = "False") {
    return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}
std::string swapped(std::string s, std::size_t element) {
    ad::detail::swap_bytes(s.data(), s.size(), element);
    return s;
}
/// Numbers of this machine as little-endian ones.
std::string floats(std::vector<float> const& x) {
    std::string s;
    for (float const f : x) s += bytes_of(f);
    return ad::detail::is_little_endian ? s : swapped(s, 4);
}

}  // namespace

TEMPLATE_TEST_CASE("npy: every element type comes back bit by bit", "", float, double, ad::half, ad::bfloat16, bool,
                   std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, long, long long) {
    using T = TestType;
    folder f;
    ad::tensor<T, ad::dyn, 3> a(5);
    for (std::size_t i = 0; i < a.size(); ++i) {
        unsigned char* const bytes = reinterpret_cast<unsigned char*>(a.data() + i);
        for (std::size_t k = 0; k < sizeof(T); ++k)
            bytes[k] = static_cast<unsigned char>(std::is_same_v<T, bool> ? i % 2 : 37 * i + 101 * k);
    }
    ad::save_npy(f / "a.npy", a);
    CHECK(same_bits(ad::load_npy<ad::tensor<T, ad::dyn, 3>>(f / "a.npy"), a));
    CHECK(f.entries() == 1);
}

TEST_CASE("npy: NaN with its payload, infinities and -0") {
    folder f;
    auto const payload = std::bit_cast<float>(0x7f812345u);
    float const inf = std::numeric_limits<float>::infinity();
    ad::tensor<float, 6> const a{-0.0f, inf, -inf, std::numeric_limits<float>::quiet_NaN(), payload, 1e-45f};
    ad::save_npy(f / "a.npy", a);
    CHECK(same_bits(ad::load_npy<ad::tensor<float, 6>>(f / "a.npy"), a));
}

TEST_CASE("npy: the file is as NumPy writes it") {
    folder f;
    ad::save_npy(f / "a.npy", ad::tensor<float, 2>{1, 2});
    std::string const file = contents(f / "a.npy");
    std::string const descr = ad::detail::is_little_endian ? "<f4" : ">f4";
    std::string head = dict(descr, "(2,)");
    head.append(128 - 10 - 1 - head.size(), ' ');
    CHECK(file == npy(head, bytes_of(1.0f) + bytes_of(2.0f)));
    CHECK((file.size() - 8) % 64 == 0);
    ad::save_npy(f / "a.npy", ad::tensor<ad::bfloat16, 1, 1>{{1}});
    CHECK(says(contents(f / "a.npy"), ad::detail::is_little_endian ? "'<V2'" : "'>V2'"));
    ad::save_npy(f / "a.npy", ad::tensor<bool, 1>{true});
    CHECK(says(contents(f / "a.npy"), "'|b1'"));
    ad::save_npy(f / "a.npy", ad::tensor<std::uint8_t, 1>{1});
    CHECK(says(contents(f / "a.npy"), "'|u1'"));
}

TEST_CASE("npy: numbers, arrays of no elements, vectors, spans and std::array") {
    folder f;
    ad::save_npy(f / "a.npy", 2.5);
    CHECK(says(contents(f / "a.npy"), "'shape': ()"));
    CHECK(ad::load_npy<double>(f / "a.npy") == 2.5);
    CHECK(ad::load_npy<ad::tensor<double>>(f / "a.npy") == 2.5);

    ad::save_npy(f / "a.npy", ad::tensor<float, ad::dyn, 3>());
    CHECK(says(contents(f / "a.npy"), "(0, 3)"));
    CHECK(ad::load_npy<ad::tensor<float, ad::dyn, 3>>(f / "a.npy").extents() == std::array<std::int64_t, 2>{0, 3});
    CHECK(ad::load_npy<ad::tensor<float, 0, 3>>(f / "a.npy").size() == 0);

    std::vector<double> const v{1, 2, 3};
    ad::save_npy(f / "a.npy", v);
    CHECK(ad::load_npy<std::vector<double>>(f / "a.npy") == v);
    CHECK(ad::load_npy<std::array<double, 3>>(f / "a.npy") == std::array<double, 3>{1, 2, 3});
    ad::save_npy(f / "a.npy", std::span<double const>(v).subspan(1));
    std::array<double, 2> two{};
    ad::load_npy(f / "a.npy", std::span<double>(two));
    CHECK(two == std::array<double, 2>{2, 3});
}

TEST_CASE("npy: strided views are saved row by row, column-major ones as they lie, and read into any strides") {
    folder f;
    ad::tensor<int, 3, 4> a;
    for (int i = 0; i < 12; ++i) a.data()[i] = i;
    ad::tensor<int, 2, 3> const expected{{1, 5, 9}, {3, 7, 11}};  // every other column, transposed
    ad::view<int, 2, 3> const part(a.data() + 1, std::array<std::ptrdiff_t, 2>{2, 4});
    ad::save_npy(f / "part.npy", part);
    CHECK(says(contents(f / "part.npy"), "'fortran_order': False"));
    CHECK(ad::load_npy<ad::tensor<int, 2, 3>>(f / "part.npy") == expected);

    ad::save_npy(f / "columns.npy", ad::view<int const, 4, 3>(a.data(), std::array<std::ptrdiff_t, 2>{1, 4}));
    CHECK(says(contents(f / "columns.npy"), "'fortran_order': True"));
    CHECK(contents(f / "columns.npy").ends_with(std::string(reinterpret_cast<char const*>(a.data()), 48)));
    auto const transposed = ad::load_npy<ad::tensor<int, 4, 3>>(f / "columns.npy");
    CHECK(transposed(3, 1) == 7);
    CHECK(transposed(1, 2) == 9);

    ad::save_npy(f / "backwards.npy", ad::view<int, 12>(a.data() + 11, std::array<std::ptrdiff_t, 1>{-1}));
    CHECK(ad::load_npy<ad::tensor<int, 12>>(f / "backwards.npy")(1) == 10);

    ad::tensor<int, 3, 4> b = ad::zeros_like(a);
    ad::load_npy(f / "part.npy", ad::view<int, 2, 3>(b.data() + 1, std::array<std::ptrdiff_t, 2>{2, 4}));
    CHECK(b == ad::tensor<int, 3, 4>{{0, 1, 0, 3}, {0, 5, 0, 7}, {0, 9, 0, 11}});
}

TEST_CASE("npy: versions 1 to 3, both byte orders, both orders of axes, and NumPy's spellings of a header") {
    folder f;
    using matrix = ad::tensor<float, 2, 3>;
    matrix const rows{{1, 2, 3}, {4, 5, 6}}, columns{{1, 3, 5}, {2, 4, 6}};
    std::string const elements = floats({1, 2, 3, 4, 5, 6});
    auto const read = [&](std::string const& bytes) {
        write(f / "a.npy", bytes);
        return ad::load_npy<matrix>(f / "a.npy");
    };
    for (int const version : {1, 2, 3}) CHECK(read(npy(dict("<f4", "(2, 3)"), elements, version)) == rows);
    CHECK(read(npy(dict(">f4", "(2, 3)"), swapped(elements, 4))) == rows);
    CHECK(read(npy(dict("<f4", "(2, 3)", "True"), elements)) == columns);
    CHECK(read(npy(dict(">f4", "(2, 3)", "True"), swapped(elements, 4))) == columns);
    CHECK(read(npy(dict(ad::detail::is_little_endian ? "=f4" : "<f4", "(2, 3)"), elements)) == rows);
    CHECK(read(npy("{'shape': (2L, 3L), \"fortran_order\":False,'descr':'<f4'}", elements)) == rows);
    CHECK(read(npy(" { 'descr' : '<f4' ,\t'shape':( 2 ,3, ), 'fortran_order': False}    ", elements)) == rows);
    write(f / "b.npy", npy(dict("|V2", "(1,)"), "\x80\x3f"));
    CHECK(ad::load_npy<std::vector<ad::bfloat16>>(f / "b.npy")[0] == 1);
}

TEST_CASE("npy: run-time extents take the file's lengths where there are no elements yet, and only there") {
    folder f;
    ad::save_npy(f / "a.npy", ad::tensor<float, 2, 3>{{1, 2, 3}, {4, 5, 6}});
    ad::tensor<float, ad::dyn, 3> empty, small(1);
    ad::load_npy(f / "a.npy", empty);
    CHECK(empty.extent(0) == 2);
    CHECK(empty(1, 2) == 6);
    ad::load_npy(f / "a.npy", empty);
    CHECK(says(refusal([&] { ad::load_npy(f / "a.npy", small); }), "expected float (1, 3), found float (2, 3)"));
    CHECK(small.extent(0) == 1);
    ad::tensor<float, ad::dim<"rows">, 4> named;
    CHECK(says(refusal([&] { ad::load_npy(f / "a.npy", named); }), "expected float (rows, 4), found float (2, 3)"));
    ad::view<float, ad::dyn, 3> none;
    CHECK(says(refusal([&] { ad::load_npy(f / "a.npy", none); }), "expected float (0, 3), found float (2, 3)"));
}

TEST_CASE("npy: large static tensors, moved from or not") {
    folder f;
    using large = ad::tensor<double, 64, 64>;
    large a, b;
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = static_cast<double>(i);
    ad::save_npy(f / "a.npy", a);
    large const taken = std::move(b);
    ad::load_npy(f / "a.npy", b);
    CHECK(a == b);
    large const again = std::move(b);
    CHECK(says(refusal([&] { ad::save_npy(f / "b.npy", b); }), "moved from"));
    CHECK(f.entries() == 1);
}

TEST_CASE("npy: a file that does not fit names itself, what was expected and what was found, and changes nothing") {
    folder f;
    std::string const path = f / "a.npy", elements = floats({1, 2, 3, 4, 5, 6});
    ad::tensor<float, 2, 3> target{{9, 9, 9}, {9, 9, 9}};
    auto const message = [&](std::string const& bytes) {
        write(path, bytes);
        std::string const m = refusal([&] { ad::load_npy(path, target); });
        CHECK(target == ad::tensor<float, 2, 3>{{9, 9, 9}, {9, 9, 9}});
        CHECK(m.starts_with(path + ": "));
        return m;
    };
    auto const with = [&](std::string const& header) { return message(npy(header, elements)); };

    CHECK(says(message(""), "begins with '\\x93NUMPY', found ''"));
    CHECK(says(message("PK\3\4 and more"), "found 'PK\\x03\\x04 a'"));
    CHECK(says(message("\x93NUMPY\1"), "ends in its header"));
    CHECK(says(message(std::string("\x93NUMPY\2\0\1\0", 10)), "ends in its header"));
    CHECK(says(message(std::string("\x93NUMPY\4\0\1\0      ", 16)), "found 4.0"));
    CHECK(says(message(std::string("\x93NUMPY\1\1\1\0      ", 16)), "found 1.1"));
    CHECK(says(message(std::string("\x93NUMPY\1\0\xff\xff{}", 12)), "expected a header of 65535 bytes, found 2"));
    CHECK(says(message("\x93NUMPY" + little(2, 2) + little(0xffffffff, 4) + "{}"),
               "expected a header of 4294967295 bytes, found 2"));

    CHECK(says(with(dict("<f4", "(3, 2)")), "expected float (2, 3), found float (3, 2)"));
    CHECK(says(with(dict("<f4", "(6,)")), "expected float (2, 3), found float (6,)"));
    CHECK(says(with(dict("<f8", "(1, 3)")), "expected float (2, 3), found double (1, 3)"));
    CHECK(says(with(dict("<i4", "(2, 3)")), "found int32 (2, 3)"));
    CHECK(says(with(dict("<f2", "(4, 3)")), "found half (4, 3)"));
    CHECK(says(with(dict("<c8", "(3,)")), "found elements of type '<c8' (3,)"));
    CHECK(says(with(dict("|f4", "(2, 3)")), "found elements of type '|f4'"));
    CHECK(says(with(dict("|O", "(2, 3)")), "found elements of type '|O'"));
    CHECK(says(with(dict(">V2", "(12,)")), "found elements of type '>V2'"));
    CHECK(says(with(dict("", "(2, 3)")), "found elements of type ''"));
    CHECK(says(with("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (6,)}"),
               "expected one type for all elements"));

    CHECK(says(message(npy(dict("<f4", "(2, 3)"), elements.substr(1))), "4 bytes each, found 23 bytes"));
    CHECK(says(message(npy(dict("<f4", "(2, 3)"), elements + "x")), "4 bytes each, found 25 bytes"));
    CHECK(says(with(dict("<f4", "(4611686018427387904, 4, 6)")), "found 24 bytes"));  // 2^62 * 4 is 0 in 64 bits
    CHECK(says(with(dict("<f4", "(4611686018427387910,)")), "4 bytes each, found 24 bytes"));  // 24 in 64 bits
    CHECK(says(with(dict("<f4", "(9223372036854775808,)")), "expected a number below 2^63"));
    CHECK(says(with(dict("<f4", "(99999999999999999999999, 0)")), "expected a number below 2^63"));
    CHECK(says(with(dict("<f4", "(0, 9223372036854775807)")), "found 24 bytes"));
    CHECK(says(with(dict("<f4", "(-2, 3)")), "expected a whole number, found '-2, 3)"));
    CHECK(says(with(dict("<f4", "(02, 3)")), "expected a whole number"));
    CHECK(says(with(dict("<f4", "(2.0, 3)")), "expected ')', found '.0, 3)"));
    CHECK(says(with(dict("<f4", "(6)")), "a comma after the only length"));
    CHECK(says(with(dict("<f4", "(,)")), "expected a whole number"));
    CHECK(says(with(dict("<f4", "((2, 3))")), "expected a whole number"));
    CHECK(says(with(dict("<f4", "(2, 3)", "0")), "expected True or False"));
    CHECK(says(with("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}"), "each once"));
    CHECK(
        says(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}"), "each once, found ''more'"));
    CHECK(says(with("{'descr': '<f4', 'fortran_order': False}"), "expected 'descr', 'fortran_order' and 'shape'"));
    CHECK(says(with("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} x"),
               "expected the end of the header, found 'x"));
    CHECK(says(with("{'descr': '<f4"), "a string without escapes that ends"));
    CHECK(says(with("{'desc\\x72': '<f4', 'fortran_order': False, 'shape': (2, 3)}"), "a string without escapes"));
    CHECK(says(with(""), "expected '{', found the end"));
    CHECK(says(with("{'descr'"), "expected ':'"));
}

TEST_CASE("npy: bytes that are no bool are refused") {
    folder f;
    write(f / "a.npy", npy(dict("|b1", "(3,)"), std::string("\1\0\2", 3)));
    ad::tensor<bool, 3> target{true, true, true};
    CHECK(says(refusal([&] { ad::load_npy(f / "a.npy", target); }), "element 2: expected a bool, 0 or 1, found 2"));
    CHECK(target == ad::tensor<bool, 3>{true, true, true});
}

TEST_CASE("npy: files that cannot be opened or written") {
    folder f;
    CHECK(says(refusal([&] { (void)ad::load_npy<double>(f / "none.npy"); }),
               "none.npy: the file cannot be opened: No such file"));
    CHECK(says(refusal([&] { (void)ad::load_npy<double>(f.path.string()); }), "cannot be read"));
    CHECK(says(refusal([&] { ad::save_npy(f / "none/a.npy", 1.0); }), "the file cannot be written: No such file"));
    std::filesystem::create_directory(f / "taken.npy");
    CHECK(says(refusal([&] { ad::save_npy(f / "taken.npy", 1.0); }), "the file cannot be written"));
    CHECK(f.entries() == 1);  // nothing half written is left
}

TEST_CASE("npy: a file is replaced when the new one is complete, and by nobody else's leftovers") {
    folder f;
    ad::save_npy(f / "a.npy", 1.0);
    write(f / "a.npy.part0", "somebody else's");
    ad::save_npy(f / "a.npy", 2.0);
    CHECK(ad::load_npy<double>(f / "a.npy") == 2.0);
    CHECK(contents(f / "a.npy.part0") == "somebody else's");
    CHECK(f.entries() == 2);
}
