// SPDX-License-Identifier: MIT
#pragma once
// The reference vectors in tests/data: inputs, cotangents and expected results of every operation. data/README.md
// describes the files. A test asks for the cases of an operation and compares:
//
//     for (auto const& c : reference::cases("unary", "tanh")) {
//         auto const x = c.in("x").as<double>();
//         ...
//         CHECK(reference::check_close(c.out(), y, c, "out") == "");
//         CHECK(reference::check_close(c.grad("x"), dx, c, "grad x") == "");
//     }

#include "support/reference_file.hpp"

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace reference {

/// The cases of a family ("unary", "unary_f32", ...), read once.
std::vector<test_case> const& family(std::string_view name);

/// The cases of one operation; there is at least one, so that a misspelt name cannot pass for a test.
std::vector<test_case> cases(std::string const& family_name, std::string_view op);

/// |x - e| <= atol + rtol |e|, or both NaN, or the same infinity.
bool close(double expected, double actual, double rtol, double atol);

/// "" when every element is close; otherwise a sentence naming the first that is not, and how many there are.
std::string check_close(tensor const& expected, double const* actual, std::size_t count, double rtol, double atol,
                        std::string_view what);
std::string check_close(tensor const& expected, float const* actual, std::size_t count, double rtol, double atol,
                        std::string_view what);
template <class T>
std::string check_close(tensor const& expected, T const* actual, std::size_t count, double rtol, double atol,
                        std::string_view what) {
    std::vector<double> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<double>(actual[i]);
    return check_close(expected, numbers.data(), count, rtol, atol, what);
}

/// How an error of a case begins: with its id.
std::string name_of(test_case const& c, std::string_view what);

/// The same for anything contiguous (a vector, an array, a tensor) or a single number, with the tolerances of the case;
/// the sentence begins with the case's id.
template <class Actual>
std::string check_close(tensor const& expected, Actual const& actual, test_case const& c, std::string_view what) {
    std::string const name = name_of(c, what);
    if constexpr (std::is_arithmetic_v<Actual>) return check_close(expected, &actual, 1, c.rtol, c.atol, name);
    else return check_close(expected, std::data(actual), std::size(actual), c.rtol, c.atol, name);
}

}  // namespace reference
