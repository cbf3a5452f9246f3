// SPDX-License-Identifier: MIT
// softmax and log_softmax against the reference, along rows and along any other axis; and what becomes of them.

#include "ops/reduce/padded_cases.hpp"

using namespace reference;

namespace {

template <int Axis>
constexpr auto weighted_softmax = [](auto x, auto cot) { return sum(softmax<Axis>(x) * cot); };
template <int Axis>
constexpr auto weighted_log_softmax = [](auto x, auto cot) { return sum(log_softmax<Axis>(x) * cot); };

template <class T, class Pattern>
void run_as(auto gradient, test_case const& c, std::vector<std::int64_t> const& lengths) {
    auto const make = [&](reference::tensor const& t) {
        return Pattern::template make<T>(in_shape(t, lengths, Pattern::rank));
    };
    auto const [dx, out] = gradient(make(c.in("x")), make(c.cot()));
    CHECK(check_close(c.out(), out, c, "out") == "");
    CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
}
template <class T>
void run_rows(auto along_rows, auto along_middle, std::string_view op) {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("softmax"), op)) {
        INFO(c.id << ": " << c.note);
        auto const lengths = alternating_shape::of(c).lengths;
        if (lengths.size() == 2) run_as<T, matrix>(along_rows, c, lengths);
        else run_as<T, cube>(along_middle, c, lengths);
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("softmax"), op));
}

using batch = ad::tensor<float, 64, 100>;

}  // namespace

TEST_CASE("softmax: output and gradient are those of the reference along any axis") {
    run_rows<double>(ad::grad<0, 1>(weighted_softmax<-1>), ad::grad<0, 1>(weighted_softmax<1>), "softmax");
    run_rows<float>(ad::grad<0, 1>(weighted_softmax<-1>), ad::grad<0, 1>(weighted_softmax<1>), "softmax");
}
TEST_CASE("log_softmax: output and gradient are those of the reference along any axis") {
    run_rows<double>(ad::grad<0, 1>(weighted_log_softmax<-1>), ad::grad<0, 1>(weighted_log_softmax<1>), "log_softmax");
    run_rows<float>(ad::grad<0, 1>(weighted_log_softmax<-1>), ad::grad<0, 1>(weighted_log_softmax<1>), "log_softmax");
}

TEST_CASE(
    "softmax and log_softmax: a row is read, normalised and differentiated in one kernel that keeps only that row") {
    constexpr auto value = decltype(ad::fused([](auto x) { return softmax(x); }))::plan<batch>();
    STATIC_REQUIRE(value.kernels() == 1);
    constexpr auto gradient = decltype(ad::grad<0>(weighted_softmax<-1>))::plan<batch, batch>();
    STATIC_REQUIRE(gradient.kernels() == 1);
    STATIC_REQUIRE(gradient.workspace_bytes() < 2 * 64 * 100);  // some rows, not the array
    constexpr auto of_log = decltype(ad::grad<0>(weighted_log_softmax<-1>))::plan<batch, batch>();
    STATIC_REQUIRE(of_log.kernels() == 1);
    STATIC_REQUIRE(of_log.workspace_bytes() < 2 * 64 * 100);
}

TEST_CASE("log_softmax: summed up with equal weights, an element's gradient is 1 - n softmax, by rows and by columns") {
    ad::tensor<double, 2, 3> const x{{0.5, -1, 2}, {1, 1, -0.25}};
    auto const by_rows = ad::grad<0>([](auto a) { return sum(log_softmax(a)); })(x);
    auto const by_columns = ad::grad<0>([](auto a) { return sum(log_softmax<0>(a)); })(x);
    auto const rows = ad::evaluate([](auto a) { return softmax(a); }, x),
               columns = ad::evaluate([](auto a) { return softmax<0>(a); }, x);
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) {
            CHECK_THAT(by_rows(i, j), Catch::Matchers::WithinAbs(1 - 3 * rows(i, j), 1e-14));
            CHECK_THAT(by_columns(i, j), Catch::Matchers::WithinAbs(1 - 2 * columns(i, j), 1e-14));
        }
}

TEST_CASE("softmax: of rows without elements, sums and what flows back to what is stretched along them are 0") {
    auto const check = [](auto const& x, auto const& c) {
        auto const weighted = [](auto a, auto b) { return sum(softmax(a) * b); };
        auto const of_log = [](auto a, auto b) { return sum(log_softmax(a) * b); };
        auto const shifted = [](auto a, auto b) { return sum(square(softmax(a + b))); };
        for (auto v : ad::grad<1>(weighted)(x, c)) CHECK(v == 0);
        for (auto v : ad::grad<1>(of_log)(x, c)) CHECK(v == 0);
        for (auto v : ad::grad<1>(shifted)(x, c)) CHECK(v == 0);
        for (auto v : ad::fused([](auto a) { return ad::sum<-1>(softmax(a)); })(x)) CHECK(v == 0);
        for (auto v : ad::fused([](auto a) { return ad::sum<-1>(softmax(a) * softmax(a)); })(x)) CHECK(v == 0);
        for (auto v : ad::fused([](auto a) { return ad::sum<-1>(softmax(a) * a); })(x)) CHECK(v == 0);
        for (auto v : ad::fused([](auto a) { return ad::sum<-1>(a * softmax(a)); })(x)) CHECK(v == 0);
    };
    check(ad::tensor<double, ad::dyn, ad::dyn>(3, 0), ad::tensor<double, ad::dyn, 1>(3));
    check(ad::tensor<float, ad::dyn, ad::dyn>(3, 0), ad::tensor<float, ad::dyn, 1>(3));
    check(ad::tensor<double, 3, ad::dyn>(0), ad::tensor<double, 3, 1>());
    check(ad::tensor<double, 3, 0>(), ad::tensor<double, 3, 1>());
    check(ad::tensor<float, 3, 0>(), ad::tensor<float, 3, 1>());
}
TEST_CASE("softmax: a row of some elements, whose number only run time knows, has the same sums as ever") {
    ad::tensor<double, ad::dyn, ad::dyn> x(2, 3);
    for (std::size_t i = 0; i < 6; ++i) x.data()[i] = 0.3 * static_cast<double>(i * i % 5);
    ad::tensor<double, ad::dyn, 1> c(2);
    auto const g = ad::grad<1>([](auto a, auto b) { return sum(softmax(a) * b); })(x, c);
    for (auto v : g) CHECK(std::abs(v - 1) < 1e-15);
    auto const squares = ad::fused([](auto a) { return ad::sum<-1>(softmax(a) * softmax(a)); })(x);
    for (std::size_t i = 0; i < 2; ++i) {
        double all = 0, two = 0;
        for (std::size_t j = 0; j < 3; ++j) all += std::exp(x(i, j)), two += std::exp(2 * x(i, j));
        CHECK(std::abs(squares(i) - two / (all * all)) < 1e-14);
    }
}
