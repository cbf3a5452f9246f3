// SPDX-License-Identifier: MIT
// Arrays of the oracle: where their elements are, and what is made of them.

#include "support/oracle_array.hpp"

#include <utility>

template class std::vector<oracle::array>;

namespace oracle {

std::string text_of(lengths const& shape) {
    std::string s;
    for (std::int64_t e : shape) s += (s.empty() ? "" : ", ") + std::to_string(e);
    return "(" + s + ")";
}

places walk(lengths const& shape, lengths const& stride, std::int64_t start) {
    places p{static_cast<std::size_t>(start)};
    for (std::size_t a = 0; a < shape.size(); ++a) {
        places longer;
        longer.reserve(p.size() * static_cast<std::size_t>(shape[a]));
        for (std::size_t base : p)
            for (std::int64_t i = 0; i < shape[a]; ++i)
                longer.push_back(base + static_cast<std::size_t>(i * stride[a]));
        p = std::move(longer);
    }
    return p;
}

lengths strides_of(lengths const& shape) {
    lengths s(shape.size(), 1);
    for (std::size_t a = shape.size(); a-- > 1;) s[a - 1] = s[a] * shape[a];
    return s;
}
lengths stretched_strides(lengths const& from, lengths const& to) {
    lengths const own = strides_of(from);
    lengths s(to.size(), 0);
    if (from.size() > to.size()) {
        for (std::size_t a = 0; a + to.size() < from.size(); ++a)
            if (from[a] != 1) throw error(text_of(from) + " does not stretch to " + text_of(to));
    }
    for (std::size_t k = 0; k < to.size() && k < from.size(); ++k) {
        std::size_t const f = from.size() - 1 - k, t = to.size() - 1 - k;
        if (from[f] == 1) continue;
        if (from[f] != to[t]) throw error(text_of(from) + " does not stretch to " + text_of(to));
        s[t] = own[f];
    }
    return s;
}
places stretched(lengths const& from, lengths const& to) { return walk(to, stretched_strides(from, to)); }

array pick(array const& x, lengths const& shape, places const& at) {
    array y(x.type, shape);
    for (std::size_t i = 0; i < at.size(); ++i) {
        if (is_real(x.type)) y.real[i] = x.real.at(at[i]);
        else y.whole[i] = x.whole.at(at[i]);
        y.set_error(i, x.error_of(at[i]));
    }
    return y;
}
array reshaped(array x, lengths shape) {
    if (count(shape) != static_cast<std::int64_t>(x.size()))
        throw error(text_of(x.shape) + " has not as many elements as " + text_of(shape));
    x.shape = std::move(shape);
    return x;
}

array item(array const& x, std::int64_t k) {
    lengths const shape(x.shape.begin() + 1, x.shape.end());
    array y(x.type, shape);
    auto const n = y.size(), first = static_cast<std::size_t>(k) * n;
    for (std::size_t i = 0; i < n; ++i) {
        if (is_real(x.type)) y.real[i] = x.real.at(first + i);
        else y.whole[i] = x.whole.at(first + i);
        y.set_error(i, x.error_of(first + i));
    }
    return y;
}
void set_item(array& to, std::int64_t k, array const& x) {
    auto const n = x.size(), first = static_cast<std::size_t>(k) * n;
    for (std::size_t i = 0; i < n; ++i) {
        if (is_real(x.type)) to.real.at(first + i) = x.real[i];
        else to.whole.at(first + i) = x.whole[i];
        to.set_error(first + i, x.error_of(i));
    }
}

long double rounded(long double x, dtype type) {
    switch (type) {
        case dtype::f32: return static_cast<float>(x);
        case dtype::f64: return static_cast<double>(x);
        case dtype::f16: return static_cast<float>(tapeless::half(static_cast<double>(x)));
        case dtype::bf16: return static_cast<float>(tapeless::bfloat16(static_cast<double>(x)));
        case dtype::i32: return static_cast<long double>(static_cast<std::int32_t>(static_cast<std::int64_t>(x)));
        case dtype::i64: return static_cast<long double>(static_cast<std::int64_t>(x));
        default: return x != 0;
    }
}
std::int64_t wrapped(std::int64_t x, dtype type) {
    return type == dtype::i32 ? static_cast<std::int32_t>(x) : x;
}

}  // namespace oracle
