// SPDX-License-Identifier: MIT
// Convolutions of one channel whose results or cotangents do not lie side by side: they are right, and nothing is
// written beyond the room that they have.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tapeless/kernels/convolution.hpp>
#include <vector>

#include "support/catch.hpp"

namespace detail = tapeless::detail;

namespace {

constexpr std::int64_t n = 1000, size = 3, outputs = 2;

/// (items, channels, length), the elements so far apart.
detail::strided rows_of(std::vector<float>& memory, std::int64_t items, std::int64_t channels, std::int64_t length,
                        std::ptrdiff_t apart) {
    detail::strided s;
    s.data = memory.data();
    s.rank = 3;
    std::int64_t const extents[] = {length, channels, items};
    std::ptrdiff_t stride = apart;
    for (int k = 0; k < 3; ++k) {
        s.extent[k] = extents[k];
        s.stride[k] = stride;
        stride *= static_cast<std::ptrdiff_t>(extents[k]);
    }
    return s;
}

/// Room for these products, and what lies behind it.
struct watched_room {
    using room = detail::convolution_room<float>;
    static constexpr std::int64_t strips = room::of_channel(1, size, 1, 1, true), behind = 20000;
    std::vector<float> memory;
    room parts;
    watched_room()
        : memory(static_cast<std::size_t>(room::fixed + strips + 1000 + outputs * room::blocks::windows + behind), 7),
          parts(memory.data(), strips, outputs * size) {}
    bool is_whole() const {
        auto const end = memory.begin() + (parts.result - memory.data()) + outputs * room::blocks::windows;
        return std::all_of(end, memory.end(), [](float v) { return v == 7; });
    }
};

std::vector<float> numbers(std::int64_t count, double first) {
    std::vector<float> x(static_cast<std::size_t>(count));
    for (float& v : x) first += 1.7, v = static_cast<float>(std::sin(first));
    return x;
}
std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

TEST_CASE("convolutions: the gradient of the weights where the cotangent is one number, or lies apart") {
    detail::convolution_axis const axes[detail::window_axes] = {{size, 1, 1, 1}, {}, {}};
    for (std::ptrdiff_t apart : {0, 2, 3}) {
        auto x = numbers(n, 0.3), y = numbers(outputs * n * 3, 0.9), w = numbers(outputs * size, 0);
        watched_room room;
        detail::images<float> const to(rows_of(w, outputs, 1, size, 1), 1);
        detail::strided const cotangent = rows_of(y, 1, outputs, n, apart);
        detail::weigh<float>(detail::images<float const>(cotangent, 1),
                             detail::images<float const>(rows_of(x, 1, 1, n, 1), 1), to, axes, 1, room.parts);
        CAPTURE(apart);
        CHECK(room.is_whole());
        for (std::int64_t o = 0; o < outputs; ++o)
            for (std::int64_t k = 0; k < size; ++k) {
                double sum = 0;
                for (std::int64_t p = 0; p < n; ++p)
                    if (std::int64_t const i = p + k - 1; i >= 0 && i < n)
                        sum += static_cast<double>(y[at(o * cotangent.stride[1] + p * apart)]) *
                               static_cast<double>(x[at(i)]);
                CHECK(w[at(o * size + k)] == Approx(sum).margin(1e-3));
            }
    }
}

TEST_CASE("convolutions: results that lie apart") {
    detail::convolution_axis const axes[detail::window_axes] = {{size, 1, 1, 1}, {}, {}};
    auto x = numbers(n, 0.3), w = numbers(outputs * size, 0.7), y = numbers(outputs * n * 2, 0);
    watched_room room;
    detail::correlate<float>(detail::images<float const>(rows_of(x, 1, 1, n, 1), 1),
                             detail::images<float const>(rows_of(w, outputs, 1, size, 1), 1),
                             detail::images<float>(rows_of(y, 1, outputs, n, 2), 1), axes, 1, room.parts);
    CHECK(room.is_whole());
    double worst = 0;
    for (std::int64_t o = 0; o < outputs; ++o)
        for (std::int64_t p = 0; p < n; ++p) {
            double sum = 0;
            for (std::int64_t k = 0; k < size; ++k)
                if (std::int64_t const i = p + k - 1; i >= 0 && i < n)
                    sum += static_cast<double>(w[at(o * size + k)]) * static_cast<double>(x[at(i)]);
            worst = std::max(worst, std::abs(static_cast<double>(y[at((o * n + p) * 2)]) - sum));
        }
    CHECK(worst < 1e-5);
}
