// SPDX-License-Identifier: MIT
// Convolutions and pooling of long rows and of images, sorting and the largest of many.

#include "large/run_large.hpp"

using namespace reference;

namespace {

/// Of rank R, with the numbers of a record.
template <class A, std::size_t R>
A filled(tensor const& t) {
    REQUIRE(t.rank() == R);
    std::array<std::int64_t, R> e{};
    for (std::size_t k = 0; k < R; ++k) e[k] = static_cast<std::int64_t>(t.extent(k));
    A a = A::uninitialized(e);
    REQUIRE(a.size() == t.size());
    for (std::size_t i = 0; i < t.size(); ++i) a.data()[i] = static_cast<typename A::value_type>(t.values[i]);
    return a;
}
template <class T>
using rows = ad::tensor<T, ad::dyn, ad::dyn, ad::dyn>;
template <class T>
using images = ad::tensor<T, ad::dyn, ad::dyn, ad::dyn, ad::dyn>;

/// f(x, weight, bias), the weights being of type W.
template <class X, class W, std::size_t R, class T, class F>
void run_convolution(F, std::string const& op) {
    auto gradient = ad::grad<0, 1, 2, 3>([](auto cot, auto x, auto w, auto b) { return sum(F{}(x, w, b) * cot); });
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("large"), op)) {
        auto const [y, dx, dw, db] = gradient(filled<X, R>(c.cot()), filled<X, R>(c.in("x")),
                                              filled<W, R>(c.in("weight")), filled<ad::tensor<T, 3>, 1>(c.in("bias")));
        CHECK(check_close(c.out(), y, c, "out") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        CHECK(check_close(c.grad("weight"), dw, c, "grad weight") == "");
        CHECK(check_close(c.grad("bias"), db, c, "grad bias") == "");
        ++n;
    }
    CHECK(n == 1);
}
/// f(x).
template <class X, std::size_t R, class T, class F>
void run_one(F, std::string const& op, std::string const& out = "out") {
    auto gradient = ad::grad<0, 1>([](auto cot, auto x) { return sum(F{}(x)*cot); });
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("large"), op)) {
        auto const [y, dx] = gradient(filled<X, R>(c.cot(out)), filled<X, R>(c.in("x")));
        CHECK(check_close(c.out(out), y, c, out) == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        ++n;
    }
    CHECK(n == 1);
}

}  // namespace

TEMPLATE_TEST_CASE("large: convolutions", "", double, float) {
    using T = TestType;
    run_convolution<rows<T>, ad::tensor<T, 3, 2, 5>, 3, T>(
        [](auto x, auto w, auto b) { return ad::conv1d<ad::conv{.padding = 2}>(x, w, b); }, "conv1d");
    run_convolution<images<T>, ad::tensor<T, 3, 2, 3, 3>, 4, T>(
        [](auto x, auto w, auto b) {
            return ad::conv2d<ad::conv{.stride = {2, 1}, .padding = 1}>(x, w, b);
        },
        "conv2d");
}
TEMPLATE_TEST_CASE("large: pooling", "", double, float) {
    using T = TestType;
    run_one<rows<T>, 3, T>([](auto x) { return ad::max_pool1d<ad::pool{.size = 3, .stride = 2, .padding = 1}>(x); },
                           "max_pool1d");
    run_one<images<T>, 4, T>([](auto x) { return ad::avg_pool2d<ad::pool{.size = 3, .stride = 2, .padding = 1}>(x); },
                             "avg_pool2d");
}
TEMPLATE_TEST_CASE("large: sort, topk", "", double, float) {
    using T = TestType;
    using table = ad::tensor<T, ad::dyn, ad::dyn>;
    run_one<table, 2, T>([](auto x) { return ad::sort<1>(x).values; }, "sort", "values");
    run_one<table, 2, T>([](auto x) { return ad::topk<0, 65>(x).values; }, "topk", "values");
}
