// SPDX-License-Identifier: MIT
#pragma once
// Arrays as text, laid out as NumPy prints them: aligned columns, long lines wrapped, and only the edges of large
// arrays.

#if defined(__GNUC__)  // a global of the program may have the name of something local here
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuseless-cast"
#endif
#endif

#include <tapeless/array/strided.hpp>
#include <tapeless/array/tree.hpp>

#include <charconv>
#include <clocale>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>
#include <version>
#if defined(__cpp_lib_format)
#include <format>
#endif

namespace tapeless {

/// How arrays are printed.
struct text_options {
    int precision = 8;              ///< digits after the point at most; fewer where fewer tell the number
    std::int64_t threshold = 1000;  ///< arrays of more elements are abbreviated
    std::int64_t edge = 3;          ///< so many elements are shown at either end of an axis then
    int width = 75;                 ///< of a line
};

namespace detail::inline io_part {

/// The number that std::to_chars has written. Older standard libraries of clang cannot read one back; the locale may
/// have another point then.
template <class D>
D number_from(char* text, char* end) {
    D d = 0;
    if constexpr (requires { std::from_chars(text, end, d); }) {
        std::from_chars(text, end, d);
    } else {
        for (char* c = text; c != end; ++c)
            if (*c == '.') *c = *std::localeconv()->decimal_point;
        *end = 0;
        d = std::strtod(text, nullptr);
    }
    return d;
}

/// The double whose shortest text is that of a narrower number.
template <class T>
double as_shortest_double(T x) {
    if constexpr (std::same_as<T, double>) {
        return x;
    } else {
        float const wide = static_cast<float>(x);
        if (!(wide - wide == 0)) return static_cast<double>(wide);
        char text[32];
        double d = 0;
        if constexpr (std::same_as<T, float>) {
            auto const end = std::to_chars(text, text + sizeof(text), wide, std::chars_format::scientific).ptr;
            d = number_from<double>(text, end);
        } else {
            for (int digits = 0; digits < 6; ++digits) {
                auto const end =
                    std::to_chars(text, text + sizeof(text), wide, std::chars_format::scientific, digits).ptr;
                d = number_from<double>(text, end);
                if (T(d).bits == x.bits) break;
            }
        }
        return d;
    }
}

/// A number that is printed: its value, and the double whose shortest text is its own.
struct printed_number {
    double value = 0, shortest = 0;
    bool is_finite() const { return value - value == 0; }
};

/// "1.5", "2.", "1.5e-07": the shortest text that is read as the same number, with at most so many digits after the
/// point.
inline std::string shortest_text(printed_number x, bool scientific, int precision) {
    char text[400];
    auto const format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
    // a half of 58016 is told by 58020 too, which is not its value
    bool const small = !scientific && x.value > -1e8 && x.value < 1e8;
    bool const whole = small && x.value == static_cast<double>(static_cast<int>(x.value));
    std::string s(text, std::to_chars(text, text + sizeof(text), whole ? x.value : x.shortest, format).ptr);
    auto const mantissa_end = [&] { return s.find('e') < s.size() ? s.find('e') : s.size(); };
    std::size_t const point = s.find('.');
    if (point < s.size() && mantissa_end() - point - 1 > static_cast<std::size_t>(precision)) {
        s.assign(text, std::to_chars(text, text + sizeof(text), x.value, format, precision).ptr);
        if (s.find('.') < s.size())
            while (s[mantissa_end() - 1] == '0') s.erase(mantissa_end() - 1, 1);
    }
    if (s.find('.') == std::string::npos) s.insert(mantissa_end(), ".");
    return s;
}

/// The texts of floating-point numbers, of one form and one width: points stand below each other.
inline std::vector<std::string> aligned_numbers(std::vector<printed_number> const& numbers,
                                                text_options const& options) {
    double most = 0, least = std::numeric_limits<double>::infinity();
    std::size_t width = 0;
    for (auto const& x : numbers) {
        double const size = x.value < 0 ? -x.value : x.value;
        if (!x.is_finite()) width = x.value < 0 ? 4 : width < 3 ? 3 : width;
        else if (size > 0) most = size > most ? size : most, least = size < least ? size : least;
    }
    bool const scientific = most > 0 && (most >= 1e8 || least < 1e-4 || most / least > 1000);
    std::vector<std::string> texts;
    auto const mantissa_end = [](std::string const& s) { return s.find('e') < s.size() ? s.find('e') : s.size(); };
    std::size_t left = 0, digits = 0, exponent = 0;
    for (auto const& x : numbers) {
        texts.push_back(x.is_finite() ? shortest_text(x, scientific, options.precision)
                                      : x.value > 0 ? "inf" : x.value < 0 ? "-inf" : "nan");
        if (!x.is_finite()) continue;
        std::string const& s = texts.back();
        std::size_t const point = s.find('.'), end = mantissa_end(s);
        left = point > left ? point : left;
        digits = end - point - 1 > digits ? end - point - 1 : digits;
        exponent = s.size() - end > exponent ? s.size() - end : exponent;
    }
    if (left > 0 && left + 1 + digits + exponent > width) width = left + 1 + digits + exponent;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::string& s = texts[i];
        if (numbers[i].is_finite()) {
            if (scientific && digits > 0) {  // as many digits for all, not zeros
                char text[400];
                s.assign(text, std::to_chars(text, text + sizeof(text), numbers[i].value, std::chars_format::scientific,
                                             static_cast<int>(digits)).ptr);
            }
            std::size_t const end = mantissa_end(s);
            if (scientific) s.insert(end + 2, exponent - (s.size() - end), '0');  // after the exponent's sign
            s.insert(end, digits - (end - s.find('.') - 1), ' ');
        }
        s.insert(0, width - s.size(), ' ');
    }
    return texts;
}

/// The text of a number that has no neighbours to be aligned with: all of its digits, unless fewer are asked for.
inline std::string lone_number(printed_number x, text_options const& options) {
    if (!x.is_finite()) return x.value > 0 ? "inf" : x.value < 0 ? "-inf" : "nan";
    double const size = x.value < 0 ? -x.value : x.value;
    bool const scientific = size >= 1e16 || (size > 0 && size < 1e-4);
    std::string s =
        shortest_text(x, scientific, options.precision == text_options{}.precision ? 400 : options.precision);
    if (s.ends_with('.')) s += '0';
    else if (std::size_t const point = s.find(".e"); point < s.size()) s.erase(point, 1);
    return s;
}

/// What is printed of an array, element by element in row-major order.
struct printed_array {
    strided at;  ///< strides count elements
    bool abbreviated = false;
    std::int64_t edge = 0;

    bool shortens(int axis) const { return abbreviated && at.extent[axis] - edge > edge; }

    /// f(offset) for the elements that are shown, axes `axis` to 0.
    template <class F>
    void visit(int axis, std::ptrdiff_t offset, F const& f) const {
        if (axis < 0) return f(offset);
        std::int64_t const n = at.extent[axis];
        for (std::int64_t i = 0; i < n; ++i) {
            if (shortens(axis) && i == edge) i = n - edge;
            visit(axis - 1, offset + i * at.stride[axis], f);
        }
    }
    /// The layout of axes `axis` to 0; words are taken one after the other.
    std::string layout(int axis, std::string const& indent, std::size_t width, std::string const*& next) const {
        if (axis < 0) return *next++;
        std::int64_t const n = at.extent[axis];
        std::string s, line = indent;
        for (std::int64_t i = 0; i < n; ++i) {
            bool const gap = shortens(axis) && i == edge;
            if (axis > 0) {
                s += indent + (gap ? "..." : layout(axis - 1, indent + ' ', width - 1, next));
                if (gap) i = n - edge - 1;
                if (i + 1 < n) s += std::string(static_cast<std::size_t>(axis), '\n');
                continue;
            }
            std::string const word = gap ? "..." : *next++;
            if (gap) i = n - edge - 1;
            if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
                while (line.ends_with(' ')) line.pop_back();
                s += line + '\n';
                line = indent;
            }
            line += word;
            if (i + 1 < n) line += ' ';
        }
        if (axis == 0) s += line;
        return '[' + s.substr(indent.size()) + ']';
    }
};

inline std::string printed_text(printed_array const& a, std::vector<std::string> const& words,
                                text_options const& options) {
    std::string const* next = words.data();
    return a.layout(a.at.rank - 1, " ", static_cast<std::size_t>(options.width > 20 ? options.width : 20), next);
}

template <class T>
std::string array_text(printed_array a, T const* data, text_options const& options) {
    std::int64_t elements = 1;
    for (int k = 0; k < a.at.rank; ++k)
        if (a.at.extent[k] == 0) return "[]";
    for (int k = 0; k < a.at.rank; ++k) elements *= a.at.extent[k];
    a.abbreviated = elements > options.threshold;
    a.edge = options.edge > 0 ? options.edge : 1;
    std::vector<std::string> words;
    if constexpr (std::floating_point<T> || short_float<T>) {
        std::vector<printed_number> numbers;
        a.visit(a.at.rank - 1, 0, [&](std::ptrdiff_t i) {
            numbers.push_back({static_cast<double>(data[i]), as_shortest_double(data[i])});
        });
        if (a.at.rank == 0) return lone_number(numbers[0], options);
        words = aligned_numbers(numbers, options);
    } else {
        std::size_t width = 0;
        a.visit(a.at.rank - 1, 0, [&](std::ptrdiff_t i) {
            if constexpr (std::same_as<T, bool>) words.push_back(data[i] ? "true" : "false");
            else words.push_back(std::to_string(data[i]));
            width = words.back().size() > width ? words.back().size() : width;
        });
        for (auto& w : words) w.insert(0, width - w.size(), ' ');
    }
    return printed_text(a, words, options);
}

template <class A>
concept printable_array = leaf<A> && !element<std::remove_cvref_t<A>>;

}  // namespace detail::io_part

/// An array (tensor, view, vector, span, array) as text, laid out as NumPy prints it:
///
///     [[ 1.   -0.5 ]
///      [ 0.25  3.  ]]
///
/// Numbers have as many digits as tell them from their neighbours, but at most 8 after the point. Arrays of more than
/// 1000 elements are abbreviated: three elements at either end of every axis, "..." between.
template <detail::printable_array A>
std::string to_string(A const& array, text_options const& options = {}) {
    using traits = detail::leaf_traits<A>;
    detail::printed_array a;
    auto const extents = traits::extents(array);
    a.at.rank = static_cast<int>(extents.size());
    auto strides = detail::row_major_strides(extents);
    if constexpr (!traits::is_dense) strides = traits::strides(array);
    for (std::size_t k = 0; k < extents.size(); ++k) {
        a.at.extent[k] = extents[extents.size() - 1 - k];
        a.at.stride[k] = strides[extents.size() - 1 - k];
    }
    return detail::array_text(a, traits::data(array), options);
}

/// Writes to_string(array).
template <class Traits, class T, auto... E>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& to, tensor<T, E...> const& array) {
    return to << to_string(array);
}
/// Writes to_string(array).
template <class Traits, class T, auto... E>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& to, view<T, E...> const& array) {
    return to << to_string(array);
}

#if defined(__cpp_lib_format)
namespace detail::inline io_part {
/// std::format("{}", array), or "{:.3}" with at most three digits after the point.
struct array_formatter {
    text_options options;

    constexpr auto parse(std::format_parse_context& context) {
        auto at = context.begin();
        if (at != context.end() && *at == '.') {
            ++at;
            if (at == context.end() || *at < '0' || *at > '9')
                detail::raise(std::format_error("an array's format is {} or {:.digits}"));
            for (options.precision = 0; at != context.end() && *at >= '0' && *at <= '9' && options.precision < 1000;
                 ++at)
                options.precision = 10 * options.precision + (*at - '0');
        }
        if (at != context.end() && *at != '}')
            detail::raise(std::format_error("an array's format is {} or {:.digits}"));
        return at;
    }
    auto format(printable_array auto const& array, std::format_context& context) const {
        auto out = context.out();
        for (char const c : to_string(array, options)) *out++ = c;
        return out;
    }
};
}  // namespace detail::io_part
#endif

}  // namespace tapeless

#if defined(__cpp_lib_format)
template <class T, auto... E>
struct std::formatter<tapeless::tensor<T, E...>> : tapeless::detail::array_formatter {};
template <class T, auto... E>
struct std::formatter<tapeless::view<T, E...>> : tapeless::detail::array_formatter {};
#endif

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
