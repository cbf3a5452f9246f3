// SPDX-License-Identifier: MIT
#pragma once
// Makers: arrays of zeros, of one value, of random numbers, of evenly spaced numbers, and the identity matrix.

#include <tapeless/array/dtype.hpp>
#include <tapeless/array/expression_base.hpp>
#include <tapeless/array/layout.hpp>
#include <tapeless/array/tensor.hpp>
#include <tapeless/array/view.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace tapeless {

namespace detail::inline array_part {

/// The type of a range's elements; not what dereferencing gives, which may be a proxy.
template <class A>
struct element_of {
    using type = std::remove_cvref_t<decltype(*std::begin(std::declval<A&>()))>;
};
template <class A>
    requires requires { typename A::value_type; }
struct element_of<A> {
    using type = typename A::value_type;
};
template <class A>
using element_t = typename element_of<std::remove_cvref_t<A>>::type;

/// std::vector, std::array and their like: they own their elements, and can be made with a length or have one.
template <class A>
concept container = !any_expression<A> && requires(A const& a, typename A::value_type) {
    a[a.size()];
} && (std::constructible_from<A, std::size_t> || requires { std::tuple_size<A>::value; });

/// tensor, view, container, span, C array: anything with elements that can be written.
template <class A>
concept fillable = requires(A& a, element_t<A> value) {
    std::end(a);
    *std::begin(a) = value;
};

/// Writes what next() returns into every element, in row-major order.
template <class A, class F>
constexpr void generate(A& a, F&& next) {
    if constexpr (is_view<std::remove_cvref_t<A>>) {
        if (a.is_contiguous()) {
            for (std::size_t i = 0, n = a.size(); i < n; ++i) a.data()[i] = next();
            return;
        }
    }
    for (auto&& element : a) element = next();
}

template <class G>
concept random_bits = requires(G& g) {
    { g() } -> std::unsigned_integral;
    { std::remove_reference_t<G>::min() } -> std::unsigned_integral;
    { std::remove_reference_t<G>::max() } -> std::unsigned_integral;
};

/// 64 uniform bits from any generator. What exceeds the largest power of two in its range is drawn again.
template <class G>
std::uint64_t uniform_bits(G& rng) {
    using generator = std::remove_reference_t<G>;
    constexpr std::uint64_t range = std::uint64_t{generator::max()} - generator::min();
    static_assert(range > 0, "a generator of one number only is not random");
    constexpr int width = [] {
        int w = 1;
        while (w < 64 && (~std::uint64_t{0} >> (63 - w)) <= range) ++w;
        return w;
    }();
    std::uint64_t bits = 0;
    for (int have = 0; have < 64; have += width) {
        std::uint64_t drawn = 0;
        do {
            drawn = std::uint64_t{rng()} - generator::min();
        } while (width < 64 && (drawn >> (width % 64)) != 0);
        bits = width < 64 ? (bits << (width % 64)) | drawn : drawn;
    }
    return bits;
}

/// Uniform in [0, 1), a multiple of 2^-53.
template <class G>
double uniform_unit(G& rng) {
    return static_cast<double>(uniform_bits(rng) >> 11) * 0x1p-53;
}

/// Marsaglia's polar method: a point (u, v) in the unit disc gives two independent normal numbers.
template <class G>
struct normal_pairs {
    G& rng;
    double kept = 0;
    bool has_kept = false;

    double operator()() {
        if (has_kept) {
            has_kept = false;
            return kept;
        }
        double u = 0, v = 0, s = 0;
        do {
            // With 26 bits each, u*u + v*v is exact: every platform takes and refuses the same points.
            auto const bits = uniform_bits(rng);
            u = (static_cast<double>(bits >> 38) - 0x1p25) * 0x1p-25;
            v = (static_cast<double>((bits >> 6) & 0x3ffffff) - 0x1p25) * 0x1p-25;
            s = u * u + v * v;
        } while (s >= 1 || s == 0);
        double const scale = std::sqrt(-2 * std::log(s) / s);
        kept = v * scale;
        has_kept = true;
        return u * scale;
    }
};

}  // namespace detail::array_part

/// Zeros like the argument: a tensor, std::vector or std::array of the same type and lengths; for a view the tensor of
/// its lengths; for a number 0.
template <class A>
    requires(number<A> || detail::is_tensor<A> || detail::is_view<A> || detail::container<A>)
constexpr auto zeros_like(A const& a) {
    if constexpr (number<A>) {
        return A{};
    } else if constexpr (detail::is_tensor<A>) {
        return A::with_extents(a.extents());
    } else if constexpr (detail::is_view<A>) {
        return []<class T, auto... E>(view<T, E...> const& v) {
            return tensor<std::remove_cv_t<T>, E...>::with_extents(v.extents());
        }(a);
    } else {
        auto made = [&] {
            if constexpr (requires { std::tuple_size<A>::value; }) return A{};
            else return A(a.size());
        }();
        if constexpr (!number<typename A::value_type>)
            for (std::size_t i = 0; i < a.size(); ++i) made[i] = zeros_like(a[i]);
        return made;
    }
}

/// Every element becomes the value. Takes tensors, views and ranges.
template <class A, class V>
    requires(detail::fillable<A> && std::convertible_to<V, detail::element_t<A>>)
constexpr void fill(A&& a, V const& value) {
    detail::generate(a, [x = static_cast<detail::element_t<A>>(value)] { return x; });
}

/// Normally distributed numbers: the same from the same generator wherever the library is compiled (but for the
/// rounding of std::log).
template <class A, class G>
    requires(detail::fillable<A> && detail::random_bits<G>)
void fill_normal(A&& a, G&& rng, double mean = 0, double sd = 1) {
    detail::normal_pairs<G> normal{rng};
    detail::generate(a, [&] { return static_cast<detail::element_t<A>>(mean + sd * normal()); });
}

/// Uniformly distributed numbers of [lo, hi); integers for elements that are integers.
template <class A, class G>
    requires(detail::fillable<A> && detail::random_bits<G>)
void fill_uniform(A&& a, G&& rng, double lo = 0, double hi = 1) {
    using element = detail::element_t<A>;
    detail::generate(a, [&] {
        for (;;) {
            double x = lo + (hi - lo) * detail::uniform_unit(rng);
            if constexpr (std::integral<element>) x = std::floor(x);
            auto const rounded = static_cast<element>(x);
            // Rounding to the element's type may reach hi, which does not belong to the interval.
            if (!(lo < hi) || static_cast<double>(rounded) < hi) return rounded;
        }
    });
}

/// 0, 1, ..., n - 1.
template <class T>
tensor<T, dyn> arange(std::integral auto n) {
    tensor<T, dyn> made(n);
    for (std::size_t i = 0; i < made.size(); ++i) made(i) = static_cast<T>(i);
    return made;
}

/// The same, their number known to the compiler.
template <class T, auto N>
    requires(detail::is_static_extent<N>)
constexpr tensor<T, N> arange() {
    tensor<T, N> made;
    for (std::size_t i = 0; i < made.size(); ++i) made(i) = static_cast<T>(i);
    return made;
}

/// n numbers evenly spaced from a to b, both of them included.
template <class T>
    requires(!std::integral<T>)
tensor<T, dyn> linspace(std::type_identity_t<T> a, std::type_identity_t<T> b, std::integral auto n) {
    using real = std::conditional_t<(sizeof(T) > sizeof(double)), T, double>;
    tensor<T, dyn> made(n);
    auto const first = static_cast<real>(a), last = static_cast<real>(b);
    for (std::size_t i = 0; i < made.size(); ++i) {
        auto const t = i == 0 ? real{0} : static_cast<real>(i) / static_cast<real>(made.size() - 1);
        made(i) = static_cast<T>(first * (1 - t) + last * t);
    }
    return made;
}

/// The identity matrix, its size known to the compiler.
template <class T, auto N>
    requires(detail::is_static_extent<N>)
constexpr tensor<T, N, N> eye() {
    tensor<T, N, N> made;
    for (std::size_t i = 0; i < made.extent(0); ++i) made(i, i) = static_cast<T>(1);
    return made;
}
/// The identity matrix, its size known at run time.
template <class T>
tensor<T, dyn, dyn> eye(std::integral auto n) {
    tensor<T, dyn, dyn> made(n, n);
    for (std::size_t i = 0; i < made.extent(0); ++i) made(i, i) = static_cast<T>(1);
    return made;
}

}  // namespace tapeless
