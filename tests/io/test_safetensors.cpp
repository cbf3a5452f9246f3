// SPDX-License-Identifier: MIT
// safetensors: trees by name; the file is laid out as its format says, and files that are not right change nothing.

#include <tapeless/io/safetensors.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "files.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using namespace files;

namespace {

template <template <class, auto...> class Tensor>
struct layer {
    Tensor<float, ad::dyn, 2> weight;
    Tensor<ad::half, 3> bias;
};
template <template <class, auto...> class Tensor>
struct model {
    Tensor<bool, 3> mask;
    std::array<layer<Tensor>, 2> layers;
    std::pair<double, std::vector<std::int32_t>> rest;
};

model<ad::tensor> example() {
    model<ad::tensor> m;
    m.mask = {true, false, true};
    m.layers[0].weight = ad::tensor<float, ad::dyn, 2>{{-0.0f, std::numeric_limits<float>::quiet_NaN()}};
    m.layers[1].weight = ad::tensor<float, ad::dyn, 2>{{1, 2}, {3, 4}};
    for (auto& l : m.layers) l.bias = {1, 2, 3};
    m.rest = {0.1, {5, 6}};
    return m;
}
bool same(model<ad::tensor> const& a, model<ad::tensor> const& b) {
    bool result = same_bits(a.mask, b.mask) && a.rest == b.rest;
    for (std::size_t i = 0; i < 2; ++i)
        result = result && same_bits(a.layers[i].weight, b.layers[i].weight) &&
                 same_bits(a.layers[i].bias, b.layers[i].bias);
    return result;
}

std::string file(std::string const& header, std::string const& elements) {
    return little(header.size(), 8) + header + elements;
}

}  // namespace

TEST_CASE("safetensors: a tree comes back bit by bit, and saving leaves one file") {
    folder f;
    auto const m = example();
    model<ad::tensor> loaded;
    ad::save_safetensors(f / "m", m);
    ad::load_safetensors(f / "m", loaded);
    CHECK(same(m, loaded));
    CHECK(f.entries() == 1);
}

TEST_CASE("safetensors: the file, byte by byte") {
    folder f;
    struct {
        ad::tensor<std::uint8_t, 2> small{1, 2};
        ad::tensor<double, 1> wide{1.5};
        ad::tensor<std::int16_t, 0, 7> none;
        float number = 2;
    } tree;
    ad::save_safetensors(f / "m", tree, {{"format", "pt"}, {"a\"b\\\n", "\xc3\xa4"}});
    std::string header = "{\"__metadata__\":{\"format\":\"pt\",\"a\\\"b\\\\\\u000a\":\"\xc3\xa4\"},"
                         "\"wide\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]},"
                         "\"number\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[8,12]},"
                         "\"none\":{\"dtype\":\"I16\",\"shape\":[0,7],\"data_offsets\":[12,12]},"
                         "\"small\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[12,14]}}";
    header.append((8 - header.size() % 8) % 8, ' ');
    REQUIRE(ad::detail::is_little_endian);
    CHECK(contents(f / "m") == file(header, bytes_of(1.5) + bytes_of(2.0f) + "\1\2"));
    CHECK(ad::load_safetensors_metadata(f / "m") == ad::file_metadata{{"format", "pt"}, {"a\"b\\\n", "\xc3\xa4"}});
    ad::save_safetensors(f / "m", std::tuple<>());
    CHECK(contents(f / "m") == file("{}      ", ""));
    CHECK(ad::load_safetensors_metadata(f / "m").empty());
}

TEMPLATE_TEST_CASE("safetensors: every element type", "", float, double, ad::half, ad::bfloat16, bool, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    using T = TestType;
    folder f;
    std::tuple<ad::tensor<T, 2, 3>, ad::tensor<T, ad::dyn>> a, b;
    for (int i = 0; i < 6; ++i) std::get<0>(a).data()[i] = static_cast<T>(i);
    std::get<1>(a) = ad::tensor<T, ad::dyn>{static_cast<T>(1), static_cast<T>(0)};
    ad::save_safetensors(f / "m", a);
    ad::load_safetensors(f / "m", b);
    CHECK(std::get<0>(a) == std::get<0>(b));
    CHECK(std::get<1>(a) == std::get<1>(b));
    bool const floating = std::is_floating_point_v<T> || std::is_same_v<T, ad::half>;
    std::string name = (floating ? "F" : std::is_signed_v<T> ? "I" : "U") + std::to_string(8 * sizeof(T));
    if (std::is_same_v<T, bool>) name = "BOOL";
    if (std::is_same_v<T, ad::bfloat16>) name = "BF16";
    CHECK(says(contents(f / "m"), "\"dtype\":\"" + name + "\""));
}

TEST_CASE("safetensors: arrays in any order, spaces and escapes in the header, empty arrays between") {
    folder f;
    write(
        f / "m",
        file(
            "{ \"1\" : {\"shape\":[ 2 ],\"data_offsets\":[4,12],\"dtype\":\"F32\"},\n\t\"__metadata__\":{},\"\\u0030\":"
            "{\"dtype\":\"F32\",\"shape\":[1,1],\"data_offsets\":[0,4]},\"e\\u00e4\\ud83d\\ude00\\/\":"
            "{\"dtype\":\"F32\",\"shape\":[4,0],\"data_offsets\":[4,4]},\"f\":{\"dtype\":\"F4\",\"shape\":[0],\"data_"
            "offsets\":[4,4]}}  ",
            bytes_of(1.0f) + bytes_of(2.0f) + bytes_of(3.0f)));
    std::tuple<ad::tensor<float, 1, 1>, std::vector<float>> t;
    ad::load_safetensors(f / "m", t, {.ignore_others = true});
    CHECK(std::get<0>(t)(0, 0) == 1);
    CHECK(std::get<1>(t) == std::vector<float>{2, 3});
    auto const h = ad::detail::read_safetensors(f / "m", contents(f / "m"));
    CHECK(h.entries[2].name == "e\xc3\xa4\xf0\x9f\x98\x80/");
}

TEST_CASE("safetensors: views are saved row by row and loaded in place") {
    folder f;
    ad::tensor<double, 2, 3> memory{{1, 2, 3}, {4, 5, 6}};
    ad::view<double, 3, 2> const columns(memory.data(), std::array<std::ptrdiff_t, 2>{1, 3});
    ad::save_safetensors(f / "m", columns);
    CHECK(contents(f / "m").ends_with(bytes_of(1.0) + bytes_of(4.0) + bytes_of(2.0) + bytes_of(5.0) + bytes_of(3.0) +
                                      bytes_of(6.0)));
    ad::tensor<double, 2, 3> other;
    ad::load_safetensors(f / "m", ad::view<double, 3, 2>(other.data(), std::array<std::ptrdiff_t, 2>{1, 3}));
    CHECK(other == memory);
}

TEST_CASE("safetensors: what does not fit the tree is refused") {
    folder f;
    ad::save_safetensors(f / "m", example());
    struct {
        ad::tensor<bool, 3> mask;
    } part;
    CHECK(says(refusal([&] { ad::load_safetensors(f / "m", part); }),
               "m: expected 1 arrays, found another, 'layers.0.bias'"));
    ad::load_safetensors(f / "m", part, {.ignore_others = true});
    CHECK(part.mask(2));
    struct {
        ad::tensor<bool, 3> Mask;
    } renamed;
    CHECK(says(refusal([&] { ad::load_safetensors(f / "m", renamed, {.ignore_others = true}); }),
               "expected an array 'Mask', found 'rest.0', "));
    struct {
        ad::tensor<bool, 4> mask;
    } longer;
    CHECK(says(refusal([&] { ad::load_safetensors(f / "m", longer, {.ignore_others = true}); }),
               "'mask': expected bool (4,), found bool (3,)"));
    struct {
        std::pair<float, std::vector<std::int32_t>> rest;
    } narrower;
    CHECK(says(refusal([&] { ad::load_safetensors(f / "m", narrower, {.ignore_others = true}); }),
               "'rest.0': expected float (), found double ()"));
    CHECK(narrower.rest.second.empty());
}

TEST_CASE("safetensors: headers and elements that are not right are refused, and change nothing") {
    folder f;
    std::string const path = f / "m", eight(8, '\1');
    std::tuple<ad::tensor<float, 2>> target{ad::tensor<float, 2>{9, 9}};
    auto const message = [&](std::string const& bytes) {
        write(path, bytes);
        std::string const m = refusal([&] { ad::load_safetensors(path, target, {.ignore_others = true}); });
        CHECK(std::get<0>(target) == ad::tensor<float, 2>{9, 9});
        CHECK(m.starts_with(path + ": "));
        return m;
    };
    auto const with = [&](std::string const& header) { return message(file(header, eight)); };
    auto const entry = [&](std::string const& inside) { return with("{\"0\":{" + inside + "}}"); };
    std::string const type = "\"dtype\":\"F32\"", shape = "\"shape\":[2]", offsets = "\"data_offsets\":[0,8]";
    std::string const right = "\"0\":{" + type + "," + shape + "," + offsets + "}";

    CHECK(says(message("1234567"), "8 bytes of length, found 7"));
    CHECK(says(message(little(100'000'001, 8) + "{}"), "of at most 100000000 bytes, found that it has 100000001"));
    CHECK(says(message(little(~0ull, 8) + "{}"), "18446744073709551615"));
    CHECK(says(message(little(3, 8) + "{}"), "expected a header of 3 bytes, found 2"));
    CHECK(says(message(little(100, 8)), "expected a header of 100 bytes, found 0"));
    CHECK(says(with(""), "expected '{', found the end"));
    CHECK(says(with(" {}"), "expected '{', found ' {}'"));
    CHECK(says(with("[]"), "expected '{'"));
    CHECK(says(with("{" + right), "expected '}', found the end"));
    CHECK(says(with("{" + right + ",}"), "expected '\"', found '}'"));
    CHECK(says(with("{" + right + "}}"), "expected the end of the header"));
    CHECK(says(with("{" + right + "," + right + "}"), "has the same bytes as another array"));
    CHECK(says(with("{" + right + ",\"0\":{" + type + ",\"shape\":[0],\"data_offsets\":[8,8]}}"),
               "two arrays have the name '0'"));
    CHECK(says(with("{" + right + ",\"\\u0030\":{" + type + ",\"shape\":[0],\"data_offsets\":[8,8]}}"),
               "two arrays have the name '0'"));

    CHECK(says(entry(""), "before this \"dtype\", \"shape\" and \"data_offsets\" of '0'"));
    CHECK(says(entry(type + "," + shape), "before this \"dtype\""));
    CHECK(says(entry(type + "," + type + "," + shape + "," + offsets), "each once"));
    CHECK(says(entry(type + "," + shape + "," + offsets + ",\"more\":1"), "each once, found '\"more\":1"));
    CHECK(says(entry("\"dtype\":{}," + shape + "," + offsets), "expected '\"', found '{}"));
    CHECK(says(entry("\"dtype\":\"F8\"," + shape + "," + offsets),
               "expected float (2,), found elements of type 'F8' (2,)"));
    CHECK(says(entry("\"dtype\":\"f32\"," + shape + "," + offsets), "elements of type 'f32'"));
    CHECK(says(entry("\"dtype\":\"I32\"," + shape + "," + offsets), "expected float (2,), found int32 (2,)"));
    CHECK(says(entry("\"dtype\":\"F64\"," + shape + "," + offsets),
               "expected the elements of double (2,), 8 bytes each, found 8 bytes"));
    CHECK(says(entry(type + ",\"shape\":[[2]]," + offsets), "expected a whole number, found '[2]"));
    CHECK(says(entry(type + ",\"shape\":[2.0]," + offsets), "expected ']', found '.0"));
    CHECK(says(entry(type + ",\"shape\":[2e0]," + offsets), "expected ']', found 'e0"));
    CHECK(says(entry(type + ",\"shape\":[-2]," + offsets), "expected a whole number, found '-2"));
    CHECK(says(entry(type + ",\"shape\":[02]," + offsets), "expected a whole number"));
    CHECK(says(entry(type + ",\"shape\":[2,]," + offsets), "expected a whole number, found ']"));
    CHECK(says(entry(type + ",\"shape\":null," + offsets), "expected '['"));
    CHECK(says(entry(type + ",\"shape\":[9223372036854775808]," + offsets), "expected a number below 2^63"));
    CHECK(says(entry(type + ",\"shape\":[4611686018427387904,4,2]," + offsets), "found 8 bytes"));
    // 8 in 64 bits
    CHECK(says(entry(type + ",\"shape\":[4611686018427387906]," + offsets), "4 bytes each, found 8 bytes"));
    CHECK(says(entry(type + ",\"shape\":[3]," + offsets),
               "expected the elements of float (3,), 4 bytes each, found 8 bytes"));
    CHECK(says(entry(type + ",\"shape\":[1,2]," + offsets), "expected float (2,), found float (1, 2)"));
    CHECK(says(entry(type + "," + shape + ",\"data_offsets\":[8,0]"), "in order, found [8, 0]"));
    CHECK(says(entry(type + "," + shape + ",\"data_offsets\":[0]"), "expected ','"));
    CHECK(says(entry(type + "," + shape + ",\"data_offsets\":[0,8,8]"), "expected ']'"));
    CHECK(says(entry(type + "," + shape + ",\"data_offsets\":[1,9]"), "found the end of the file"));
    CHECK(says(entry(type + "," + shape + ",\"data_offsets\":[9223372036854775799,9223372036854775807]"),
               "found the end of the file"));
    CHECK(says(entry(type + ",\"shape\":[1],\"data_offsets\":[4,8]"), "there is a hole"));
    CHECK(says(entry(type + ",\"shape\":[1],\"data_offsets\":[0,4]"), "found a file of"));
    CHECK(says(with("{" + right + ",\"1\":{" + type + ",\"shape\":[1],\"data_offsets\":[4,8]}}"), "they overlap"));
    CHECK(says(with("{" + right + ",\"1\":{" + type + ",\"shape\":[0],\"data_offsets\":[4,4]}}"), "they overlap"));
    CHECK(says(message(file("{" + right + "}", "1234567")), "found the end of the file"));
    CHECK(says(message(file("{" + right + "}", "123456789")), "expected the elements to end at byte"));

    auto const name = [&](std::string const& n) { return with("{\"" + n + "\":{}," + right + "}"); };
    CHECK(says(name("\\x"), "expected an escape of JSON"));
    CHECK(says(name("\\u12g4"), "four hexadecimal digits"));
    CHECK(says(name("\\ud800"), "the second surrogate"));
    CHECK(says(name("\\ud800\\u0041"), "the second surrogate"));
    CHECK(says(name("\\udc00"), "the first surrogate"));
    CHECK(says(name("\n"), "UTF-8 without control characters"));
    CHECK(says(name(std::string(1, '\0')), "UTF-8 without control characters"));
    for (auto const* bad :
         {"\xff", "\xc0\x80", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\x80"})
        CHECK(says(name(bad), "UTF-8 without control characters"));
    CHECK(says(with("{\"never"), "a string that ends"));
    CHECK(says(with("{\"never\\"), "expected an escape of JSON, found"));
    CHECK(says(with("{\"__metadata__\":{\"a\":1}," + right + "}"), "expected '\"', found '1}"));
    CHECK(says(with("{\"__metadata__\":{\"a\":{}}," + right + "}"), "expected '\"', found '{}"));
    CHECK(says(with("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}," + right + "}"),
               "two texts of the metadata have the name 'a'"));
    CHECK(says(with("{\"__metadata__\":{},\"__metadata__\":{}," + right + "}"), "one \"__metadata__\" only"));
    CHECK(says(with(std::string(100000, '{')), "expected '\"', found '{{{"));
    CHECK(says(with("{\"0\":" + std::string(100000, '[')), "expected '{', found '[[["));

    write(path, file("{" + right + "}", eight));
    ad::load_safetensors(path, target);
    CHECK(std::get<0>(target)(0) != 9);
}

TEST_CASE("safetensors: bytes that are no bool are refused") {
    folder f;
    write(f / "m", file("{\"0\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[0,2]}}", "\1\xff"));
    std::tuple<ad::tensor<bool, 2>> t;
    CHECK(says(refusal([&] { ad::load_safetensors(f / "m", t); }),
               "element 1 of '0': expected a bool, 0 or 1, found 255"));
    CHECK_FALSE(std::get<0>(t)(0));
}

TEST_CASE("safetensors: what cannot be written leaves the file that was there") {
    folder f;
    ad::save_safetensors(f / "m", 1.0);
    std::string const before = contents(f / "m");
    CHECK(says(refusal([&] { ad::save_safetensors(f / "m", 2.0, {{"a", "\xff"}}); }), "in UTF-8, found '\\xff'"));
    CHECK(says(refusal([&] {
                   ad::save_safetensors(f / "m", 2.0, {{"a", ""}, {"a", ""}});
               }),
               "two texts of the metadata"));
    ad::tensor<double, 64, 64> large;
    ad::tensor<double, 64, 64> const taken = std::move(large);
    CHECK(says(refusal([&] { ad::save_safetensors(f / "m", large); }), "moved from"));
    CHECK(contents(f / "m") == before);
    CHECK(f.entries() == 1);
    CHECK(says(refusal([&] { (void)ad::load_safetensors_metadata(f / "none"); }), "cannot be opened"));
}
