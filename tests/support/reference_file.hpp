// SPDX-License-Identifier: MIT
#pragma once
// The files of reference vectors, as data/README.md describes them: cases, and how they are read.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reference {

/// What is known of a long result: three sums over its elements, and some of the elements.
struct summary {
    // of the elements, of their absolute values, of their products with numbers by formula
    double sum = 0, abs = 0, dot = 0;
    std::int64_t salt = 0;
    std::map<std::size_t, double> samples;
};

/// An array of any dtype (f64, f32, i64, b8), row-major. Doubles hold every value the files contain exactly.
struct tensor {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::vector<double> values;
    std::optional<summary> in_short = {};  // instead of values

    std::size_t rank() const { return shape.size(); }
    std::size_t size() const { return values.size(); }
    std::size_t extent(std::size_t axis) const { return static_cast<std::size_t>(shape.at(axis)); }

    /// The values as numbers of type T; std::vector<bool> has no data(), so ask for b8 as unsigned char or copy it.
    template <class T>
    std::vector<T> as() const {
        std::vector<T> result;
        result.reserve(values.size());
        for (double v : values) result.push_back(static_cast<T>(v));
        return result;
    }

    /// A scalar's value.
    double item() const;
};
extern template std::vector<float> tensor::as() const;
extern template std::vector<double> tensor::as() const;

/// A parameter of an operation: an integer or flag (type i, b), a number (f), a word (s) or a list of integers (I).
struct parameter {
    char type = 0;
    double number = 0;
    std::string word;
    std::vector<std::int64_t> integers;  // one for i and b
};

struct test_case {
    std::string id, op, note;
    std::vector<std::string> tags;
    std::map<std::string, parameter> parameters;
    std::map<std::string, std::map<std::string, tensor>> tensors;  // kind (in const cot out grad ...), name
    std::vector<std::string> inputs;                               // names of in and const, in the order of the file
    double rtol = 0, atol = 0;

    // (defined where all else is: in every test these would be maps of maps)
    test_case();
    test_case(test_case const&);
    test_case(test_case&&) noexcept;
    test_case& operator=(test_case const&);
    test_case& operator=(test_case&&) noexcept;
    ~test_case();

    bool has_tag(std::string_view tag) const;
    bool has(std::string const& kind, std::string const& name) const;
    tensor const& get(std::string const& kind, std::string const& name) const;
    /// An input, whether a gradient is expected for it or not.
    tensor const& in(std::string const& name) const;
    tensor const& out(std::string const& name = "out") const { return get("out", name); }
    tensor const& cot(std::string const& name = "out") const { return get("cot", name); }
    tensor const& grad(std::string const& name) const { return get("grad", name); }

    bool has_parameter(std::string const& name) const;
    parameter const& get_parameter(std::string const& name) const;
    double number(std::string const& name) const { return get_parameter(name).number; }
    std::int64_t integer(std::string const& name) const;
    bool flag(std::string const& name) const { return integer(name) != 0; }
    std::vector<std::int64_t> const& integers(std::string const& name) const { return get_parameter(name).integers; }
    std::string const& word(std::string const& name) const { return get_parameter(name).word; }
};

/// Numbers by formula: cubes modulo a prime, all different for fewer elements than that.
double fill_value(std::size_t i, std::string_view dtype, std::int64_t salt, double scale);
/// How many elements an array of that shape has.
std::size_t elements_of(tensor const& t);

/// All cases of a file.
std::vector<test_case> read(std::string const& path);

}  // namespace reference
