// SPDX-License-Identifier: MIT
// Models, struct templates over a tensor template: of tensors, of views into somebody else's memory, with further
// parameters.

#include <tapeless/tapeless.hpp>

#include <array>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

template <template <class, auto...> class Tensor>
struct Net {
    Tensor<double, 2, 3> w;
    Tensor<double, 3> b;
};
template <template <class, auto...> class Tensor, int Width>
struct Layer {
    Tensor<double, Width> scale, shift;
};
template <template <class, auto...> class Tensor, class T>
struct Typed {
    Tensor<T, 2> a;
};
template <template <class, auto...> class Tensor>
struct Deep {
    std::array<Layer<Tensor, 2>, 2> layers;
    Tensor<double, ad::dyn> last;
};
template <class T, auto... E>
using read_only = ad::view<T const, E...>;

constexpr auto loss = [](auto const& m, auto x) { return sum(square(matmul(x, m.w) + m.b)); };
constexpr auto deep_loss = [](auto const& m, auto x) {
    auto h = x;
    for (auto const& l : m.layers) h = ad::let(h * l.scale + l.shift);
    return sum(h) * sum(m.last);
};

template <class T = double>
Net<ad::view> net_at(T* p) {
    return {.w = ad::view<double, 2, 3>(p), .b = ad::view<double, 3>(p + 6)};
}

}  // namespace

TEST_CASE("model: flat memory seen as a model of views keeps its names, and gradients are written to such a one") {
    std::vector<double> p(9, 0.5), g(9);
    ad::tensor<double, 4, 2> const x;
    auto const m = net_at(p.data());
    auto d = net_at(g.data());
    CHECK(ad::value_and_grad<0>(loss)(ad::into(d), m, x) == 3);
    CHECK(g == std::vector<double>{0, 0, 0, 0, 0, 0, 4, 4, 4});
}

TEST_CASE("model: the gradient of a model of views is a model of tensors") {
    std::vector<double> p(9, 0.5);
    ad::tensor<double, 4, 2> const x;
    auto const g = ad::grad<0>(loss)(net_at(p.data()), x);
    static_assert(std::is_same_v<std::remove_const_t<decltype(g)>, Net<ad::tensor>>);
    CHECK(g.b == ad::tensor<double, 3>{4, 4, 4});
    Net<read_only> const constant{.w = ad::view<double const, 2, 3>(p.data()),
                                  .b = ad::view<double const, 3>(p.data() + 6)};
    CHECK(ad::grad<0>(loss)(constant, x).b == g.b);
}

TEST_CASE("model: nested models of views, with parameters and run-time lengths") {
    std::vector<double> p{1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 1};
    using layer = Layer<ad::view, 2>;
    auto at = [&](int i) { return ad::view<double, 2>(p.data() + i); };
    Deep<ad::view> const m{.layers = {layer{at(0), at(2)}, layer{at(4), at(6)}},
                           .last = ad::view<double, ad::dyn>(p.data() + 8, 3)};
    auto const [value, g] = ad::value_and_grad<0>(deep_loss)(m, ad::tensor<double, 2>{1, 1});
    static_assert(std::is_same_v<std::remove_cvref_t<decltype(g)>, Deep<ad::tensor>>);
    CHECK(value == 3 * ((4 * 5 + 7) + (6 * 6 + 8)));
    CHECK(g.layers[0].scale == ad::tensor<double, 2>{15, 18});
    CHECK(g.layers[1].shift == ad::tensor<double, 2>{3, 3});
    CHECK(g.last == ad::tensor<double, ad::dyn>{71, 71, 71});
    Typed<ad::view, double> const t{at(0)};
    CHECK(ad::grad<0>([](auto const& u) { return sum(square(u.a)); })(t).a == ad::tensor<double, 2>{2, 4});
}

TEST_CASE("model: an optimiser's step on a model of views changes what they point to") {
    std::vector<double> p(9, 0.5);
    ad::tensor<double, 4, 2> const x;
    auto m = net_at(p.data());
    Net<ad::tensor> same{};
    ad::fill(same.w, 0.5);
    ad::fill(same.b, 0.5);
    ad::optim::sgd of_views(m, {.learning_rate = 0.1}), of_tensors(same, {.learning_rate = 0.1});
    of_views.step(m, ad::grad<0>(loss)(m, x));
    of_tensors.step(same, ad::grad<0>(loss)(same, x));
    CHECK(p[6] == same.b(0));
    CHECK(p[6] != 0.5);
}
