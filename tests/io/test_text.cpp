// SPDX-License-Identifier: MIT
// Arrays as text: what NumPy prints for the same arrays (bools as C++ spells them).

#include <tapeless/array/makers.hpp>
#include <tapeless/io/text.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;

namespace {
double const inf = std::numeric_limits<double>::infinity(), not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class... T>
std::string row(T... x) {
    return ad::to_string(std::array<double, sizeof...(T)>{static_cast<double>(x)...});
}
}  // namespace

TEST_CASE("text: points stand below each other, and numbers have no more digits than tell them") {
    CHECK(ad::to_string(ad::tensor<float, 2, 3>{{1, -0.5f, 0.1f}, {0.25f, 3, 100}}) ==
          "[[  1.    -0.5    0.1 ]\n"
          " [  0.25   3.   100.  ]]");
    CHECK(row(1, 2) == "[1. 2.]");
    CHECK(row(0.0, -0.0) == "[ 0. -0.]");
    CHECK(row(1.0 / 3, 2) == "[0.33333333 2.        ]");
    CHECK(ad::to_string(std::vector<float>{1.0f / 3, 2}) == "[0.33333334 2.        ]");
    CHECK(ad::to_string(std::vector<ad::half>{0.1, 58016}) == "[9.998e-02 5.802e+04]");
    CHECK(ad::to_string(std::vector<ad::half>{0, 58016}) == "[    0. 58016.]");
    CHECK(ad::to_string(std::vector<ad::bfloat16>{0.1, 2}) == "[0.1 2. ]");
}

TEST_CASE("text: exponents where numbers are large, small, or far apart") {
    CHECK(row(1e8, 1e8) == "[1.e+08 1.e+08]");
    CHECK(row(99999999, 99999999) == "[99999999. 99999999.]");
    CHECK(row(1e-5, 1e-5) == "[1.e-05 1.e-05]");
    CHECK(row(1, 1000) == "[   1. 1000.]");
    CHECK(row(1, 1001) == "[1.000e+00 1.001e+03]");
    CHECK(row(1e300, -1e-300, 0) == "[ 1.e+300 -1.e-300  0.e+000]");
    CHECK(row(1.0 / 3, 2e5 / 3) == "[3.33333333e-01 6.66666667e+04]");
}

TEST_CASE("text: nan and inf are as wide as the numbers beside them") {
    CHECK(row(not_a_number, inf, -inf) == "[ nan  inf -inf]");
    CHECK(row(not_a_number, 1) == "[nan  1.]");
    CHECK(row(1.5, inf, -22.25) == "[  1.5     inf -22.25]");
    CHECK(row(1, 1e-5, not_a_number, -inf) == "[1.e+00 1.e-05    nan   -inf]");
}

TEST_CASE("text: whole numbers and bools") {
    CHECK(ad::to_string(ad::tensor<int, 2, 2, 2>{{{1, 2}, {3, -40}}, {{5, 6}, {7, 8}}}) ==
          "[[[  1   2]\n  [  3 -40]]\n\n [[  5   6]\n  [  7   8]]]");
    CHECK(ad::to_string(ad::tensor<std::uint8_t, 2>{200, 1}) == "[200   1]");
    CHECK(ad::to_string(ad::tensor<std::uint64_t, 1>{~std::uint64_t{0}}) == "[18446744073709551615]");
    CHECK(ad::to_string(ad::tensor<bool, 3>{true, false, true}) == "[ true false  true]");
}

TEST_CASE("text: blank lines between matrices, two between groups of them") {
    ad::tensor<int, 2, 2, 1, 1> a{{{{1}}, {{2}}}, {{{3}}, {{4}}}};
    CHECK(ad::to_string(a) == "[[[[1]]\n\n  [[2]]]\n\n\n [[[3]]\n\n  [[4]]]]");
}

TEST_CASE("text: one number, and none") {
    CHECK(ad::to_string(ad::tensor<double>(2)) == "2.0");
    CHECK(ad::to_string(ad::tensor<float>(0.1f)) == "0.1");
    CHECK(ad::to_string(ad::tensor<double>(1.0 / 3)) == "0.3333333333333333");
    CHECK(ad::to_string(ad::tensor<double>(1e16)) == "1e+16");
    CHECK(ad::to_string(ad::tensor<double>(-1.5e-7)) == "-1.5e-07");
    CHECK(ad::to_string(ad::tensor<double>(-inf)) == "-inf");
    CHECK(ad::to_string(ad::tensor<double>(1.0 / 3), {.precision = 3}) == "0.333");
    CHECK(ad::to_string(ad::tensor<std::int64_t>(-5)) == "-5");
    CHECK(ad::to_string(ad::tensor<bool>(true)) == "true");
    CHECK(ad::to_string(ad::tensor<float, ad::dyn, 3>()) == "[]");
    CHECK(ad::to_string(ad::tensor<float, 3, 0>()) == "[]");
    CHECK(ad::to_string(std::vector<double>()) == "[]");
}

TEST_CASE("text: long rows are wrapped") {
    ad::tensor<double, 30> d;
    for (int i = 0; i < 30; ++i) d(i) = i;
    CHECK(ad::to_string(d) ==
          "[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. 16. 17.\n"
          " 18. 19. 20. 21. 22. 23. 24. 25. 26. 27. 28. 29.]");
    CHECK(ad::to_string(ad::tensor<int, 1, 12>{{100, 200, 300, 400, 500, 600, 700, 800, 900, 100, 200, 300}},
                        {.width = 24}) ==
          "[[100 200 300 400 500\n"
          "  600 700 800 900 100\n"
          "  200 300]]");
}

TEST_CASE("text: of more than 1000 elements the edges are shown") {
    ad::tensor<int, 1001> a;
    for (int i = 0; i < 1001; ++i) a(i) = i;
    CHECK(ad::to_string(a) == "[   0    1    2 ...  998  999 1000]");
    CHECK(ad::to_string(ad::view<int, 1000>(a.data())).size() > 3000);
    ad::tensor<int, 40, 50> b;
    for (int i = 0; i < 2000; ++i) b.data()[i] = i;
    CHECK(ad::to_string(b) ==
          "[[   0    1    2 ...   47   48   49]\n"
          " [  50   51   52 ...   97   98   99]\n"
          " [ 100  101  102 ...  147  148  149]\n"
          " ...\n"
          " [1850 1851 1852 ... 1897 1898 1899]\n"
          " [1900 1901 1902 ... 1947 1948 1949]\n"
          " [1950 1951 1952 ... 1997 1998 1999]]");
    CHECK(ad::to_string(ad::view<int, 2, 1000>(b.data())) ==
          "[[   0    1    2 ...  997  998  999]\n [1000 1001 1002 ... 1997 1998 1999]]");
    CHECK(ad::to_string(ad::view<int, 6>(b.data()), {.threshold = 5, .edge = 1}) == "[0 ... 5]");
    CHECK(ad::to_string(ad::view<int, 6>(b.data()), {.threshold = 5}) == "[0 1 2 3 4 5]");
}

TEST_CASE("text: strides, and what need not be a tensor") {
    ad::tensor<double, 2, 3> a{{1, 2, 3}, {4, 5, 6}};
    CHECK(ad::to_string(ad::view<double const, 3, 2>(a.data(), std::array<std::ptrdiff_t, 2>{1, 3})) ==
          "[[1. 4.]\n [2. 5.]\n [3. 6.]]");
    CHECK(ad::to_string(std::span<double>(a.data(), 2)) == "[1. 2.]");
    CHECK(ad::to_string(std::array<int, 2>{1, 2}) == "[1 2]");
    std::ostringstream out;
    out << a << '\n' << ad::view<double, 2>(a.data()) << ' ' << ad::tensor<double>(3);
    CHECK(out.str() == "[[1. 2. 3.]\n [4. 5. 6.]]\n[1. 2.] 3.0");
}

TEST_CASE("text: fewer digits where asked for") {
    CHECK(ad::to_string(std::vector<double>{1.0 / 3, 2}, {.precision = 3}) == "[0.333 2.   ]");
    CHECK(ad::to_string(std::vector<double>{9999.9999, 12}, {.precision = 3}) == "[10000.    12.]");
    CHECK(ad::to_string(std::vector<double>{1.5, 2.5}, {.precision = 0}) == "[2. 2.]");
}

#if defined(__cpp_lib_format)
TEST_CASE("text: std::format") {
    CHECK(std::format("{}", ad::tensor<double, 2>{1, 2}) == "[1. 2.]");
    CHECK(std::format("<{:.2}>", ad::tensor<double, 2>{1.0 / 3, 2}) == "<[0.33 2.  ]>");
}
#endif
