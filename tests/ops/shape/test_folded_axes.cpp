// SPDX-License-Identifier: MIT
// A value that turns out to be a number while it is traced (2 + 0 s) keeps the axes it was given: every operation with
// an axis makes of it what it makes of a value that is known at run time only.

#include <tapeless/io/text.hpp>
#include <tapeless/tapeless.hpp>

#include <cstdint>
#include <sstream>
#include <tuple>
#include <type_traits>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr auto of_vectors = [](auto v, auto i) {
    return std::tuple(ad::squeeze<0>(v), ad::unsqueeze<-1>(v), ad::unsqueeze<0>(v), ad::expand<3>(v),
                      ad::reshape<1, 1>(v), ad::flatten(v), ad::tile<3>(v), ad::repeat<3>(v), ad::flip<0>(v),
                      ad::roll<0>(v, 1), ad::slice<0, 0, ad::to_end>(v), ad::narrow<0, 0, 1>(v), ad::select<0>(v, 0),
                      ad::select<-1>(v, i), v[0], ad::concat<0>(v, v), ad::stack<0>(v, v), ad::stack<-1>(v, v),
                      ad::pad<1, 2>(v), ad::pad<1, 0>(v, 3.0), ad::windows<0, 1>(v), ad::sum<0>(v), ad::mean<-1>(v),
                      ad::prod<0>(v), ad::max<0>(v), ad::min<0>(v, ad::keepdims), ad::argmax<0>(v), ad::var<0>(v),
                      ad::logsumexp<0>(v), ad::norm<0>(v), ad::norm<0>(v, 1.0));
};
constexpr auto along_vectors = [](auto v, auto i) {
    auto const index = ad::unsqueeze<0>(i);
    return std::tuple(ad::cumsum<0>(v), ad::cumprod<0>(v), ad::logcumsumexp<0>(v), ad::cummax<0>(v), ad::cummin<-1>(v),
                      ad::sort<0>(v), ad::argsort<0>(v), ad::softmax<0>(v), ad::log_softmax<-1>(v),
                      ad::gather<0>(v, index), ad::index_select<0>(v, index), ad::take(v, index),
                      ad::scatter_add<0>(v, index, v), ad::index_add<0>(v, index, v), ad::dot(v, v), ad::outer(v, v),
                      ad::arange_like(v), ad::count_nonzero<0>(v), ad::einsum<"i,j->ij">(v, v),
                      ad::lower_triangle<1>(v));
};
constexpr auto of_matrices = [](auto m) {
    return std::tuple(ad::transpose(m), ad::swap_axes<0, 1>(m), ad::permute<1, 0>(m), ad::squeeze<0>(m),
                      ad::squeeze<-1>(m), ad::squeeze<0, 1>(m), ad::unsqueeze<1>(m), ad::expand<2, 3>(m), m(0, 0),
                      ad::reshape<1>(m), ad::flatten(m), ad::tile<2, 3>(m), ad::repeat<1, 2>(m), ad::flip<0, 1>(m),
                      ad::roll<1>(m, 2), ad::slice<1, 0, 1>(m), ad::select<1>(m, 0), ad::concat<1>(m, m),
                      ad::stack<1>(m, m), ad::pad<0, 1, 1, 1>(m), ad::windows<1, 1>(m), ad::sum<1>(m), ad::mean<0>(m),
                      ad::max<0, 1>(m), ad::logsumexp<1>(m), ad::cumsum<1>(m), ad::sort<0>(m), ad::softmax<0>(m),
                      ad::tril(m), ad::triu(m, 1), ad::diagonal(m), ad::eye_like(m), ad::matmul(m, m),
                      ad::linalg::trace(m), ad::linalg::kron(m, m), ad::einsum<"ij,jk->ik">(m, m));
};
constexpr auto of_more = [](auto x) {
    return std::tuple(ad::permute<2, 0, 3, 1>(x), ad::flatten<1, 2>(x), ad::unpack<1>(ad::select<0>(x, 0)),
                      ad::split<1, 1>(x), ad::conv2d<ad::conv{}>(x, x), ad::max_pool2d<ad::pool{.size = 1}>(x),
                      ad::avg_pool2d<ad::pool{.size = 1}>(x), ad::upsample_nearest<2, 2>(x), ad::layer_norm(x),
                      ad::linalg::inverse(ad::select<0>(x, 0)));
};

/// What `f` makes of a number with axes: one that is known when compiled, an expression or a name for it, or another.
enum class number { expression, name, argument };
template <class F, number Is, int... Axis>
struct made_of {
    constexpr auto operator()(auto s, auto t, auto... i) const {
        auto const folded = ad::unsqueeze<Axis...>(2.0 + 0.0 * s);
        if constexpr (Is == number::expression) return F{}(folded, i...);
        else if constexpr (Is == number::name) return F{}(ad::let(folded), i...);
        else return F{}(ad::let(ad::unsqueeze<Axis...>(t)), i...);
    }
};
template <int... Axis, class F, class... I>
void agree(F, I... i) {
    auto const folded = ad::evaluate(made_of<F, number::expression, Axis...>{}, 1.5, 2.0, i...);
    auto const named = ad::evaluate(made_of<F, number::name, Axis...>{}, 1.5, 2.0, i...);
    auto const expected = ad::evaluate(made_of<F, number::argument, Axis...>{}, 1.5, 2.0, i...);
    STATIC_REQUIRE(std::is_same_v<decltype(folded), decltype(expected)>);
    auto const text = [](auto const& x) {
        std::ostringstream s;
        s << x;
        return s.str();
    };
    auto const same = [&](auto const& x, auto const& y) { CHECK(text(x) == text(y)); };
    ad::for_each_leaf(same, folded, expected);
    ad::for_each_leaf(same, named, expected);
}

}  // namespace

TEST_CASE("folded numbers with axes: operations on a vector") { agree<0>(of_vectors, std::int64_t{0}); }
TEST_CASE("folded numbers with axes: along a vector") { agree<0>(along_vectors, std::int64_t{0}); }
TEST_CASE("folded numbers with axes: operations on a matrix") { agree<0, 1>(of_matrices); }
TEST_CASE("folded numbers with axes: operations on more axes") { agree<0, 1, 2, 3>(of_more); }

TEST_CASE("folded numbers with axes: gradients go past them") {
    auto const f = [](auto s) {
        auto v = ad::let(ad::unsqueeze<0>(2.0 + 0.0 * s));
        return ad::squeeze<0>(v) * s + ad::sum(ad::cumsum<0>(v) * ad::flip<0>(s * v)) + ad::sum(ad::pad<1, 1>(v));
    };
    auto const [value, g] = ad::value_and_grad<0>(f)(3.0);
    CHECK(value == 20);  // 2 s + 4 s + 2
    CHECK(g == 6);
    CHECK(ad::jvp(f)(3.0, 1.0).tangent == 6);
}
