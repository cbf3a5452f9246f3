// SPDX-License-Identifier: MIT
// Forward mode of products, of what moves elements, and of what is indexed is the adjoint of reverse mode.

#include "laws.hpp"

namespace {

namespace ad = tapeless;
using ad::dyn;
using laws::of;
using laws::spread;

constexpr std::tuple shapes{
    of("reshape", [](auto x) { return ad::reshape<5, -1>(x) * 2.0; }),
    of("flatten", [](auto x) { return ad::flatten(x) + 0.0 * ad::flatten(x); }),
    of("expand", [](auto x) { return ad::expand<3, 4, 5>(x) * x; }),
    of("tile", [](auto x) { return ad::tile<2, 2>(x); }),
    of("unsqueeze, squeeze", [](auto x) { return ad::squeeze<1>(ad::unsqueeze<1>(x) * 3.0); }),
    of("slice", [](auto x) { return ad::slice<1, 1, 5, 2>(x) * 2.0; }),
    of("narrow", [](auto x) { return ad::slice<0, 1, 3>(square(x)); }),
    of("select", [](auto x) { return ad::select<0>(x, 2) * ad::select<0>(x, 1); }),
    of("flip", [](auto x) { return ad::flip<1>(x) * x; }),
    of("concat", [](auto x) { return ad::concat<0>(x, sin(x), ad::stop_gradient(x)); }),
    of("stack", [](auto x) { return ad::stack<1>(x, x * x); }),
    of("split", [](auto x) { auto const [a, b] = ad::split<1, 2, 3>(x); return a * ad::slice<1, 1, 3>(b); }),
    of("pad", [](auto x) { return ad::pad<1, 0, 0, 2>(x, 1.5); }),
    of("roll", [](auto x) { return ad::roll<1>(x, 2); }),
    of("permute", [](auto x) { return ad::permute<1, 0>(x) * 2.0; }),
    of("transpose", [](auto x) { return matmul(x, transpose(x)); }),
    of("tril", [](auto x) { return ad::tril(x); }),
    of("triu", [](auto x) { return ad::triu(x); }),
    of("diagonal", [](auto x) { return ad::diagonal(x) * 2.0; }),
    of("repeat", [](auto x) { return ad::repeat<2, 1>(x); }),
    of("the gradient of slices that overlap", [](auto x) {
        return ad::grad<0>([](auto y) { return sum(sin(ad::slice<1, 1, 5>(y)) * square(ad::slice<1, 0, 4>(y))); })(x);
    }),
};
constexpr std::tuple products{
    of("matmul", [](auto a, auto b) { return matmul(a, b); }),
    of("a product of a product", [](auto a, auto b) { return matmul(transpose(tanh(matmul(a, b))), a); }),
    of("linear", [](auto a, auto b) { return linear(a, transpose(b)); }),
    of("dot", [](auto a, auto b) { return dot(ad::select<0>(a, 0), ad::select<1>(b, 1)); }),
    of("outer", [](auto a, auto b) { return outer(ad::select<0>(a, 1), ad::select<1>(b, 0)); }),
    of("einsum", [](auto a, auto b) { return ad::einsum<"ij,jk->ki">(a, b); }),
    of("einsum of a diagonal", [](auto a, auto b) { return ad::einsum<"ij,ji->i">(a, b); }),
    of("stretched", [](auto a, auto b) { return matmul(ad::expand<4, 5>(ad::sum<0>(a)), b); }),
};
constexpr std::tuple indexed{
    of("gather", [](auto x, auto i, auto) { return ad::gather<0>(x, i) * 2.0; }),
    of("index_select", [](auto x, auto, auto j) { return ad::index_select<1>(x, j); }),
    of("take", [](auto x, auto i, auto) { return ad::take(x, i); }),
    of("embedding", [](auto x, auto, auto j) { return ad::embedding(x, j); }),
    of("embedding with padding", [](auto x, auto, auto j) { return ad::embedding(x, j, 1); }),
    of("scatter_add", [](auto x, auto i, auto) { return ad::scatter_add<0>(x, i, ad::slice<0, 0, 2>(square(x))); }),
    of("one_hot", [](auto x, auto, auto j) { return ad::slice<0, 0, 3>(x) * ad::one_hot<5, double>(j); }),
};

}  // namespace

TEST_CASE("forward mode: what moves elements is the adjoint of reverse mode") {
    using array = ad::tensor<double, 4, 5>;
    laws::check(shapes, std::tuple(spread(array{}, -1, 1, 1)), std::tuple(spread(array{}, -1, 1, 2)));
}

TEST_CASE("forward mode: a value between zeros is not taken for the same one a step further") {
    using array = ad::tensor<double, 4, 5>;
    constexpr std::tuple alone{of("the gradient of slices that overlap", [](auto x) {
        return ad::grad<0>([](auto y) { return sum(sin(ad::slice<1, 1, 5>(y)) * square(ad::slice<1, 0, 4>(y))); })(x);
    })};
    laws::check(alone, std::tuple(spread(array{}, -1, 1, 1)), std::tuple(spread(array{}, -1, 1, 2)));
}

TEST_CASE("forward mode: matrix products are the adjoint of reverse mode") {
    using array = ad::tensor<double, dyn, dyn>;
    laws::check(products, std::tuple(spread(array(4, 5), -1, 1, 1), spread(array(5, 4), -1, 1, 2)),
                std::tuple(spread(array(4, 5), -1, 1, 3), spread(array(5, 4), -1, 1, 4)));
}

TEST_CASE("forward mode: what is indexed is the adjoint of reverse mode, and what gets no gradient has no tangent") {
    using array = ad::tensor<double, 4, 5>;
    ad::tensor<int, 2, 5> const i{{0, 1, 2, 3, 0}, {3, 3, 0, 2, 1}};
    ad::tensor<int, 3> const j{1, 0, 1};
    laws::check(indexed, std::tuple(spread(array{}, -1, 1, 1)), std::tuple(spread(array{}, -1, 1, 2)),
                std::tuple(i, j));
}
