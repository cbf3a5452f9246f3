// SPDX-License-Identifier: MIT
// Callables that are const: constants of a program, members of const objects, shared by threads.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {

constexpr auto loss = [](auto w, auto x) { return sum(square(softmax(matmul(x, w)))); };
auto const step = ad::value_and_grad<0>(loss);

ad::tensor<double, ad::dyn, ad::dyn> filled(int n, int m, double by) {
    ad::tensor<double, ad::dyn, ad::dyn> a(n, m);
    for (std::size_t i = 0; i < a.size(); ++i) a.data()[i] = std::sin(by * static_cast<double>(i + 1));
    return a;
}

}  // namespace

TEST_CASE("a const callable gives what another gives, from many threads at once") {
    auto const w = filled(20, 30, 0.1), x = filled(50, 20, 0.3);
    auto own = ad::value_and_grad<0>(loss);
    auto const [expected, gradient] = own(w, x);
    auto const& want = expected;  // clang 14 lets no lambda capture bindings
    auto const& g = gradient;
    std::vector<int> good(4, 0);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < good.size(); ++t)
        threads.emplace_back([&, t] {
            auto target = w;
            for (int i = 0; i < 50; ++i) {
                double const value = step(ad::into(target), w, x);
                good[t] += value == want && target == g;
            }
        });
    for (auto& t : threads) t.join();
    for (int n : good) CHECK(n == 50);
    auto const [again, other] = step(w, x);
    CHECK(again == want);
    CHECK(other == g);
    CHECK_THROWS_AS(step(w, filled(5, 19, 1)), ad::shape_error);
}

TEST_CASE("a const callable takes part in a traced function") {
    auto const second =
        ad::grad<0>([](auto x) { return sum(square(ad::grad<0>([](auto y) { return sum(y * y * y); })(x))); });
    CHECK(second(ad::tensor<double, 2>{1, 2})(1) == Approx(36 * 8.0));
}

TEST_CASE("a const function is called from many threads; one whose callable is changed by calls says so") {
    using signature = double(ad::into_t<ad::tensor<double, ad::dyn, ad::dyn>&>,
                             ad::tensor<double, ad::dyn, ad::dyn> const&, ad::view<double const, ad::dyn, ad::dyn>);
    ad::function<signature> const hidden = step;
    auto const w = filled(20, 30, 0.1), x = filled(50, 20, 0.3);
    auto const [expected, gradient] = step(w, x);
    auto const& want = expected;
    auto const& g = gradient;
    std::vector<int> good(3, 0);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < good.size(); ++t)
        threads.emplace_back([&, t] {
            auto target = w;
            for (int i = 0; i < 20; ++i) good[t] += hidden(ad::into(target), w, x) == want && target == g;
        });
    for (auto& t : threads) t.join();
    for (int n : good) CHECK(n == 20);

    ad::function<int()> const counter = [n = 0]() mutable { return ++n; };
    CHECK_THROWS_AS(counter(), ad::const_call_error);
    auto copy = counter;
    CHECK(copy() == 1);
    CHECK(copy() == 2);
    ad::function<int()> const nothing;
    CHECK_THROWS_AS(nothing(), ad::empty_function_error);
    ad::function<int()> const plain = [] { return 7; };
    CHECK(plain() == 7);
}
