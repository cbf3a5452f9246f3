// SPDX-License-Identifier: MIT
#pragma once
// What becomes of the results of a loop before they are stored, while they are in registers.

#include <limits>

#include <tapeless/base/inline.hpp>
#include <tapeless/simd/simd.hpp>

namespace tapeless::detail::inline kernels_part {

/// Where results are not kept: so many bytes of them are made before something is made of them, half of a first cache.
inline constexpr std::int64_t passing_results = 1 << 15;

/// A number of their row is added to results, and where they are below `least` they are that. By default they stay as
/// they are. (NaN is not below anything.)
template <class T>
struct write_back {
    T const* number = nullptr;  ///< of the first row
    std::ptrdiff_t apart = 0;   ///< from the number of a row to the next one's
    T least = -std::numeric_limits<T>::infinity();

    bool changes() const { return number != nullptr; }
    write_back from(std::int64_t row) const { return {number ? number + row * apart : nullptr, apart, least}; }
    T of(T v, std::int64_t row = 0) const {
        if (!number) return v;
        T const sum = v + number[row * apart];
        return sum < least ? least : sum;
    }
};
/// Of one row, in registers.
template <class T>
struct write_back_row {
    simd::batch<T> number, least;
    bool changes;
    TAPELESS_CONFIG_INLINE write_back_row(write_back<T> const& w, std::int64_t row)
        : number(w.changes() ? w.number[row * w.apart] : T(0)), least(w.least), changes(w.changes()) {}
    TAPELESS_CONFIG_INLINE simd::batch<T> of(simd::batch<T> v) const {
        if (!changes) return v;
        // of a bound and a NaN the second
        return simd::detail::wrap<T>(
            simd::detail::max_or_second<T>(simd::detail::raw(least), simd::detail::raw(simd::add(v, number))));
    }
};

/// Results that are in memory, `row` apart, but in the first cache.
template <class T, class Build = simd::batch<T>>
[[gnu::noinline]] void write_back_rows(T* to, std::ptrdiff_t row, std::int64_t rows, std::int64_t columns,
                                       write_back<T> const& end) {
    constexpr int L = simd::lanes<T>;
    for (std::int64_t r = 0; r < rows; ++r, to += row) {
        write_back_row<T> const own(end, r);
        std::int64_t c = 0;
        auto const take = [&]() TAPELESS_CONFIG_INLINE {
            simd::store(to + c, own.of(simd::load(static_cast<T const*>(to + c))));
            c += L;
        };
        while (c + 4 * L <= columns) take(), take(), take(), take();
        while (c + L <= columns) take();
        for (; c < columns; ++c) to[c] = end.of(to[c], r);
    }
}

}  // namespace tapeless::detail::kernels_part
