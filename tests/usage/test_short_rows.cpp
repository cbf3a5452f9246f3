// SPDX-License-Identifier: MIT
// Operations that give an element for each along axes of 0, 1, 2 and 3 elements.

#include <numeric>

#include "usage/short_axes.hpp"

using namespace short_axes;

namespace {

struct elements {
    static constexpr bool each = true, refused = false;
};
struct shares : elements {
    template <int A>
    static constexpr auto along(auto x) { return softmax<A>(x); }
};
struct log_shares : elements {
    template <int A>
    static constexpr auto along(auto x) { return log_softmax<A>(x); }
};
struct so_far : elements {
    template <int A>
    static constexpr auto along(auto x) { return ad::cumsum<A>(x); }
};
struct backwards : elements {
    template <int A>
    static constexpr auto along(auto x) { return ad::flip<A>(x) * x; }
};
struct around : elements {
    template <int A>
    static constexpr auto along(auto x) { return ad::roll<A>(x, 2) + x; }
};

slice softmax_of(slice x) {
    double s = 0;
    for (double& v : x) s += v = std::exp(v);
    for (double& v : x) v /= s;
    return x;
}

}  // namespace

TEST_CASE("short axes: softmax and log_softmax") {
    sweep<shares>(softmax_of);
    sweep<log_shares>([](slice const& x) {
        slice y = softmax_of(x);
        for (double& v : y) v = std::log(v);
        return y;
    });
}

TEST_CASE("short axes: cumsum") {
    sweep<so_far>([](slice x) {
        std::partial_sum(x.begin(), x.end(), x.begin());
        return x;
    });
}

TEST_CASE("short axes: flip and roll") {
    sweep<backwards>([](slice const& x) {
        slice y(x.size());
        for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * x[x.size() - 1 - i];
        return y;
    });
    sweep<around>([](slice const& x) {
        slice y = x;
        for (std::size_t i = 0; i < x.size(); ++i) y[(i + 2) % x.size()] += x[i];
        return y;
    });
}
