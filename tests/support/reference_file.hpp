// SPDX-License-Identifier: MIT
#pragma once
// The files of reference vectors, as data/README.md describes them: cases, and how they are read.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
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
    double item() const {
        if (values.size() != 1) throw std::runtime_error("reference: item() of an array that is not a scalar");
        return values[0];
    }
};

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

    bool has_tag(std::string_view tag) const {
        for (auto const& t : tags)
            if (t == tag) return true;
        return false;
    }

    bool has(std::string const& kind, std::string const& name) const {
        auto const k = tensors.find(kind);
        return k != tensors.end() && k->second.contains(name);
    }
    tensor const& get(std::string const& kind, std::string const& name) const {
        if (!has(kind, name)) throw std::runtime_error(id + ": no " + kind + " " + name);
        return tensors.at(kind).at(name);
    }
    /// An input, whether a gradient is expected for it or not.
    tensor const& in(std::string const& name) const { return get(has("const", name) ? "const" : "in", name); }
    tensor const& out(std::string const& name = "out") const { return get("out", name); }
    tensor const& cot(std::string const& name = "out") const { return get("cot", name); }
    tensor const& grad(std::string const& name) const { return get("grad", name); }

    bool has_parameter(std::string const& name) const { return parameters.contains(name); }
    parameter const& get_parameter(std::string const& name) const {
        auto const p = parameters.find(name);
        if (p == parameters.end()) throw std::runtime_error(id + ": no parameter " + name);
        return p->second;
    }
    double number(std::string const& name) const { return get_parameter(name).number; }
    std::int64_t integer(std::string const& name) const { return get_parameter(name).integers.at(0); }
    bool flag(std::string const& name) const { return integer(name) != 0; }
    std::vector<std::int64_t> const& integers(std::string const& name) const { return get_parameter(name).integers; }
    std::string const& word(std::string const& name) const { return get_parameter(name).word; }
};

namespace detail {

// The words of one line. Numbers are read where they stand: the text is one string that ends in '\0', and strtod stops
// at the space or newline behind them.
class line_reader {
    void skip_spaces() {
        while (at_ < end_ && *at_ == ' ') ++at_;
    }
    auto read(auto parse) {
        skip_spaces();
        if (at_ == end_) throw std::runtime_error("the line is too short");  // else strtod would read the next one
        char* after = nullptr;
        auto const value = parse(at_, &after);
        if (after == at_) throw std::runtime_error("a number was expected");
        at_ = after;
        return value;
    }

public:
    line_reader(char const* begin, char const* end) : at_(begin), end_(end) {}

    std::string_view rest() const { return {at_, static_cast<std::size_t>(end_ - at_)}; }

    std::string_view word() {
        skip_spaces();
        char const* const begin = at_;
        while (at_ < end_ && *at_ != ' ') ++at_;
        if (at_ == begin) throw std::runtime_error("the line is too short");
        return {begin, static_cast<std::size_t>(at_ - begin)};
    }
    std::int64_t integer() {
        return read([](char const* s, char** e) { return std::strtoll(s, e, 10); });
    }
    double number(bool as_float = false) {
        if (as_float) return static_cast<double>(read([](char const* s, char** e) { return std::strtof(s, e); }));
        return read([](char const* s, char** e) { return std::strtod(s, e); });
    }
    void expect_end() {
        skip_spaces();
        if (at_ != end_) throw std::runtime_error("the line is too long");
    }

private:
    char const* at_;
    char const* end_;
};

inline parameter read_parameter(line_reader& line) {
    parameter p;
    p.type = line.word()[0];
    if (p.type == 'I') {
        for (std::int64_t n = line.integer(); n > 0; --n) p.integers.push_back(line.integer());
    } else if (p.type == 's') {
        p.word = line.word();
    } else {
        p.number = line.number();
        if (p.type != 'f') p.integers.push_back(static_cast<std::int64_t>(p.number));
    }
    line.expect_end();
    return p;
}

inline tensor read_shape(line_reader& line) {
    tensor t;
    t.dtype = line.word();
    for (std::int64_t rank = line.integer(); rank > 0; --rank) t.shape.push_back(line.integer());
    return t;
}
inline std::size_t elements_of(tensor const& t) {
    std::int64_t count = 1;
    for (auto e : t.shape) count *= e;
    return static_cast<std::size_t>(count);
}

inline tensor read_tensor(line_reader& line) {
    tensor t = read_shape(line);
    std::size_t const count = elements_of(t);
    t.values.reserve(count);
    bool const is_float = t.dtype == "f32";  // a decimal number rounded to double and then to float may be one ulp off
    while (t.values.size() < count) t.values.push_back(line.number(is_float));
    line.expect_end();
    return t;
}

/// Numbers by formula: cubes modulo a prime, all different for fewer elements than that.
inline double fill_value(std::size_t i, std::string_view dtype, std::int64_t salt, double scale) {
    constexpr std::int64_t prime = 1000037;
    std::int64_t const r = (static_cast<std::int64_t>(i) * 7919 + 104729 * salt) % prime, k = r * r % prime * r % prime;
    if (dtype == "i64") return static_cast<double>(k % static_cast<std::int64_t>(scale));
    double const x = (static_cast<double>(k) / static_cast<double>(prime) - 0.5) * scale;
    return dtype == "f32" ? static_cast<double>(static_cast<float>(x)) : x;
}
inline tensor read_fill(line_reader& line) {
    tensor t = read_shape(line);
    std::int64_t const salt = line.integer();
    double const scale = line.number();
    line.expect_end();
    t.values.resize(elements_of(t));
    for (std::size_t i = 0; i < t.values.size(); ++i) t.values[i] = fill_value(i, t.dtype, salt, scale);
    return t;
}
inline tensor read_summary(line_reader& line) {
    tensor t = read_shape(line);
    summary s;
    s.sum = line.number();
    s.abs = line.number();
    s.salt = line.integer();
    s.dot = line.number();
    line.expect_end();
    t.in_short = s;
    return t;
}
inline void read_sample(line_reader& line, tensor& t) {
    if (!t.in_short) throw std::runtime_error("a sample of an array that has no stat record");
    auto const i = static_cast<std::size_t>(line.integer());
    if (i >= elements_of(t)) throw std::runtime_error("a sample beyond the array");
    t.in_short->samples[i] = line.number(t.dtype == "f32");
    line.expect_end();
}

}  // namespace detail

/// All cases of a file.
inline std::vector<test_case> read(std::string const& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot open " + path);
    std::string const content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};

    std::vector<test_case> cases;
    test_case c;
    std::int64_t declared = -1;
    std::size_t number = 0;
    for (std::size_t begin = 0; begin < content.size();) {
        auto const end = std::min(content.find('\n', begin), content.size());
        ++number;
        try {
            detail::line_reader line(content.data() + begin, content.data() + end);
            auto const key = line.word();
            if (key == "gradref") {
                if (line.integer() != 1) throw std::runtime_error("a format version other than 1");
            } else if (key == "case") {
                c = test_case{};
                c.id = line.word();
            } else if (key == "op") {
                c.op = line.word();
            } else if (key == "note") {
                c.note = line.rest().substr(line.rest().empty() ? 0 : 1);
            } else if (key == "tag") {
                c.tags.emplace_back(line.word());
            } else if (key == "tol") {
                c.rtol = line.number();
                c.atol = line.number();
            } else if (key == "param") {
                std::string const name{line.word()};
                c.parameters[name] = detail::read_parameter(line);
            } else if (key == "end") {
                cases.push_back(std::move(c));
                c = test_case{};
            } else if (key == "eof") {
                declared = line.integer();
            } else if (key == "stat" || key == "sample") {
                std::string const kind{line.word()}, name{line.word()};
                tensor& t = c.tensors[kind][name];
                if (key == "stat") t = detail::read_summary(line);
                else detail::read_sample(line, t);
            } else {
                bool const by_formula = key.starts_with("fill");
                std::string const kind{key == "fill" ? "in" : by_formula ? key.substr(4) : key}, name{line.word()};
                if (kind == "in" || kind == "const") c.inputs.push_back(name);
                c.tensors[kind][name] = by_formula ? detail::read_fill(line) : detail::read_tensor(line);
            }
        } catch (std::exception const& error) {
            throw std::runtime_error(path + ":" + std::to_string(number) + ": " + error.what());
        }
        begin = end + 1;
    }
    if (declared != static_cast<std::int64_t>(cases.size())) throw std::runtime_error(path + " is cut short");
    return cases;
}

}  // namespace reference
