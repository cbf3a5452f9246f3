// SPDX-License-Identifier: MIT
#pragma once
// Operators on batches, batches and numbers, and masks, for operations that are written like plain arithmetic.

#include <tapeless/simd/arithmetic.hpp>
#include <tapeless/simd/elementary.hpp>

namespace tapeless::simd {

namespace detail {

template <class X>
inline constexpr bool is_batch = false;
template <class T>
inline constexpr bool is_batch<batch<T>> = true;

template <class X>
concept integers = is_batch<X> && std::integral<value_of<X>>;

/// Two batches of one type, or a batch and a number. xsimd's batches have operators of their own.
template <class A, class B>
concept batch_pair =
    (is_batch<A> && (std::same_as<A, B> || number<B>)) || (number<A> && is_batch<B>);
template <class A, class B>
concept integer_pair = batch_pair<A, B> && integers<batch_among<A, B>>;

}  // namespace detail

template <class A, class B>
    requires detail::batch_pair<A, B>
[[gnu::always_inline]] inline auto operator+(A a, B b) {
    using V = detail::batch_among<A, B>;
    return add(detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <class A, class B>
    requires detail::batch_pair<A, B>
[[gnu::always_inline]] inline auto operator-(A a, B b) {
    using V = detail::batch_among<A, B>;
    return sub(detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <class A, class B>
    requires detail::batch_pair<A, B>
[[gnu::always_inline]] inline auto operator*(A a, B b) {
    using V = detail::batch_among<A, B>;
    return mul(detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <class A, class B>
    requires detail::batch_pair<A, B>
[[gnu::always_inline]] inline auto operator/(A a, B b) {
    using V = detail::batch_among<A, B>;
    return div(detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <class T>
[[gnu::always_inline]] inline batch<T> operator-(batch<T> a) {
    return neg(a);
}
template <class T>
[[gnu::always_inline]] inline batch<T> operator+(batch<T> a) {
    return a;
}

template <class T, class B>
    requires detail::batch_pair<batch<T>, B>
[[gnu::always_inline]] inline batch<T>& operator+=(batch<T>& a, B b) {
    return a = a + b;
}
template <class T, class B>
    requires detail::batch_pair<batch<T>, B>
[[gnu::always_inline]] inline batch<T>& operator-=(batch<T>& a, B b) {
    return a = a - b;
}
template <class T, class B>
    requires detail::batch_pair<batch<T>, B>
[[gnu::always_inline]] inline batch<T>& operator*=(batch<T>& a, B b) {
    return a = a * b;
}
template <class T, class B>
    requires detail::batch_pair<batch<T>, B>
[[gnu::always_inline]] inline batch<T>& operator/=(batch<T>& a, B b) {
    return a = a / b;
}

// A NaN is unlike everything: != is true for it, all others false.
template <class A, class B>
    requires detail::batch_pair<A, B>
[[gnu::always_inline]] inline auto operator==(A a, B b) {
    using V = detail::batch_among<A, B>;
    return equal(detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <class A, class B>
    requires detail::batch_pair<A, B>
[[gnu::always_inline]] inline auto operator!=(A a, B b) {
    using V = detail::batch_among<A, B>;
    return not_equal(detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <class A, class B>
    requires detail::batch_pair<A, B>
[[gnu::always_inline]] inline auto operator<(A a, B b) {
    using V = detail::batch_among<A, B>;
    return less(detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <class A, class B>
    requires detail::batch_pair<A, B>
[[gnu::always_inline]] inline auto operator<=(A a, B b) {
    using V = detail::batch_among<A, B>;
    return less_equal(detail::to_batch<V>(a), detail::to_batch<V>(b));
}
template <class A, class B>
    requires detail::batch_pair<A, B>
[[gnu::always_inline]] inline auto operator>(A a, B b) {
    return b < a;
}
template <class A, class B>
    requires detail::batch_pair<A, B>
[[gnu::always_inline]] inline auto operator>=(A a, B b) {
    return b <= a;
}

// Bits and remainders of whole numbers; a remainder by 0 is the dividend.
template <class A, class B>
    requires detail::integer_pair<A, B>
[[gnu::always_inline]] inline auto operator%(A a, B b) {
    using V = detail::batch_among<A, B>;
    V const x = detail::to_batch<V>(a), y = detail::to_batch<V>(b);
    return sub(x, mul(div(x, y), y));
}
template <class A, class B>
    requires detail::integer_pair<A, B>
[[gnu::always_inline]] inline auto operator&(A a, B b) {
    using V = detail::batch_among<A, B>;
    return V::of(detail::raw(detail::to_batch<V>(a)) & detail::raw(detail::to_batch<V>(b)));
}
template <class A, class B>
    requires detail::integer_pair<A, B>
[[gnu::always_inline]] inline auto operator|(A a, B b) {
    using V = detail::batch_among<A, B>;
    return V::of(detail::raw(detail::to_batch<V>(a)) | detail::raw(detail::to_batch<V>(b)));
}
template <class A, class B>
    requires detail::integer_pair<A, B>
[[gnu::always_inline]] inline auto operator^(A a, B b) {
    using V = detail::batch_among<A, B>;
    return V::of(detail::raw(detail::to_batch<V>(a)) ^ detail::raw(detail::to_batch<V>(b)));
}
template <std::integral T>
[[gnu::always_inline]] inline batch<T> operator~(batch<T> a) {
    return batch<T>::of(~a.data);
}
template <std::integral T>
[[gnu::always_inline]] inline batch<T> operator<<(batch<T> a, int n) {
    return detail::wrap<T>(std::bit_cast<detail::vec<T>>(detail::ubits<T>(a.data) << n));
}
template <std::integral T>
[[gnu::always_inline]] inline batch<T> operator>>(batch<T> a, int n) {
    return batch<T>::of(a.data >> n);
}

// Logic on masks, lane by lane: both operands are known, so && and || are & and |.
template <class T>
[[gnu::always_inline]] inline mask<T> operator&(mask<T> a, mask<T> b) {
    return both(a, b);
}
template <class T>
[[gnu::always_inline]] inline mask<T> operator|(mask<T> a, mask<T> b) {
    return either(a, b);
}
template <class T>
[[gnu::always_inline]] inline mask<T> operator^(mask<T> a, mask<T> b) {
    return not_equal(a, b);
}
template <class T>
[[gnu::always_inline]] inline mask<T> operator&&(mask<T> a, mask<T> b) {
    return both(a, b);
}
template <class T>
[[gnu::always_inline]] inline mask<T> operator||(mask<T> a, mask<T> b) {
    return either(a, b);
}
template <class T>
[[gnu::always_inline]] inline mask<T> operator==(mask<T> a, mask<T> b) {
    return equal(a, b);
}
template <class T>
[[gnu::always_inline]] inline mask<T> operator!=(mask<T> a, mask<T> b) {
    return not_equal(a, b);
}
template <class T>
[[gnu::always_inline]] inline mask<T> operator!(mask<T> a) {
    return none_of(a);
}
template <class T>
[[gnu::always_inline]] inline mask<T> operator~(mask<T> a) {
    return none_of(a);
}

}  // namespace tapeless::simd
