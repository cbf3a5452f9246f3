// SPDX-License-Identifier: MIT
// keepdims: every reduction takes it and gives the same numbers, the reduced axes being extents of 1.

#include <tapeless/tapeless.hpp>

#include <tuple>
#include <type_traits>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

/// Every reduction; `keep` is keepdims or nothing.
template <int... Axis>
constexpr auto numbers(auto x, auto... keep) {
    return std::tuple(ad::sum<Axis...>(x, keep...), ad::mean<Axis...>(x, keep...), ad::prod<Axis...>(x, keep...),
                      ad::max<Axis...>(x, keep...), ad::min<Axis...>(x, keep...), ad::var<Axis...>(x, keep...),
                      ad::std_dev<Axis...>(x, keep...), ad::logsumexp<Axis...>(x, keep...),
                      ad::norm<Axis...>(x, keep...));
}
template <int... Axis>
constexpr auto counts(auto x, auto... keep) {
    return std::tuple(ad::argmax<Axis...>(x, keep...), ad::argmin<Axis...>(x, keep...),
                      ad::count_nonzero<Axis...>(x, keep...), ad::count_nonzero<Axis...>(x > 0.0, keep...),
                      ad::cast<std::int64_t>(ad::any<Axis...>(x > 4.0, keep...)),
                      ad::cast<std::int64_t>(ad::all<Axis...>(x > -1.5, keep...)));
}
template <int Axis>
constexpr auto positions(auto x, auto... keep) {
    auto const [most, at] = ad::max_with_index<Axis>(x, keep...);
    auto const [least, where_least] = ad::min_with_index<Axis>(x, keep...);
    return std::tuple(most, at, least, where_least);
}

/// The same elements in the same order, and that shape.
template <class Shape, class Plain, class Kept>
void same_elements(Plain const& plain, Kept const& kept) {
    static_assert(std::is_same_v<typename ad::detail::leaf_traits<Kept>::shape_type, Shape>);
    auto const* a = ad::detail::leaf_traits<Plain>::data(plain);
    auto const* b = ad::detail::leaf_traits<Kept>::data(kept);
    for (int i = 0; i < Shape::static_size(); ++i) CHECK(a[i] == b[i]);
}
template <class Shape, class F, class G>
void compare(F f, G g) {
    ad::tensor<double, 2, 3, 2> const x{{{1, -1}, {2, 0.5}, {-2, 3}}, {{4, 0}, {5, 0.25}, {-1, 2}}};
    std::apply([&](auto const&... plain) {
        std::apply([&](auto const&... kept) { (same_elements<Shape>(plain, kept), ...); }, ad::evaluate(g, x));
    }, ad::evaluate(f, x));
}

}  // namespace

TEST_CASE("keepdims: every reduction along one axis keeps it") {
    using kept = ad::shape<2, 1, 2>;
    compare<kept>([](auto x) { return numbers<1>(x); }, [](auto x) { return numbers<1>(x, ad::keepdims); });
    compare<kept>([](auto x) { return counts<1>(x); }, [](auto x) { return counts<1>(x, ad::keepdims); });
    compare<kept>([](auto x) { return positions<1>(x); }, [](auto x) { return positions<1>(x, ad::keepdims); });
}

TEST_CASE("keepdims: every reduction along several axes keeps them") {
    using kept = ad::shape<1, 3, 1>;
    compare<kept>([](auto x) { return numbers<0, -1>(x); }, [](auto x) { return numbers<0, -1>(x, ad::keepdims); });
    compare<kept>([](auto x) { return counts<0, -1>(x); }, [](auto x) { return counts<0, -1>(x, ad::keepdims); });
}

TEST_CASE("keepdims: every reduction of everything keeps all axes") {
    using kept = ad::shape<1, 1, 1>;
    compare<kept>([](auto x) { return numbers<>(x); }, [](auto x) { return numbers<>(x, ad::keepdims); });
    compare<kept>([](auto x) { return counts<>(x); }, [](auto x) { return counts<>(x, ad::keepdims); });
}

TEST_CASE("count_nonzero: with keepdims it stands beside what it counted") {
    ad::tensor<double, 2, 3> const x{{1, -1, 2}, {3, 4, 5}};
    auto const f = [](auto v) { return sum(v * ad::cast<double>(ad::count_nonzero<1>(v > 0.0, ad::keepdims))); };
    CHECK(ad::evaluate(f, x) == 40);
    CHECK(ad::grad<0>(f)(x) == ad::tensor<double, 2, 3>{{2, 2, 2}, {3, 3, 3}});
}
