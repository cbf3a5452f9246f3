// SPDX-License-Identifier: MIT
// .npz: trees by name in an uncompressed zip archive; archives that are not right change nothing.

#include <tapeless/io/npy.hpp>
#include <tapeless/io/zip.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "files.hpp"
#include "support/catch.hpp"

namespace ad = tapeless;
using namespace files;

namespace {

struct model {
    ad::tensor<float, ad::dyn, 2> weight;
    std::array<ad::tensor<double, 2>, 2> biases;
    std::int64_t step = 0;
};
model example() {
    model m;
    m.weight = ad::tensor<float, ad::dyn, 2>{{1, 2}, {3, 4}, {5, 6}};
    m.biases[0] = {7, 8};
    m.biases[1] = {9, 10};
    m.step = 11;
    return m;
}
bool same(model const& a, model const& b) {
    return a.weight == b.weight && a.biases == b.biases && a.step == b.step;
}
/// Puts bytes in the place of others; both must be there and equally long.
std::string replaced(std::string s, std::string const& from, std::string const& to, std::size_t after = 0) {
    auto const at = s.find(from, after);
    REQUIRE(at != std::string::npos);
    REQUIRE(from.size() == to.size());
    return s.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("npz: a tree comes back, with sizes of 32 and of 64 bits") {
    folder f;
    model const m = example();
    model loaded;
    ad::save_npz(f / "a.npz", m);
    ad::load_npz(f / "a.npz", loaded);
    CHECK(same(m, loaded));
    CHECK(f.entries() == 1);
    std::string const file = contents(f / "a.npz");
    CHECK(file.starts_with("PK\3\4"));
    for (auto const* name : {"weight.npy", "biases.0.npy", "biases.1.npy", "step.npy"}) CHECK(says(file, name));

    model wide;
    ad::detail::save_npz_arrays(f / "wide.npz", ad::detail::file_arrays_of<false>(m), 0);
    CHECK(says(contents(f / "wide.npz"), "PK\6\6"));
    ad::load_npz(f / "wide.npz", wide);
    CHECK(same(m, wide));
    for (std::uint64_t const limit : {130u, 160u, 300u, 700u}) {  // some members' sizes, some members' places
        model again;
        ad::detail::save_npz_arrays(f / "some.npz", ad::detail::file_arrays_of<false>(m), limit);
        ad::load_npz(f / "some.npz", again);
        CHECK(same(m, again));
    }
}

TEST_CASE("npz: the checksum is that of zip") {
    CHECK(ad::detail::crc32("123456789", 9) == 0xcbf43926u);
    CHECK(ad::detail::crc32("6789", 4, ad::detail::crc32("12345", 5)) == 0xcbf43926u);
    CHECK(ad::detail::crc32("", 0) == 0);
}

TEST_CASE("npz: a file written by hand, with a comment at its end") {
    folder f;
    std::string const dict = "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }\n";
    std::string const array = "\x93NUMPY" + little(1, 2) + little(dict.size(), 2) + dict + "abc";
    std::string const sum = little(ad::detail::crc32(array.data(), array.size()), 4), size = little(array.size(), 4);
    std::string const common = little(0, 2) + little(0, 2) + little(0, 4) + sum + size + size + little(5, 2);
    std::string const head = "PK\3\4" + little(20, 2) + common + little(4, 2) + "0.npy" + "\xfe\xca" + little(0, 2);
    std::string const entry = "PK\1\2" + little(20, 2) + little(20, 2) + common + little(0, 2) + little(0, 2) +
                              little(0, 8) + little(0, 4) + "0.npy";
    std::string const end = "PK\5\6" + little(0, 4) + little(1, 2) + little(1, 2) + little(entry.size(), 4) +
                            little(head.size() + array.size(), 4) + little(7, 2) + "comment";
    write(f / "a.npz", head + array + entry + end);
    std::tuple<ad::tensor<std::uint8_t, 3>> t;
    ad::load_npz(f / "a.npz", t);
    CHECK(std::get<0>(t) == ad::tensor<std::uint8_t, 3>{'a', 'b', 'c'});
}

TEST_CASE("npz: archives that are not right are refused, and change nothing") {
    folder f;
    model const m = example();
    std::string const path = f / "a.npz";
    ad::save_npz(path, m);
    std::string const good = contents(path);
    auto const list = good.find("PK\1\2"), end = good.rfind("PK\5\6");
    model target;
    target.weight = ad::tensor<float, ad::dyn, 2>(3);
    auto const message = [&](std::string const& bytes) {
        write(path, bytes);
        std::string const text = refusal([&] { ad::load_npz(path, target); });
        CHECK(target.weight == ad::tensor<float, ad::dyn, 2>(3));
        CHECK(target.step == 0);
        CHECK(text.starts_with(path));
        return text;
    };
    // truncated anywhere
    for (std::size_t n = 0; n < good.size(); n += n + 8 < good.size() ? 7 : 1) message(good.substr(0, n));
    CHECK(says(message(""), "found no end of its list of members"));
    CHECK(says(message(good.substr(1)), "list of members to end at byte"));
    CHECK(says(message(replaced(good, "PK\1\2", "PK\1\3")), "expected an entry of the list"));
    CHECK(says(message(replaced(good, "weight.npy", "Weight.npy")), "another name than the list"));
    CHECK(says(message(replaced(replaced(good, "weight.npy", "Weight.npy"), "weight.npy", "Weight.npy", list)),
               "expected an array 'weight', found 'Weight', 'biases.0', 'biases.1', 'step'"));
    CHECK(says(message(replaced(replaced(good, "biases.1.npy", "biases.0.npy"), "biases.1.npy", "biases.0.npy", list)),
               "two arrays have the name 'biases.0'"));

    auto const changed = [&](std::size_t at, std::string const& bytes) {
        return std::string(good).replace(at, bytes.size(), bytes);
    };
    CHECK(says(message(changed(list + 10, little(8, 2))), "member 'weight.npy': expected a member that is stored"));
    CHECK(says(message(changed(list + 8, little(1, 2))), "it is encrypted"));
    CHECK(says(message(changed(list + 16, "abcd")), "the checksums differ"));
    CHECK(says(message(changed(list + 20, little(1, 4))), "its two sizes differ"));
    CHECK(says(message(changed(list + 20, little(0xfffffff0, 4) + little(0xfffffff0, 4))), "reach beyond the members"));
    CHECK(says(message(changed(list + 20, little(0xffffffff, 4) + little(0xffffffff, 4))), "reach beyond the members"));
    CHECK(says(message(changed(list + 42, little(1, 4))), "expected its header"));
    CHECK(says(message(changed(list + 42, little(0xffffff00, 4))), "expected its header"));
    CHECK(says(message(changed(list + 34, little(1, 2))), "begins in another"));
    CHECK(says(message(changed(list + 28, little(0xffff, 2))), "truncated"));
    CHECK(says(message(changed(end + 4, little(1, 2))), "found a part of one"));
    CHECK(says(message(changed(end + 8, little(3, 2))), "found a part of one"));
    CHECK(says(message(changed(end + 8, little(3, 2) + little(3, 2))), "longer than its members"));
    CHECK(says(message(changed(end + 8, little(9, 2) + little(9, 2))), "a list too short"));
    CHECK(says(message(changed(end + 12, little(0xffffffff, 4))), "list of members to end at byte"));
    auto const second = good.find("PK\1\2", list + 1);
    CHECK(says(message(changed(second + 42, little(0, 4))), "another name than the list"));
    // the second member's bytes said to reach into the third's header
    auto const longer = ad::detail::little_endian<4>(good, second + 20) + 8;
    CHECK(says(message(changed(second + 20, little(longer, 4) + little(longer, 4))), "it overlaps another member"));
    // the same where the list has the third before the second
    auto const third = good.find("PK\1\2", second + 1), fourth = good.find("PK\1\2", third + 1);
    std::string const entry = std::string(good, second, third - second),
                      next = std::string(good, third, fourth - third);
    std::string const turned = std::string(good).replace(second, fourth - second, next + entry);
    auto const place = second + next.size() + 20;
    CHECK(says(message(std::string(turned).replace(place, 8, little(longer, 4) + little(longer, 4))),
               "it overlaps another member"));
    model any_order;
    write(path, turned);
    ad::load_npz(path, any_order);
    CHECK(same(any_order, m));
    // a member that is no .npy, whose checksum is right
    ad::save_npz(path, std::tuple(1.0));
    std::string const one = replaced(contents(path), "NUMPY", "NUMPI");
    std::uint32_t const sum = ad::detail::crc32(one.data() + 35, 136);
    write(path, std::string(one).replace(one.find("PK\1\2") + 16, 4, little(sum, 4)));
    std::tuple<double> t;
    CHECK(says(refusal([&] { ad::load_npz(path, t); }), "member '0.npy': expected an .npy file"));

    model reads;
    write(path, good);
    ad::load_npz(path, reads);
    CHECK(same(reads, m));
}

TEST_CASE("npz: 64-bit records that point elsewhere are refused") {
    folder f;
    std::string const path = f / "a.npz";
    model const m = example();
    ad::detail::save_npz_arrays(path, ad::detail::file_arrays_of<false>(m), 0);
    std::string const good = contents(path);
    model target;
    auto const message = [&](std::size_t at, std::string const& bytes) {
        write(path, std::string(good).replace(at, bytes.size(), bytes));
        return refusal([&] { ad::load_npz(path, target); });
    };
    auto const record = good.find("PK\6\6"), locator = good.find("PK\6\7"), list = good.find("PK\1\2");
    CHECK(says(message(locator + 8, little(~0ull, 8)), "not where it is said to be"));
    CHECK(says(message(locator + 8, little(record - 1, 8)), "not where it is said to be"));
    CHECK(says(message(record + 4, little(~0ull, 8)), "not where it is said to be"));
    CHECK(says(message(record + 24, little(~0ull, 8) + little(~0ull, 8)), "a list too short"));
    CHECK(says(message(record + 40, little(~0ull, 8)), "list of members to end at byte"));
    CHECK(says(message(record + 48, little(~0ull, 8)), "list of members to end at byte"));
    auto const extra = list + 46 + 10;  // after the name
    CHECK(says(message(extra + 4, little(~0ull, 8) + little(~0ull, 8)), "reach beyond the members"));
    CHECK(says(message(extra + 4, little(~0ull - 100, 8)), "its two sizes differ"));
    CHECK(says(message(extra + 2, little(15, 2)), "its 64-bit sizes are truncated"));
    CHECK(says(message(extra + 2, little(99, 2)), "its extra field is truncated"));
    CHECK(target.weight.size() == 0);
}

TEST_CASE("npz: more arrays than the tree has are refused unless they are to be ignored") {
    folder f;
    ad::save_npz(f / "a.npz", example());
    struct {
        std::int64_t step = 0;
    } part;
    CHECK(says(refusal([&] { ad::load_npz(f / "a.npz", part); }), "expected 1 arrays, found another, 'biases.0'"));
    CHECK(part.step == 0);
    ad::load_npz(f / "a.npz", part, {.ignore_others = true});
    CHECK(part.step == 11);
}

TEST_CASE("npz: one array that does not fit leaves all of them as they were") {
    folder f;
    model m = example();
    ad::save_npz(f / "a.npz", m);
    struct {
        ad::tensor<float, ad::dyn, 2> weight;
        std::array<ad::tensor<double, 2>, 2> biases;
        float step = 3;  // int64 in the file
    } other;
    CHECK(says(refusal([&] { ad::load_npz(f / "a.npz", other); }),
               "member 'step.npy': expected float (), found int64 ()"));
    CHECK(other.weight.size() == 0);
    CHECK(other.biases[0] == ad::tensor<double, 2>{0, 0});
    CHECK(other.step == 3);
}
