// SPDX-License-Identifier: MIT
// Eigen: matrices, vectors, arrays, maps, blocks and references as arguments and targets, in place. Empty where Eigen
// is not installed.

#if __has_include(<Eigen/Core>)
#include <tapeless/interop/eigen.hpp>
#include <tapeless/tapeless.hpp>

#include <Eigen/Core>

#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

template <class A>
using traits = ad::detail::leaf_traits<A>;
using rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr auto weighted = [](auto x, auto y) { return sum(x * x * y); };

}  // namespace

TEST_CASE("eigen: sizes are extents, vectors have one axis") {
    static_assert(std::is_same_v<traits<Eigen::MatrixXf>::shape_type, ad::shape<ad::dyn, ad::dyn>>);
    static_assert(std::is_same_v<traits<Eigen::Matrix<double, 3, Eigen::Dynamic>>::shape_type, ad::shape<3, ad::dyn>>);
    static_assert(std::is_same_v<traits<Eigen::Matrix4f>::shape_type, ad::shape<4, 4>>);
    static_assert(std::is_same_v<traits<Eigen::Vector3d>::shape_type, ad::shape<3>>);
    static_assert(std::is_same_v<traits<Eigen::RowVectorXi>::shape_type, ad::shape<ad::dyn>>);
    static_assert(std::is_same_v<traits<Eigen::ArrayXXd>::owner, Eigen::ArrayXXd>);
    static_assert(std::is_same_v<traits<Eigen::Ref<Eigen::MatrixXd const>>::owner, Eigen::MatrixXd>);
    static_assert(std::is_same_v<traits<Eigen::Map<Eigen::Vector3d const>>::owner, Eigen::Vector3d>);
    static_assert(std::is_same_v<traits<std::vector<Eigen::Vector3d>>::shape_type, ad::shape<ad::dyn, 3>>);
}

TEST_CASE("eigen: what is dense row by row is known to be so") {
    static_assert(traits<Eigen::VectorXd>::is_dense && traits<Eigen::RowVector3f>::is_dense && traits<rows>::is_dense);
    static_assert(!traits<Eigen::MatrixXd>::is_dense && !traits<Eigen::Matrix2d>::is_dense);
    static_assert(traits<decltype(std::declval<Eigen::MatrixXd&>().col(0))>::is_dense);
    static_assert(!traits<decltype(std::declval<Eigen::MatrixXd&>().row(0))>::is_dense);
    static_assert(!traits<decltype(std::declval<rows&>().block(0, 0, 1, 1))>::is_dense);
    static_assert(!traits<Eigen::Map<rows, 0, Eigen::OuterStride<>>>::is_dense);
    static_assert(!traits<Eigen::Map<Eigen::VectorXd, 0, Eigen::InnerStride<>>>::is_dense);
    static_assert(!ad::detail::leaf<decltype(std::declval<Eigen::MatrixXd&>() + std::declval<Eigen::MatrixXd&>())>);
    static_assert(!ad::detail::leaf<Eigen::MatrixXcd>);
}

TEST_CASE("eigen: blocks, transposes and rows are read and written in place") {
    Eigen::MatrixXd m(4, 5), g = Eigen::MatrixXd::Constant(4, 5, -9);
    for (int i = 0; i < 20; ++i) m(i % 4, i / 4) = i;
    rows const y = rows::Constant(2, 3, 0.5) + rows::Identity(2, 3);
    auto step = ad::value_and_grad<0>(weighted);

    auto const part = m.block(1, 2, 2, 3);
    auto const [value, gradient] = step(part, y);
    static_assert(std::is_same_v<decltype(gradient), Eigen::MatrixXd const>);
    Eigen::MatrixXd const want = 2 * part.cwiseProduct(y);
    CHECK(value == part.cwiseProduct(part).cwiseProduct(y).sum());
    CHECK(gradient == want);

    CHECK(step(ad::into(g.block(2, 0, 2, 3)), part, y) == value);
    CHECK(g.block(2, 0, 2, 3) == want);
    CHECK((g.array() == -9).count() == 14);

    Eigen::MatrixXd const turned = m.transpose();
    CHECK(step(turned.transpose().block(1, 2, 2, 3), y).grad == want);
    CHECK_THROWS_AS(step(ad::into(g.block(0, 0, 3, 2)), part, y), ad::shape_error);
}

TEST_CASE("eigen: views keep the strides") {
    Eigen::MatrixXd m(2, 3);
    m << 1, 2, 3, 4, 5, 6;
    ad::view<double, ad::dyn, 3> const v = m;
    ad::view<double const, ad::dyn> const row = m.row(1);
    CHECK((v(0, 1) == 2 && v(1, 2) == 6 && row(0) == 4 && row(2) == 6));
    static_assert(!std::is_convertible_v<Eigen::MatrixXd, ad::view<double, ad::dyn, ad::dyn>>);  // a temporary
}

TEST_CASE("eigen: targets of the same type as the gradient, and others, agree with what is returned") {
    Eigen::Matrix<float, 3, 2> x, g;
    x << 1, 2, 3, 4, 5, 6;
    Eigen::Vector2f const w(10, 100);
    auto const f = [](auto a, auto v) { return sum(a * a * v); };
    auto step = ad::value_and_grad<0, 1>(f);
    auto const [value, grads] = step(x, w);
    auto const& [by_x, by_w] = grads;
    static_assert(std::is_same_v<decltype(by_x), Eigen::Matrix<float, 3, 2> const>);
    CHECK(by_w == Eigen::Vector2f(35, 56));
    CHECK((by_x(0, 0) == 20 && by_x(2, 1) == 1200 && by_x(1, 0) == 60));

    Eigen::RowVector2f gw;
    CHECK(step(ad::into(g, gw), x, w) == value);
    CHECK(g == by_x);
    CHECK(gw.transpose() == by_w);
    ad::tensor<float, 3, 2> dense;
    CHECK(step(ad::into(dense, gw), x, w) == value);
    CHECK(dense == ad::tensor<float, 3, 2>{{20, 400}, {60, 800}, {100, 1200}});
}

TEST_CASE("eigen: other transformations keep the types, and structs of matrices are trees") {
    Eigen::MatrixXd x(2, 3), v(2, 3);
    x << 1, 2, 3, 4, 5, 6;
    v << 1, 0, 0, 0, 0, 1;
    auto const cube = [](auto a) { return sum(a * a * a); };
    auto const hv = ad::hvp<0>(cube)(x, v);
    static_assert(std::is_same_v<decltype(hv), Eigen::MatrixXd const>);
    CHECK(hv == Eigen::MatrixXd(6 * x.cwiseProduct(v)));
    auto const product = [](auto a, auto b) { return matmul(a, b); };
    Eigen::VectorXd const b = Eigen::VectorXd::LinSpaced(3, 1, 3);
    auto const [y, back] = ad::vjp<0>(product)(x, b, Eigen::Vector2d(1, 2));
    CHECK((y(0) == 14 && y(1) == 32));
    CHECK(back == Eigen::MatrixXd(Eigen::Vector2d(1, 2) * b.transpose()));

    struct net {
        Eigen::MatrixXd w;
        Eigen::VectorXd b;
    };
    net const n{x, Eigen::Vector2d(1, -1)};
    auto const loss = [](auto const& m, auto in) {
        auto const& [w, c] = m;
        return sum(square(matmul(w, in) + c));
    };
    auto g = ad::grad<0>(loss)(n, b);
    static_assert(std::is_same_v<decltype(g), net>);
    Eigen::VectorXd const r = 2 * (x * b + n.b);
    CHECK((g.b == r && g.w == r * b.transpose()));
    CHECK(ad::check_gradient<0>(loss, n, b).passed);
}
#endif
