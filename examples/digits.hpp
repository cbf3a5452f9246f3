// SPDX-License-Identifier: MIT
#pragma once
// Images of 28x28 pixels and their classes: read from the IDX files of MNIST and Fashion-MNIST, or drawn.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef TAPELESS_EXAMPLE_ZLIB
#include <zlib.h>
#endif

constexpr std::size_t pixels = 28 * 28;

struct Data {
    std::vector<std::uint8_t> pixel, label;
    std::size_t size() const { return label.size(); }
};

inline std::vector<std::uint8_t> read_file(std::filesystem::path const& path) {  // or path.gz
    std::vector<std::uint8_t> bytes;
    std::array<std::uint8_t, 65536> part;
#ifdef TAPELESS_EXAMPLE_ZLIB
    auto const zipped = path.string() + ".gz";
    gzFile const file = gzopen((std::filesystem::exists(path) ? path.string() : zipped).c_str(), "rb");
    if (!file) throw std::runtime_error("cannot read " + zipped);
    for (int n = 1; n > 0;) {
        n = gzread(file, part.data(), static_cast<unsigned>(part.size()));
        if (n > 0) bytes.insert(bytes.end(), part.begin(), part.begin() + n);
    }
    gzclose(file);
#else
    std::FILE* const file = std::fopen(path.string().c_str(), "rb");
    if (!file)
        throw std::runtime_error("cannot read " + path.string() + " (unpack it: gunzip " + path.string() + ".gz)");
    while (std::size_t const n = std::fread(part.data(), 1, part.size(), file))
        bytes.insert(bytes.end(), part.data(), part.data() + n);
    std::fclose(file);
#endif
    return bytes;
}

/// An IDX file: two zeros, the type of its elements (8: bytes), how many axes, their lengths, high bytes first; then
/// the elements.
inline std::vector<std::uint8_t> read_idx(std::filesystem::path const& path, std::vector<std::size_t> const& item) {
    auto bytes = read_file(path);
    std::size_t const axes = 1 + item.size(), header = 4 + 4 * axes;
    auto const wrong = [&](char const* what) { return std::runtime_error(path.string() + ": " + what); };
    if (bytes.size() < header || bytes[0] != 0 || bytes[1] != 0) throw wrong("is not an IDX file");
    if (bytes[2] != 8 || bytes[3] != axes) throw wrong("does not hold bytes of as many axes as expected");
    std::size_t elements = 1;
    for (std::size_t a = 0; a < axes; ++a) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < 4; ++i) length = 256 * length + bytes[4 + 4 * a + i];
        if (a > 0 && length != item[a - 1]) throw wrong("holds items of other lengths");
        elements *= length;
    }
    if (bytes.size() != header + elements) throw wrong("is shorter or longer than it says");
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header));
    return bytes;
}
inline Data read_data(std::filesystem::path const& folder, std::string const& part) {
    Data data{read_idx(folder / (part + "-images-idx3-ubyte"), {28, 28}),
              read_idx(folder / (part + "-labels-idx1-ubyte"), {})};
    if (data.pixel.size() != pixels * data.size()) throw std::runtime_error(part + ": not as many labels as images");
    if (std::any_of(data.label.begin(), data.label.end(), [](int l) { return l > 9; }))
        throw std::runtime_error(part + ": a label is larger than 9");
    return data;
}

/// Digits of seven segments, moved, slanted, thick or thin, some pixels wrong.
inline Data draw_digits(std::size_t n, std::mt19937& random) {
    struct segment {
        float row, column, down, right;
    };
    constexpr std::array<segment, 7> segments{
        {{0, 0, 0, 1}, {0, 1, 1, 0}, {1, 1, 1, 0}, {2, 0, 0, 1}, {1, 0, 1, 0}, {0, 0, 1, 0}, {1, 0, 0, 1}}};
    constexpr std::array<unsigned, 10> lit{0x3f, 0x06, 0x5b, 0x4f, 0x66, 0x6d, 0x7d, 0x07, 0x7f, 0x6f};
    auto const uniform = [&](float low, float high) {
        return low + (high - low) * static_cast<float>(random() >> 8) * 0x1p-24f;
    };
    Data data{std::vector<std::uint8_t>(n * pixels), std::vector<std::uint8_t>(n)};
    for (std::size_t k = 0; k < n; ++k) {
        data.label[k] = static_cast<std::uint8_t>(random() % 10);
        float const top = 6 + uniform(-3, 3), left = 9 + uniform(-4, 4), slant = uniform(-0.3f, 0.3f),
                    side = uniform(6, 9), width = uniform(0.7f, 1.6f), ink = uniform(120, 230);
        for (int i = 0; i < 28; ++i)
            for (int j = 0; j < 28; ++j) {
                float const row = (static_cast<float>(i) - top) / side;
                float const column = (static_cast<float>(j) - left + slant * (static_cast<float>(i) - top)) / side;
                float nearest = 1e9f;  // the distance to a segment that is lit
                for (std::size_t s = 0; s < 7; ++s) {
                    if (!(lit[data.label[k]] >> s & 1)) continue;
                    float const r = row - segments[s].row, c = column - segments[s].column;
                    float const along = std::clamp(r * segments[s].down + c * segments[s].right, 0.0f, 1.0f);
                    nearest =
                        std::min(nearest, std::hypot(r - along * segments[s].down, c - along * segments[s].right));
                }
                float const value = ink * std::clamp(width + 0.5f - side * nearest, 0.0f, 1.0f) + uniform(-60, 60);
                data.pixel[k * pixels + static_cast<std::size_t>(28 * i + j)] =
                    static_cast<std::uint8_t>(std::clamp(value, 0.0f, 255.0f));
            }
    }
    return data;
}

/// Images order[first], order[first + 1], ... of the data, as many as x takes, from 0 to 1; x holds them in one piece.
template <class Images, class Classes>
void copy_batch(Data const& data, std::vector<std::size_t> const& order, std::size_t first, Images& x,
                Classes& labels) {
    for (std::size_t n = 0; n < x.extent(0); ++n) {
        std::size_t const k = order[first + n];
        labels(n) = data.label[k];
        std::transform(data.pixel.data() + k * pixels, data.pixel.data() + (k + 1) * pixels, x.data() + n * pixels,
                       [](std::uint8_t p) { return static_cast<float>(p) / 255.0f; });
    }
}
