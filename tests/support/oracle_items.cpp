// SPDX-License-Identifier: MIT
// The loops of operations' own that the oracle knows, on one item and on many.

#include "support/oracle_items.hpp"
#include "support/oracle_loops.hpp"
#include "support/oracle_nodes.hpp"

namespace oracle {
namespace {

/// Losses that copy computed class indices to look at them.
bool is_class_index(std::string const& name) {
    for (char const* known : {"one_hot", "nll", "cross_entropy", "multi_margin", "fused_linear_cross_entropy"})
        if (name == known) return true;
    return false;
}
/// What a write-back makes of a loop's result: a number of each channel is added, and below 0 there may be 0.
array written_back(array y, array const& number, bool rectifies) {
    places const from = stretched(number.shape, y.shape);
    for (std::size_t i = 0; i < y.size(); ++i) {
        long double const sum = y.real[i] + number.real[from[i]];
        double const e = y.error_of(i) + number.error_of(from[i]);
        y.set_error(i, e + roundoff(y.type) * static_cast<double>(std::abs(sum)));
        y.real[i] = rectifies && sum < 0 ? 0 : sum;
    }
    return y;
}
std::vector<array> loop(graph::node const& n, std::vector<array const*> const& in, lengths const& s) {
    if (n.op->is_finished) {
        auto const known = window_loops();
        std::vector<array const*> const without(in.begin(), in.end() - 1);
        auto const plain = known.find(operation_key{n.op->name, n.arity() - 1});
        if (plain == known.end()) throw error("the oracle does not know the loop before a write-back, " + name_of(n));
        return {written_back(plain->second(loop_call{without, n.attr, s, n.type, n.op->parameters}).at(0), *in.back(),
                             n.attr.rectifies())};
    }
    auto const found = loops().find(key_of(n));
    loop_call const call{in, n.attr, s, n.type, n.op->parameters};
    if (found != loops().end()) return found->second(call);
    static std::map<operation_key, loop_function> const others[] = {loss_loops(), linalg_loops(), window_loops()};
    for (auto const& some : others)
        if (auto const own = some.find(key_of(n)); own != some.end()) return own->second(call);
    if (n.arity() == 1 && !is_real(n.type) && in[0]->shape == s && is_class_index(n.op->name)) return {*in[0]};
    throw error("the oracle does not know the loop " + name_of(n));
}
}  // namespace

/// Of many items along leading axes, each by itself; numbers have no such axes.
std::vector<array> each_item(graph::node const& n, int items, std::vector<array const*> const& in,
                                    std::vector<char> const& fixed, lengths const& s) {
    if (items == 0) return loop(n, in, s);
    lengths const one(s.begin() + 1, s.end());
    std::vector<array> all;
    for (std::int64_t k = 0; k < s.at(0); ++k) {
        std::vector<array> arrays(in.size());
        std::vector<array const*> of(in);
        for (std::size_t j = 0; j < in.size(); ++j)
            if (!fixed[j]) {
                arrays[j] = item(*in[j], k);
                of[j] = &arrays[j];
            }
        std::vector<array> const made = each_item(n, items - 1, of, fixed, one);
        for (std::size_t p = 0; p < made.size(); ++p) {
            if (k == 0) {
                lengths whole = made[p].shape;
                whole.insert(whole.begin(), s[0]);
                all.push_back(array(made[p].type, whole));
            }
            set_item(all[p], k, made[p]);
        }
    }
    if (s[0] == 0) all.push_back(array(n.type, s));
    return all;
}

}  // namespace oracle
