// SPDX-License-Identifier: MIT
// mdspan: arguments and targets in all layouts, static and dynamic extents, without a copy.

#include <tapeless/interop/mdspan.hpp>
#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"

#if __has_include(<mdspan>)
#include <mdspan>
#endif
#if defined(__cpp_lib_mdspan)
namespace md = std;
#elif __has_include(<mdspan/mdspan.hpp>)
#include <mdspan/mdspan.hpp>
namespace md = Kokkos;
#else
#include "interop/stand_in_mdspan.hpp"
namespace md = stand_in;
#endif

namespace ad = tapeless;

namespace {

constexpr std::size_t open = static_cast<std::size_t>(-1);
using open_extents = md::extents<int, open, open>;
using three_by_two = md::extents<int, 3, 2>;
using half_open = md::extents<std::size_t, open, 2>;

constexpr auto weighted = [](auto x, auto y) { return sum(x * x * y); };

}  // namespace

TEST_CASE("mdspan: shapes and layouts are those of the type") {
    using ad::detail::leaf_traits;
    using right = leaf_traits<md::mdspan<float, open_extents>>;
    static_assert(right::is_dense && std::is_same_v<right::owner, ad::tensor<float, ad::dyn, ad::dyn>>);
    using left = leaf_traits<md::mdspan<float const, half_open, md::layout_left>>;
    static_assert(!left::is_dense && std::is_same_v<left::owner, ad::tensor<float, ad::dyn, 2>>);
    using strided = leaf_traits<md::mdspan<double, three_by_two, md::layout_stride>>;
    static_assert(!strided::is_dense && std::is_same_v<strided::shape_type, ad::shape<3, 2>>);
    static_assert(leaf_traits<md::mdspan<double, md::extents<int, open>, md::layout_left>>::is_dense);
    static_assert(!leaf_traits<md::mdspan<double, md::extents<int, open>, md::layout_stride>>::is_dense);
    static_assert(!ad::detail::mdspan_like<ad::view<double, 3, 2>> && !ad::detail::mdspan_like<std::vector<double>>);
}

TEST_CASE("mdspan: values, gradients and targets agree with those of tensors in every layout") {
    ad::tensor<double, 3, 2> x{{1, 2}, {3, 4}, {5, 6}}, y{{-1, 0.5}, {2, 0.25}, {1, -3}};
    auto const [value, gradient] = ad::value_and_grad<0>(weighted)(x, y);

    std::vector<double> columns{1, 3, 5, 2, 4, 6}, apart(20, -9.0), target(20, -9.0);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 2; ++k) apart[static_cast<std::size_t>(1 + 6 * i + 2 * k)] = y(i, k);
    md::mdspan<double, open_extents, md::layout_left> left(columns.data(), 3, 2);
    using strided = md::mdspan<double, three_by_two, md::layout_stride>;
    md::layout_stride::mapping<three_by_two> const mapping(three_by_two{}, std::array<int, 2>{6, 2});
    strided spread(apart.data() + 1, mapping), written(target.data() + 1, mapping);
    md::mdspan<double const, half_open> right(y.data(), 3);

    auto [v, g] = ad::value_and_grad<0>(weighted)(left, spread);
    static_assert(std::is_same_v<decltype(g), ad::tensor<double, ad::dyn, ad::dyn>>);
    CHECK(v == value);
    CHECK(ad::value_and_grad<0>(weighted)(ad::into(written), left, right) == value);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 2; ++k) {
            CHECK(g(i, k) == gradient(i, k));
            CHECK(target[static_cast<std::size_t>(1 + 6 * i + 2 * k)] == gradient(i, k));
        }
    CHECK(std::count(target.begin(), target.end(), -9.0) == 14);  // nothing beside the elements

    md::mdspan<double, open_extents, md::layout_left> wrong(columns.data(), 2, 3);
    CHECK_THROWS_AS(ad::value_and_grad<0>(weighted)(ad::into(written), wrong, right), ad::shape_error);
}
