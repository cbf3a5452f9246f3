// SPDX-License-Identifier: MIT
// How the files of reference vectors are read.

#include "support/reference_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace reference {

template std::vector<float> tensor::as() const;
template std::vector<double> tensor::as() const;

double tensor::item() const {
    if (values.size() != 1) throw std::runtime_error("reference: item() of an array that is not a scalar");
    return values[0];
}

test_case::test_case() = default;
test_case::test_case(test_case const&) = default;
test_case::test_case(test_case&&) noexcept = default;
test_case& test_case::operator=(test_case const&) = default;
test_case& test_case::operator=(test_case&&) noexcept = default;
test_case::~test_case() = default;

bool test_case::has_tag(std::string_view tag) const {
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
}
bool test_case::has(std::string const& kind, std::string const& name) const {
    auto const k = tensors.find(kind);
    return k != tensors.end() && k->second.contains(name);
}
tensor const& test_case::get(std::string const& kind, std::string const& name) const {
    if (!has(kind, name)) throw std::runtime_error(id + ": no " + kind + " " + name);
    return tensors.at(kind).at(name);
}
tensor const& test_case::in(std::string const& name) const { return get(has("const", name) ? "const" : "in", name); }

bool test_case::has_parameter(std::string const& name) const { return parameters.contains(name); }
parameter const& test_case::get_parameter(std::string const& name) const {
    auto const p = parameters.find(name);
    if (p == parameters.end()) throw std::runtime_error(id + ": no parameter " + name);
    return p->second;
}
std::int64_t test_case::integer(std::string const& name) const { return get_parameter(name).integers.at(0); }

std::size_t elements_of(tensor const& t) {
    std::int64_t count = 1;
    for (auto e : t.shape) count *= e;
    return static_cast<std::size_t>(count);
}
double fill_value(std::size_t i, std::string_view dtype, std::int64_t salt, double scale) {
    constexpr std::int64_t prime = 1000037;
    std::int64_t const r = (static_cast<std::int64_t>(i) * 7919 + 104729 * salt) % prime, k = r * r % prime * r % prime;
    if (dtype == "i64") return static_cast<double>(k % static_cast<std::int64_t>(scale));
    double const x = (static_cast<double>(k) / static_cast<double>(prime) - 0.5) * scale;
    return dtype == "f32" ? static_cast<double>(static_cast<float>(x)) : x;
}

namespace {

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

parameter read_parameter(line_reader& line) {
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

tensor read_shape(line_reader& line) {
    tensor t;
    t.dtype = line.word();
    for (std::int64_t rank = line.integer(); rank > 0; --rank) t.shape.push_back(line.integer());
    return t;
}

tensor read_tensor(line_reader& line) {
    tensor t = read_shape(line);
    std::size_t const count = elements_of(t);
    t.values.reserve(count);
    bool const is_float = t.dtype == "f32";  // a decimal number rounded to double and then to float may be one ulp off
    while (t.values.size() < count) t.values.push_back(line.number(is_float));
    line.expect_end();
    return t;
}

tensor read_fill(line_reader& line) {
    tensor t = read_shape(line);
    std::int64_t const salt = line.integer();
    double const scale = line.number();
    line.expect_end();
    t.values.resize(elements_of(t));
    for (std::size_t i = 0; i < t.values.size(); ++i) t.values[i] = fill_value(i, t.dtype, salt, scale);
    return t;
}
tensor read_summary(line_reader& line) {
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
void read_sample(line_reader& line, tensor& t) {
    if (!t.in_short) throw std::runtime_error("a sample of an array that has no stat record");
    auto const i = static_cast<std::size_t>(line.integer());
    if (i >= elements_of(t)) throw std::runtime_error("a sample beyond the array");
    t.in_short->samples[i] = line.number(t.dtype == "f32");
    line.expect_end();
}

}  // namespace

std::vector<test_case> read(std::string const& path) {
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
            line_reader line(content.data() + begin, content.data() + end);
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
                c.parameters[name] = read_parameter(line);
            } else if (key == "end") {
                cases.push_back(std::move(c));
                c = test_case{};
            } else if (key == "eof") {
                declared = line.integer();
            } else if (key == "stat" || key == "sample") {
                std::string const kind{line.word()}, name{line.word()};
                tensor& t = c.tensors[kind][name];
                if (key == "stat") t = read_summary(line);
                else read_sample(line, t);
            } else {
                bool const by_formula = key.starts_with("fill");
                std::string const kind{key == "fill" ? "in" : by_formula ? key.substr(4) : key}, name{line.word()};
                if (kind == "in" || kind == "const") c.inputs.push_back(name);
                c.tensors[kind][name] = by_formula ? read_fill(line) : read_tensor(line);
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
