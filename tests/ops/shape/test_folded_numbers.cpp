// SPDX-License-Identifier: MIT
// Axes of a number that turned out to be a constant while compiling: operations along them do what they do to others.

#include <cstring>
#include <tuple>

#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>

namespace ad = tapeless;

namespace {

/// What operations along its only axis make of an array of one element.
constexpr auto along_the_axis = [](auto z) {
    auto const matrix = ad::unsqueeze<0>(z), image = ad::unsqueeze<0, 1>(z);
    return std::make_tuple(
        sum<0>(z), ad::argmax<0>(z), cumsum<0>(z), sort<0>(z).values, ad::flip<0>(z), ad::roll<0>(z, 1), ad::squeeze<0>(z),
        transpose(ad::unsqueeze<1>(z)), ad::pad<1, 2>(z), ad::windows<0, 1>(z), softmax(z), ad::concat<0>(z, 2.0 * z),
        ad::stack<0>(z, z), ad::expand<3>(z), ad::repeat<3>(z), ad::outer(z, z), ad::dot(z, z), matmul(matrix, z),
        ad::reshape<1, 1>(z), ad::select<0>(z, 0), ad::diagonal(matrix), ad::tril(matrix), ad::conv1d(image, image),
        ad::max_pool1d<ad::pool{.size = 1}>(image), ad::linalg::cholesky(matrix), z[0],
        ad::vmap([](auto v) { return ad::let(2.0 * v); })(z));
};

template <class X>
bool same(X const& x, X const& y) {
    if constexpr (std::is_arithmetic_v<X>) {
        return x == y;
    } else {
        auto const bytes = sizeof(*x.data()) * static_cast<std::size_t>(x.size());
        return x.size() == y.size() && std::memcmp(x.data(), y.data(), bytes) == 0;
    }
}
template <class... X>
int first_difference(std::tuple<X...> const& x, std::tuple<X...> const& y) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        int first = -1;
        ((first < 0 && !same(std::get<I>(x), std::get<I>(y)) ? void(first = static_cast<int>(I)) : void()), ...);
        return first;
    }(std::index_sequence_for<X...>{});
}

}  // namespace

TEST_CASE("axes of numbers that were folded: as of others") {
    auto const others = ad::evaluate([](auto s) { return along_the_axis(ad::unsqueeze<0>(s)); }, 1.5);
    auto const folded = ad::evaluate([](auto s) { return along_the_axis(ad::unsqueeze<0>(0.0 * s + 1.5)); }, 1.5);
    CHECK(first_difference(folded, others) == -1);
    auto const later = ad::evaluate([](auto s) { return along_the_axis(ad::unsqueeze<0>(0.0 * s) + 1.5); }, 1.5);
    CHECK(first_difference(later, others) == -1);
    CHECK(std::get<8>(folded) == ad::tensor<double, 4>{0, 1.5, 0, 0});
}
