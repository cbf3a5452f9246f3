// SPDX-License-Identifier: MIT
#pragma once
// Pseudo-random numbers as a function of a seed and of where an element stands: nothing is stored, and what needs
// them again computes them again.

#include <tapeless/ops/custom_loop.hpp>
#include <tapeless/ops/rounding.hpp>
#include <tapeless/ops/view.hpp>
#include <tapeless/simd/bits.hpp>

namespace tapeless {

/// Refuses a seed that is not one integer.
template <class Seed>
struct seed_is_not_one_integer {
    static_assert(never<Seed>, "the seed is one integer: an argument of the traced function, such as std::int64_t");
};

namespace detail::inline ops_part {

/// 32 bits that each depend on all bits of key and position.
struct scramble_op : stepwise<"scramble"> {
    static constexpr int cost = 4;
    static auto eval(auto key, auto position) { return simd::scramble(key, position); }
};
/// The upper 24 bits, a whole number from 0 to 2^24 - 1.
struct upper_24_bits_op : stepwise<"upper_24_bits"> {
    static constexpr int cost = 1;
    static auto eval(auto x) { return simd::upper_24_bits(x); }
};

/// Numbers k / 2^24, k = 0 ... 2^24 - 1 equally likely, one for each element of x. The key of an element is scrambled
/// axis by axis, from the first on, so that a row has one key and an element costs one step more.
struct uniform_like_op : composed<"uniform"> {
    template <class... T>
    using result = typename nth_type<0, T...>::type;
    template <class T>
    static constexpr int simplify(builder& b, node const& n) {
        using word = node_ref<typename nth_type<0, std::int32_t, T>::type>;  // nothing is compiled of what is not used
        dims const d = b.shape_of(n.in[0]);
        word key(&b, key_of<word>(b, n.in[1]));
        for (int k = d.rank - 1; k >= 0; --k)
            if (b.resolve(d.from_right(k)) != 1)
                key = apply<scramble_op>(key, word(&b, emit_position<float>(b, d.from_right(k), d.rank, k)));
        auto const whole = cast<T>(apply<upper_24_bits_op>(key));
        return emit_expand(b, (whole * 0x1p-24).id, d);
    }

private:
    /// Both halves of a long seed count.
    template <class Word>
    static constexpr int key_of(builder& b, int seed) {
        if (b.nodes[seed].type == dtype::i32) return apply<scramble_op>(Word(&b, seed), 0).id;
        node_ref<typename nth_type<0, std::int64_t, Word>::type> const s(&b, seed);
        auto const high = floor_div(s, std::int64_t{1} << 32);
        // the conversion keeps the lower half
        return apply<scramble_op>(cast<std::int32_t>(s), cast<std::int32_t>(high)).id;
    }
};

template <class Seed>
constexpr auto as_seed(Seed const& seed) {
    if constexpr (number<Seed>) {
        static_assert(std::integral<Seed>, "the seed is an integer");
        return literal<std::int32_t>(static_cast<double>(static_cast<std::int32_t>(seed)));
    } else {
        using V = typename Seed::value_type;
        if constexpr (Seed::rank != 0 || !std::integral<V> || std::same_as<V, bool>)
            refuse(because<seed_is_not_one_integer<Seed>>{});
        return seed;
    }
}
}  // namespace detail::ops_part

/// Numbers from 0 to 1 (1 excluded, multiples of 2^-24), equally likely, in the shape and of the type of x. They
/// depend on the seed, one integer, and on the place of the element in the array, on nothing else.
template <expression X, class Seed>
constexpr auto uniform_like(X const& x, Seed const& seed) {
    return detail::apply_custom_loop<detail::uniform_like_op, typename X::shape_type>({}, x, detail::as_seed(seed));
}

}  // namespace tapeless
