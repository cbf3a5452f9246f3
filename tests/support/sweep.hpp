// SPDX-License-Identifier: MIT
#pragma once
// Programs with run-time extents at all lengths that matter: around registers, tiles, blocks of rows, and the caches.
//
//     CHECK(sweep<"nm,m,n<m", 0, 1>([](auto x, auto b, auto t) { return loss::cross_entropy(x + b, t); }) == "");
//
// The text says what the arguments are, the numbers which of them are differentiated. A letter is a run-time extent,
// the same wherever it stands; a digit is an extent known when compiled, (64) a longer one. After the axes, <m: int
// indices below m; ?: a mask; H, B: numbers stored as half or bfloat16; ^: a view of every second element of every
// second row; ~: a view that runs backwards through memory, along all axes. No axes: a number.

#include "support/agree.hpp"

#include <array>
#include <cstring>
#include <string>

namespace oracle {

/// One argument of a signature.
struct argument_spec {
    int rank = 0;
    char letter[8]{};  ///< 0 where the extent is fixed
    std::int64_t fixed[8]{};
    char kind = 'r';  ///< r: real, <: index, ?: mask, H, B: stored in 16 bits
    char layout = 0;  ///< ^ and ~: a view
    char below = 0;   ///< the letter that bounds an index, or 0: `limit`
    std::int64_t limit = 0;
};
struct signature_spec {
    argument_spec argument[16]{};
    int arguments = 0;
    char letters[9]{};  ///< each once, in the order they are first met

    constexpr explicit signature_spec(std::string_view text) {
        arguments = 1;
        auto number = [&](std::size_t& i) {
            std::int64_t n = 0;
            bool const longer = text[i] == '(';
            if (longer) ++i;
            do n = 10 * n + (text[i] - '0');
            while (longer && text[++i] != ')');
            return n;
        };
        for (std::size_t i = 0; i < text.size(); ++i) {
            argument_spec& a = argument[arguments - 1];
            char const c = text[i];
            if (c == ',') ++arguments;
            else if (c == '?' || c == 'H' || c == 'B') a.kind = c;
            else if (c == '^' || c == '~') a.layout = c;
            else if (c == '<') {
                a.kind = c;
                if (text[++i] >= 'a') a.below = text[i];
                else a.limit = number(i);
            } else if (c >= 'a' && c <= 'z') {
                a.letter[a.rank++] = c;
                int k = 0;
                while (letters[k] != 0 && letters[k] != c) ++k;
                letters[k] = c;
            } else if (c != ' ') {
                a.fixed[a.rank] = number(i);
                ++a.rank;
            }
        }
    }
};

/// The array that an argument is.
template <class T, tapeless::fixed_string Signature, int K>
struct argument_of {
    static constexpr signature_spec all{Signature.view()};
    static constexpr argument_spec spec = all.argument[K];
    static auto find_element() {
        if constexpr (spec.kind == 'r') return T{};
        else if constexpr (spec.kind == 'H') return tapeless::half{};
        else if constexpr (spec.kind == 'B') return tapeless::bfloat16{};
        else if constexpr (spec.kind == '?') return bool{};
        else return int{};
    }
    using element = decltype(find_element());
    template <std::size_t A>
    static constexpr auto extent() {
        if constexpr (spec.letter[A] != 0) return tapeless::dyn;
        else return static_cast<int>(spec.fixed[A]);
    }
    template <std::size_t... A>
    static auto find(std::index_sequence<A...>) {
        if constexpr (sizeof...(A) == 0) return std::type_identity<element>{};
        else if constexpr (spec.layout != 0) return std::type_identity<tapeless::view<element, extent<A>()...>>{};
        else return std::type_identity<tapeless::tensor<element, extent<A>()...>>{};
    }
    using type = typename decltype(find(std::make_index_sequence<static_cast<std::size_t>(spec.rank)>{}))::type;
};

/// How long each letter's axes are.
struct lengths_of_letters {
    std::int64_t of[128]{};
    std::int64_t operator[](char c) const { return of[static_cast<unsigned char>(c)]; }
    std::int64_t& operator[](char c) { return of[static_cast<unsigned char>(c)]; }
};

/// Numbers between -1.5 and 1.5 without a pattern, none of them twice; or indices below a limit.
template <class T, tapeless::fixed_string Signature, int K>
auto make_argument(lengths_of_letters const& n) {
    using described = argument_of<T, Signature, K>;
    using A = typename described::type;
    using element = typename described::element;
    auto value = [&](std::size_t i) {
        if constexpr (described::spec.kind == '<') {
            std::int64_t const limit = described::spec.below ? n[described::spec.below] : described::spec.limit;
            return static_cast<int>((i * 7 + i / 5 + 3 + K) % static_cast<std::size_t>(limit));
        } else if constexpr (described::spec.kind == '?') {
            return (i * i + i / 3 + K) % 3 != 0;
        } else {
            double const x = std::sin(static_cast<double>(i) * 12.9898 + 78.233 * (K + 1)) * 43758.5453;
            return static_cast<element>(static_cast<std::conditional_t<std::is_same_v<element, double>, double, float>>(
                3 * (x - std::floor(x)) - 1.5));
        }
    };
    if constexpr (described::spec.rank == 0) {
        return static_cast<element>(value(0));
    } else {
        std::array<std::int64_t, static_cast<std::size_t>(described::spec.rank)> e{};
        for (std::size_t a = 0; a < e.size(); ++a)
            e[a] = described::spec.letter[a] ? n[described::spec.letter[a]] : described::spec.fixed[a];
        if constexpr (described::spec.layout != 0) {
            static std::vector<element> memory;  // of the array that was made last
            bool const backwards = described::spec.layout == '~';
            std::array<std::ptrdiff_t, e.size()> stride{};
            std::ptrdiff_t room = 1;
            for (std::size_t a = e.size(); a-- > 0; room *= (backwards ? 1 : 2) * static_cast<std::ptrdiff_t>(e[a]))
                stride[a] = backwards ? -room : 2 * room;
            memory.assign(static_cast<std::size_t>(room) + 1, static_cast<element>(77.0f));
            auto x = [&]<std::size_t... D>(std::index_sequence<D...>) {
                std::array<std::int64_t, described::spec.rank> given{};
                std::size_t count = 0;
                ((described::spec.letter[D] != 0 ? void(given[count++] = e[D]) : void()), ...);
                constexpr std::size_t run_time = (0 + ... + (described::spec.letter[D] != 0 ? 1 : 0));
                return [&]<std::size_t... R>(std::index_sequence<R...>) {
                    return A(memory.data() + (backwards ? room - 1 : 0), given[R]..., stride);
                }
                (std::make_index_sequence<run_time>{});
            }
            (std::make_index_sequence<e.size()>{});
            lengths const shape(e.begin(), e.end()), steps(stride.begin(), stride.end());
            places const at = walk(shape, steps);
            for (std::size_t i = 0; i < at.size(); ++i) x.data()[static_cast<std::ptrdiff_t>(at[i])] = value(i);
            return x;
        } else {
            A x = A::uninitialized(e);
            for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = value(i);
            return x;
        }
    }
}

/// 0 ... 70, and around the powers of two and multiples of blocks.
inline std::vector<std::int64_t> const& all_lengths() {
    static std::vector<std::int64_t> const l = [] {
        std::vector<std::int64_t> r;
        auto from = [&](std::int64_t first, std::int64_t last) {
            for (; first <= last; ++first) r.push_back(first);
        };
        from(0, 70), from(127, 130), from(191, 193), from(255, 258), from(300, 300), from(511, 514), from(1023, 1026),
            from(4095, 4098);
        return r;
    }();
    return l;
}

/// Some of them.
inline bool is_near_a_border(std::int64_t n) {
    for (std::int64_t border : {0, 2, 4, 8, 16, 64, 128, 256, 300})
        if (n >= border - 1 && n <= border + 1) return true;
    return n == 5 || n == 130;
}

struct sweep_options {
    bool differences = true;         ///< see checks
    std::int64_t most = 70000;       ///< elements of all arguments together: beyond, a length is left out
    std::int64_t longest = 1 << 30;  ///< for loops of many steps
    bool few = false;                ///< lengths around registers and blocks only
};

template <class T, tapeless::fixed_string Signature, int... I, class F, int... K>
std::string agree_at(F const& f, lengths_of_letters const& n, bool passes, sweep_options const& options,
                     std::integer_sequence<int, K...>) {
    static constexpr signature_spec spec{Signature.view()};
    std::int64_t elements = 0, real = 0;
    for (int k = 0; k < spec.arguments; ++k) {
        argument_spec const& a = spec.argument[k];
        std::int64_t size = 1;
        for (int i = 0; i < a.rank; ++i) size *= a.letter[i] ? n[a.letter[i]] : a.fixed[i];
        elements += size;
        if (a.kind != '<' && a.kind != '?') real += size;
        if (a.kind == '<' && size > 0 && a.below && n[a.below] == 0) return "";  // there is nothing to point to
    }
    if (elements > options.most) return "";
    bool stored = false;  // in 16 bits: differences would see the steps
    for (argument_spec const& a : spec.argument) stored = stored || a.kind == 'H' || a.kind == 'B';
    checks const wanted{passes, options.differences && !stored && real <= 40 && std::is_same_v<T, double>};
    std::string const wrong = agree<I...>(wanted, f, make_argument<T, Signature, K>(n)...);
    if (wrong.empty()) return "";
    std::string at = std::is_same_v<T, double> ? "double" : "float";
    for (char const* c = spec.letters; *c; ++c) at += std::string(" ") + *c + "=" + std::to_string(n[*c]);
    return at + ": " + wrong;
}

/// Every program is compiled for float or for double; for both with TAPELESS_SWEEP_BOTH, which takes the compiler
/// twice as long.
#ifdef TAPELESS_SWEEP_BOTH
inline constexpr bool in_both_types = true;
#else
inline constexpr bool in_both_types = false;
#endif
template <tapeless::fixed_string Signature>
constexpr bool in_float(std::size_t gradients) {
    std::size_t n = gradients;
    for (char c : Signature.view()) n += static_cast<unsigned char>(c);
    return n % 2 == 0;
}

/// What does not agree, in the first few of all lengths of every axis in turn, the others being short; "" where
/// everything does.
template <class T, tapeless::fixed_string Signature, int... I, class F>
std::string sweep_in(F const& f, sweep_options const& options = {}) {
    static constexpr signature_spec spec{Signature.view()};
    constexpr auto arguments = std::make_integer_sequence<int, spec.arguments>{};
    std::string wrong;
    int failures = 0;
    auto at = [&](lengths_of_letters const& n, bool passes) {
        std::string const text = agree_at<T, Signature, I...>(f, n, passes, options, arguments);
        if (!text.empty() && ++failures <= 6) wrong += text;
    };
    constexpr std::int64_t few[] = {3, 1, 5, 2};
    for (char const* axis = spec.letters; *axis; ++axis)
        for (std::int64_t length : all_lengths()) {
            if (length > options.longest) break;
            if (options.few && !is_near_a_border(length)) continue;
            lengths_of_letters n;
            std::size_t other = static_cast<std::size_t>(length);
            for (char const* c = spec.letters; *c; ++c) n[*c] = c == axis ? length : few[other++ % 4];
            bool passes = false;  // which do not know lengths: a few tell
            for (std::int64_t some : {0, 1, 2, 3, 5, 17, 130, 1025}) passes = passes || length == some;
            at(n, passes);
        }
    if (spec.letters[0] == 0) at({}, true);
    if (failures > 6) wrong += "... and at " + std::to_string(failures - 6) + " other lengths\n";
    return wrong;
}
/// The same in float, in double, or in both.
template <tapeless::fixed_string Signature, int... I, class F>
std::string sweep(F const& f, sweep_options const& options = {}) {
    std::string wrong;
    if constexpr (in_both_types || in_float<Signature>(sizeof...(I)))
        wrong += sweep_in<float, Signature, I...>(f, options);
    if constexpr (in_both_types || !in_float<Signature>(sizeof...(I)))
        wrong += sweep_in<double, Signature, I...>(f, options);
    return wrong;
}

/// Whether value_and_grad<I...>(f) on three threads gives the bits it does on one, the axes being so long in turn.
template <class T, tapeless::fixed_string Signature, int... I, class F>
std::string same_on_threads(F const& f, std::int64_t longer, std::int64_t shorter) {
    static constexpr signature_spec spec{Signature.view()};
    std::string wrong;
    for (char const* axis = spec.letters; *axis; ++axis) {
        lengths_of_letters n;
        for (char const* c = spec.letters; *c; ++c) n[*c] = c == axis ? longer : shorter;
        [&]<int... K>(std::integer_sequence<int, K...>) {
            auto const arguments = std::make_tuple(make_argument<T, Signature, K>(n)...);
            auto bits = [&](int threads) {
                auto step = tapeless::value_and_grad<I...>(f);
                step.threads(threads);
                auto const made = std::apply([&](auto const&... a) { return read_all(step(a...)); }, arguments);
                std::vector<T> all;
                for (array const& a : made)
                    for (long double x : a.real) all.push_back(static_cast<T>(x));
                return all;
            };
            std::vector<T> const one = bits(1), three = bits(3);
            if (one.size() != three.size() || std::memcmp(one.data(), three.data(), one.size() * sizeof(T)) != 0)
                wrong += std::string("other bits on three threads with ") + *axis + "=" + std::to_string(longer) + "\n";
        }
        (std::make_integer_sequence<int, spec.arguments>{});
    }
    return wrong;
}

}  // namespace oracle
