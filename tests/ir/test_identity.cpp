// SPDX-License-Identifier: MIT
// What makes two operations, values or bodies one: what they compute, not what they are called.

#include <tapeless/tapeless.hpp>

#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

// Operations of a user's, called like those that the rules of simplification look for.
struct own_neg : ad::elementwise<"neg"> {  // 1 - x
    static auto eval(auto x) { return decltype(x)(1) - x; }
    static constexpr auto pullback(auto g, auto, auto) { return ad::cotangents(-g); }
};
struct own_add : ad::elementwise<"add"> {  // a + 3 b
    static auto eval(auto a, auto b) { return a + decltype(a)(3) * b; }
    static constexpr auto pullback(auto g, auto, auto, auto) { return ad::cotangents(g, 3.0 * g); }
};
struct own_sub : ad::elementwise<"sub"> {  // a - 3 b
    static auto eval(auto a, auto b) { return a - decltype(a)(3) * b; }
    static constexpr auto pullback(auto g, auto, auto, auto) { return ad::cotangents(g, -3.0 * g); }
};
struct own_mul : ad::elementwise<"mul"> {  // a b + 1
    static auto eval(auto a, auto b) { return a * b + decltype(a)(1); }
    static constexpr auto pullback(auto g, auto, auto a, auto b) { return ad::cotangents(g * b, g * a); }
};
struct own_div : ad::elementwise<"div"> {  // a + 1/b
    static auto eval(auto a, auto b) { return a + decltype(a)(1) / b; }
    static constexpr auto pullback(auto g, auto, auto, auto b) { return ad::cotangents(g, -g / square(b)); }
};
struct own_cast : ad::elementwise<"cast"> {  // 2 x
    static auto eval(auto x) { return x + x; }
    static constexpr auto pullback(auto g, auto, auto) { return ad::cotangents(2.0 * g); }
};
struct own_where : ad::elementwise<"where"> {  // a + b + c
    static auto eval(auto a, auto b, auto c) { return a + b + c; }
    static constexpr auto pullback(auto g, auto, auto, auto, auto) { return ad::cotangents(g, g, g); }
};
/// What derives from a built-in operation is another one.
struct own_negation : ad::neg_op {
    static auto eval(auto x) { return decltype(x)(1) - x; }
    static constexpr auto pullback(auto g, auto, auto) { return ad::cotangents(-g); }
    template <class>
    static constexpr int simplify(ad::detail::builder&, ad::detail::node const&) {
        return -1;
    }
};

/// An operation made of a function.
template <class F>
struct of_function : ad::elementwise<"of_function"> {
    static auto eval(auto x) { return F{}(x); }
    static constexpr auto pullback(auto g, auto, auto) { return ad::cotangents(g); }
};
template <class F>
constexpr auto applied(F, ad::expression auto const& x) {
    return ad::apply<of_function<F>>(x);
}
/// One lambda in the program's text, a type for each N.
template <int N>
constexpr auto plus(ad::expression auto const& x) {
    return applied([](auto v) { return v + decltype(v)(N); }, x);
}
template <int N>
constexpr auto times_back = ad::with_pullback([](auto x) { return 1.0 * x; },
                                              [](auto g, auto, auto) {
                                                  return ad::cotangents(static_cast<double>(N) * g);
                                              });

template <int N>
constexpr auto loop_of(ad::expression auto const& x) {
    return sum(ad::fold<1>([](auto c) { return times_back<N>(c); }, x));
}

/// (x + 1) (x + 2) by two operations whose names are the same, also to the compiler.
constexpr auto product_of_locals(ad::expression auto const& x) {
    using batch = ad::simd::batch<double>;
    auto const one = [&] {
        struct op : ad::stepwise<"op"> {
            static batch eval(batch v) { return v + batch(1); }
        };
        return ad::apply<op>(x);
    };
    auto const two = [&] {
        struct op : ad::stepwise<"op"> {
            static batch eval(batch v) { return v + batch(2); }
        };
        return ad::apply<op>(x);
    };
    return one() * two();
}

/// Under -fsanitize=undefined g++ 12 does not know in constant expressions whether two addresses are one.
constexpr bool knows_addresses = __builtin_constant_p(&ad::detail::operation_table<own_neg, double>::value ==
                                                      &ad::detail::operation_table<own_cast, double>::value);

constexpr auto halved = ad::with_pullback([](auto x) { return 0.5 * x; },
                                          [](auto g, auto, auto x) { return ad::cotangents(g * sum(x)); });
constexpr auto of_all = [](auto x) { return sum(ad::fold<1>([](auto c) { return halved(c); }, x)); };
constexpr auto of_rows = [](auto x) { return sum(ad::fold<1>([](auto c) { return ad::vmap(halved)(c); }, x)); };

}  // namespace

TEST_CASE("simplify: an operation called like a built-in one is not taken for it") {
    ad::tensor<double, 2> const x{0.25, 0.5}, y{2, 4};
    using pair = ad::tensor<double, 2>;
    CHECK(ad::evaluate([](auto a, auto) { return -ad::apply<own_neg>(a); }, x, y) == pair{-0.75, -0.5});
    CHECK(ad::evaluate([](auto a, auto b) { return b * ad::apply<own_neg>(a); }, x, y) == pair{1.5, 2});
    CHECK(ad::evaluate([](auto a, auto b) { return b + ad::apply<own_neg>(a); }, x, y) == pair{2.75, 4.5});
    CHECK(ad::evaluate([](auto a, auto b) { return b - ad::apply<own_neg>(a); }, x, y) == pair{1.25, 3.5});
    CHECK(ad::evaluate([](auto a, auto b) { return ad::apply<own_neg>(a) / b; }, x, y) == pair{0.375, 0.125});
    CHECK(ad::evaluate([](auto a, auto) { return -ad::apply<own_negation>(a); }, x, y) == pair{-0.75, -0.5});
    CHECK(ad::evaluate([](auto a, auto b) { return 2.0 * ad::apply<own_mul>(a, b); }, x, y) == pair{3, 6});
    CHECK(ad::evaluate([](auto a, auto b) { return a + ad::apply<own_mul>(a, b); }, x, y) == pair{1.75, 3.5});
    CHECK(ad::evaluate([](auto a, auto b) { return sum(ad::apply<own_neg>(a) + 0.0 * b); }, x, y) == 1.25);
    CHECK(ad::evaluate([](auto a, auto) { return sum(ad::apply<own_neg>(a)); }, x, y) == 1.25);
    CHECK(ad::evaluate([](auto a, auto b) { return sum(ad::apply<own_mul>(a, b)); }, x, y) == 4.5);
    CHECK(ad::evaluate([](auto a, auto) { return sum(ad::apply<own_mul>(3.0, a)); }, x, y) == 4.25);
    CHECK(ad::evaluate([](auto a, auto) { return sum(ad::apply<own_add>(square(a), 2.0)); }, x, y) == 12.3125);
    CHECK(ad::evaluate([](auto a, auto b) { return ad::apply<own_add>(a * b, a); }, x, y) == pair{1.25, 3.5});
    CHECK(ad::evaluate([](auto a, auto b) { return ad::apply<own_sub>(a, a * b); }, x, y) == pair{-1.25, -5.5});
    CHECK(ad::evaluate([](auto a, auto b) { return ad::apply<own_div>(a, b); }, x, y) == pair{0.75, 0.75});
    CHECK(ad::evaluate(
              [](auto a, auto) { return ad::apply<own_where>(a, a, 0.0) + ad::apply<own_where>(a, 2.0 * a, 0.0); }, x,
              y) == pair{1.25, 2.5});
    auto const g =
        ad::grad<0>([](auto a, auto b) { return sum(-ad::apply<own_neg>(a) + 2.0 * ad::apply<own_mul>(a, b)); })(x, y);
    CHECK(g == pair{5, 9});
}

TEST_CASE("simplify: only a conversion there and back disappears") {
    ad::tensor<ad::half, 2> const x{ad::half(1.5f), ad::half(-2)};
    auto const y = ad::evaluate([](auto a) { return ad::cast<ad::half>(ad::apply<own_cast>(a)); }, x);
    CHECK(static_cast<float>(y(0)) == 3);
    CHECK(static_cast<float>(y(1)) == -4);
}

TEST_CASE("fold: a sum called like a built-in one is not split in the backward pass") {
    // c' = 2 (c + 3 w) + 0 x: d/dw over three steps is 6 (1 + 2 + 4)
    auto const f = [](auto w, auto xs) {
        return sum(ad::fold([&](auto c, auto x) { return 2.0 * ad::apply<own_add>(c, w) + 0.0 * x; }, 0.0 * w, xs));
    };
    ad::tensor<double, 2> const w{1, 2};
    CHECK(ad::grad<0>(f)(w, std::vector<double>(3)) == ad::tensor<double, 2>{42, 42});
}

TEST_CASE("push: operations that the compiler calls by one name are two") {
    ad::tensor<double, 2> const x{1, 2};
    using pair = ad::tensor<double, 2>;
    CHECK(ad::evaluate([](auto a) { return plus<1>(a) * plus<2>(a); }, x) == pair{6, 12});
    if (knows_addresses) CHECK(ad::evaluate([](auto a) { return product_of_locals(a); }, x) == pair{6, 12});
}

TEST_CASE("same_body: loops under rules that the compiler calls by one name are two") {
    auto const f = [](auto x) { return loop_of<2>(x) + loop_of<5>(x); };
    if (knows_addresses) CHECK(ad::grad<0>(f)(ad::tensor<double, 2>{1, 2}) == ad::tensor<double, 2>{7, 7});
}

TEST_CASE("same_body: a body that does something to each item is not the one that does it to all") {
    ad::tensor<double, 2, 3> const x{{1, 2, 3}, {4, 5, 6}};
    auto const all = ad::grad<0>(of_all)(x), rows = ad::grad<0>(of_rows)(x);
    auto const both = ad::grad<0>([](auto a) { return of_all(a) + of_rows(a); })(x);
    CHECK(all == ad::tensor<double, 2, 3>{{21, 21, 21}, {21, 21, 21}});
    CHECK(rows == ad::tensor<double, 2, 3>{{6, 6, 6}, {15, 15, 15}});
    CHECK(both == ad::tensor<double, 2, 3>{{27, 27, 27}, {36, 36, 36}});
}
