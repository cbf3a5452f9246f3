// SPDX-License-Identifier: MIT
#pragma once
// Files that go away with the test, and what readers say about those that are not right.

#include <tapeless/array/errors.hpp>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

namespace files {

/// A folder of its own, gone with the test.
struct folder {
    std::filesystem::path path;
    folder() {
        std::random_device random;  // tests may run beside each other
        do path = std::filesystem::temp_directory_path() / ("tapeless_test_" + std::to_string(random()));
        while (!std::filesystem::create_directory(path));
    }
    folder(folder const&) = delete;
    ~folder() { std::filesystem::remove_all(path); }
    std::string operator/(std::string const& name) const { return (path / name).string(); }
    int entries() const {
        return static_cast<int>(
            std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator()));
    }
};

inline std::string contents(std::string const& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}
inline void write(std::string const& path, std::string const& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// The bytes of a number in the order in which this machine has them.
template <class T>
std::string bytes_of(T x) {
    std::string s(sizeof(T), '\0');
    std::memcpy(s.data(), &x, sizeof(T));
    return s;
}
/// The bytes of a whole number, the last one first.
inline std::string little(unsigned long long n, int bytes) {
    std::string s;
    for (int i = 0; i < bytes; ++i, n >>= 8) s += static_cast<char>(n & 0xff);
    return s;
}

template <class F>
std::string refusal(F&& f) {
    try {
        f();
    } catch (tapeless::file_error const& e) {
        return e.what();
    }
    return "nothing was thrown";
}
inline bool says(std::string const& text, std::string const& words) { return text.find(words) != std::string::npos; }

template <class A, class B>
bool same_bits(A const& a, B const& b) {
    return a.extents() == b.extents() &&
           (a.size() == 0 || std::memcmp(a.data(), b.data(), a.size() * sizeof(*a.data())) == 0);
}

}  // namespace files
