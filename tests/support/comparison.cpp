// SPDX-License-Identifier: MIT
// How results are compared: by the oracle's bounds of errors, and with central differences.

#include "support/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace oracle {
namespace {

constexpr double tolerance = 4;  ///< errors of the oracle, which are estimates to first order

struct range {
    long double smallest, largest;
};
range range_of(dtype type) {
    switch (type) {
        case dtype::f32: return {std::numeric_limits<float>::min(), std::numeric_limits<float>::max()};
        case dtype::f64: return {std::numeric_limits<double>::min(), std::numeric_limits<double>::max()};
        case dtype::f16: return {0x1p-24L, 65504};
        case dtype::bf16: return {std::numeric_limits<float>::min(), std::numeric_limits<float>::max()};
        default: return {0, std::numeric_limits<long double>::max()};
    }
}

bool is_close(long double is, long double should, double error, dtype type) {
    if (error == unknown) return true;
    if (std::isnan(should)) return std::isnan(is);
    range const r = range_of(type);
    if (std::abs(should) > r.largest) return is == should || (std::abs(is) > r.largest / 2 && (is > 0) == (should > 0));
    if (is == should) return true;
    return std::abs(is - should) <= tolerance * static_cast<long double>(error) + r.smallest;
}

}  // namespace

std::string difference(array const& is, array const& should) {
    std::ostringstream s;
    s.precision(20);
    if (is.size() != should.size()) {
        s << "has the shape " << text_of(is.shape) << " instead of " << text_of(should.shape);
        return s.str();
    }
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = 0; i < is.size(); ++i) {
        if (is_close(is.number(i), should.number(i), is.error_of(i) + should.error_of(i), should.type)) continue;
        if (wrong++ == 0) first = i;
    }
    if (wrong == 0) return "";
    lengths at(should.shape.size());
    std::int64_t rest = static_cast<std::int64_t>(first);
    for (std::size_t a = at.size(); a-- > 0; rest /= should.shape[a]) at[a] = rest % should.shape[a];
    s << "is " << is.number(first) << " instead of " << should.number(first) << " at " << text_of(at) << " of "
      << text_of(should.shape) << " (tolerance " << tolerance * (is.error_of(first) + should.error_of(first))
      << "), wrong are " << wrong;
    return s.str();
}

void report::add(std::string const& what, std::string const& how) {
    if (how.empty()) return;
    if (++lines_ <= 8) text_ += what + " " + how + "\n";
}
void report::compare(std::string const& what, std::vector<array> const& is, std::vector<array> const& should,
                     std::size_t values) {
    if (is.size() != should.size())
        return add(what,
                   "makes " + std::to_string(is.size()) + " results instead of " + std::to_string(should.size()));
    for (std::size_t k = 0; k < is.size(); ++k)
        add(what + ": " + (k < values ? "value " + std::to_string(k) : "gradient " + std::to_string(k - values)),
            difference(is[k], should[k]));
}
std::vector<array> report::check(char const* name, std::vector<stage> const& stages, bool passes,
                                 std::vector<array> const& arguments, std::vector<array> const& is,
                                 std::size_t values) {
    std::vector<array> const should = evaluate(stages[0].made, arguments);
    compare(name, is, should, values);
    for (std::size_t s = 1; passes && s < stages.size(); ++s)
        compare(std::string("oracle after ") + stages[s].pass + " for " + name,
                evaluate(stages[s].made, arguments), should, values);
    return should;
}

void report::compare_with_differences(graph::traced const& function, std::vector<array> arguments,
                                      graph::list<int> const& leaves, std::vector<array> const& results,
                                      std::size_t values) {
    for (int k = 0; k < leaves.size(); ++k) {
        array& x = arguments[static_cast<std::size_t>(leaves[k])];
        array const& g = results[values + static_cast<std::size_t>(k)];
        long double const coarse = x.type == dtype::f64 ? 1e-7L : 1e-4L;  // constants in a rule are of the element type
        long double size = 0;
        for (long double v : g.real) size = std::max(size, std::abs(v));
        for (std::size_t i = 0; i < x.size(); ++i) {
            long double const was = x.real[i], h = 1e-5L * std::max(1.0L, std::abs(was));
            x.real[i] = was + h;
            long double const up = evaluate(function, arguments)[0].real.at(0);
            x.real[i] = was - h;
            long double const down = evaluate(function, arguments)[0].real.at(0);
            x.real[i] = was;
            long double const slope = (up - down) / (2 * h);
            if (!std::isfinite(slope)) continue;  // such as the mean of nothing
            if (std::abs(slope - g.real[i]) <=
                coarse * (std::abs(slope) + size + 1e-3L) + static_cast<long double>(g.error_of(i)))
                continue;
            std::ostringstream s;
            s.precision(12);
            s << "is " << g.real[i] << " instead of " << slope << " at element " << i;
            add("central differences: gradient " + std::to_string(k), s.str());
            break;
        }
    }
}

void report::compare_with_differences_in(std::vector<array> const& direction, graph::traced const& function,
                                         std::vector<array> const& arguments, graph::list<int> const& leaves,
                                         std::vector<array> const& tangents) {
    auto moved = [&](long double h) {
        std::vector<array> x = arguments;
        for (int k = 0; k < leaves.size(); ++k) {
            array const& by = direction[static_cast<std::size_t>(k)];
            array& to = x[static_cast<std::size_t>(leaves[k])];
            for (std::size_t i = 0; i < by.size(); ++i) to.real[i] += h * by.real[i];
        }
        return evaluate(function, x);
    };
    long double const h = 1e-5L;
    std::vector<array> const up = moved(h), down = moved(-h);
    for (std::size_t k = 0; k < tangents.size(); ++k)
        for (std::size_t i = 0; i < tangents[k].real.size(); ++i) {
            long double const slope = (up[k].real[i] - down[k].real[i]) / (2 * h),
                              coarse = tangents[k].type == dtype::f64 ? 1e-7L : 1e-4L;
            long double const is = tangents[k].real[i];
            if (!std::isfinite(slope) || std::abs(slope - is) <= coarse * (1 + std::abs(slope))) continue;
            std::ostringstream s;
            s.precision(12);
            s << "is " << is << " instead of " << slope << " at element " << i;
            add("central differences: tangent " + std::to_string(k), s.str());
            break;
        }
}

std::string report::text() const {
    return lines_ > 8 ? text_ + "... and " + std::to_string(lines_ - 8) + " more\n" : text_;
}

}  // namespace oracle
