// SPDX-License-Identifier: MIT
#pragma once
// Names, shapes and sizes of what is in a plan, as text.

#include <string>
#include <vector>

#include <tapeless/transform/grad.hpp>

namespace tapeless::detail::inline transform_part {

/// Writes what a program does with run-time extents of known length. (Here and where it is used, functions are
/// templates so that programs that explain nothing do not compile what puts text together.)
template <class Text>
class explainer {
public:
    /// `arguments` names the arrays that are handed in.
    explainer(node const* nodes, dims const* shapes, std::int64_t const* extents, std::vector<Text> arguments)
        : nodes_(nodes), shapes_(shapes), extents_(extents), arguments_(std::move(arguments)) {}

    std::int64_t length(std::int64_t e) const { return e >= 0 ? e : extents_[~e]; }
    Text shape(dims const& d) const {
        Text s = "(";
        for (int i = 0; i < d.rank; ++i) s += (i ? ", " : "") + std::to_string(length(d.extent[i]));
        return s + ")";
    }
    std::int64_t size(dims const& d) const {
        std::int64_t n = 1;
        for (int i = 0; i < d.rank; ++i) n *= length(d.extent[i]);
        return n;
    }
    Text node_name(int id) const {
        node const& n = nodes_[id];
        switch (n.kind) {
            case node_kind::argument: return "x" + argument(n.source);
            case node_kind::constant: return number(n.attr.value());
            case node_kind::extent: return "extent";
            case node_kind::coordinate: return "coordinate";
            case node_kind::blank: return "zeros";
            case node_kind::table: return "constants";
            default: return n.op->name;
        }
    }
    static Text number(double v) {
        Text s = std::to_string(v);
        while (s.back() == '0') s.pop_back();
        if (s.back() == '.') s.pop_back();
        return s;
    }
    static Text bytes(double b) {
        char const* unit[] = {" B", " KiB", " MiB", " GiB"};
        int u = 0;
        for (; b >= 10240 && u < 3; ++u) b /= 1024;
        return std::to_string(static_cast<long long>(b + 0.5)) + unit[u];
    }
    Text const& argument(int leaf) const { return arguments_[static_cast<std::size_t>(leaf)]; }
    node const& at(int id) const { return nodes_[id]; }
    dims const& shape_of(int id) const { return shapes_[nodes_[id].shape]; }

private:
    node const* nodes_;
    dims const* shapes_;
    std::int64_t const* extents_;
    std::vector<Text> arguments_;
};

/// The arrays that are handed in as the user counts them: by argument, and within one that is a tree, "1, array 0".
/// The inputs of bodies are counted one by one.
template <class Source>
std::vector<std::string> argument_names() {
    std::vector<std::string> names;
    for (int leaf = 0; leaf < Source::leaves; ++leaf) {
        int const argument = Source::argument_of(leaf);
        int first = leaf, last = leaf;
        while (argument >= 0 && first > 0 && Source::argument_of(first - 1) == argument) --first;
        while (argument >= 0 && last + 1 < Source::leaves && Source::argument_of(last + 1) == argument) ++last;
        names.push_back(std::to_string(argument < 0 ? leaf : argument));
        if (first < last) names.back() += ", array " + std::to_string(leaf - first);
    }
    return names;
}

template <class Text>
Text place_text(explainer<Text> const& e, place const& p) {
    char const* kind[] = {"argument ", "result ", "buffer ", "panel "};
    if (p.where == memory::panel) return "the product";
    if (p.where == memory::constants) return Text("constants ") + name_of(p.type) + e.shape(e.shape_of(p.node));
    Text const which = p.where == memory::argument ? e.argument(p.index) : std::to_string(p.index);
    return kind[static_cast<int>(p.where)] + which + " " + name_of(p.type) + e.shape(e.shape_of(p.node)) +
           (p.dense ? "" : " strided");
}

}  // namespace tapeless::detail::transform_part
