// SPDX-License-Identifier: MIT
// Reductions along axes of 0, 1, 2 and 3 elements.

#include <algorithm>
#include <numeric>

#include "usage/short_axes.hpp"

using namespace short_axes;

namespace {

struct reduction {
    static constexpr bool each = false, refused = false;
};
struct sum_of : reduction {
    template <int... A>
    static constexpr auto along(auto x) { return sum<A...>(x); }
};
struct mean_of : reduction {
    template <int... A>
    static constexpr auto along(auto x) { return mean<A...>(x); }
};
struct product_of : reduction {
    template <int... A>
    static constexpr auto along(auto x) { return prod<A...>(x); }
};
struct highest : reduction {
    static constexpr bool refused = true;
    template <int... A>
    static constexpr auto along(auto x) { return max<A...>(x); }
};
struct lowest : reduction {
    static constexpr bool refused = true;
    template <int... A>
    static constexpr auto along(auto x) { return min<A...>(x); }
};
struct variance : reduction {
    template <int... A>
    static constexpr auto along(auto x) { return var<A...>(x, {.correction = 0}); }
};
struct exponentials : reduction {
    template <int... A>
    static constexpr auto along(auto x) { return logsumexp<A...>(x); }
};
struct length : reduction {
    template <int... A>
    static constexpr auto along(auto x) { return norm<A...>(x); }
};

double total(slice const& x) { return std::accumulate(x.begin(), x.end(), 0.0); }
double average(slice const& x) { return total(x) / static_cast<double>(x.size()); }
double squares(slice const& x, double from) {
    double s = 0;
    for (double v : x) s += (v - from) * (v - from);
    return s;
}
double exponential_sum(slice const& x) {
    double s = 0;
    for (double v : x) s += std::exp(v);
    return s;
}

}  // namespace

TEST_CASE("short axes: sum and mean") {
    sweep<sum_of>([](slice const& x) { return slice{total(x)}; });
    sweep<mean_of>([](slice const& x) { return slice{average(x)}; });
}

TEST_CASE("short axes: prod") {
    sweep<product_of>(
        [](slice const& x) { return slice{std::accumulate(x.begin(), x.end(), 1.0, std::multiplies<>{})}; });
}

TEST_CASE("short axes: max and min") {
    sweep<highest>([](slice const& x) { return slice{*std::max_element(x.begin(), x.end())}; });
    sweep<lowest>([](slice const& x) { return slice{*std::min_element(x.begin(), x.end())}; });
}

TEST_CASE("short axes: var") {
    sweep<variance>([](slice const& x) { return slice{squares(x, average(x)) / static_cast<double>(x.size())}; });
}

TEST_CASE("short axes: logsumexp and norm") {
    sweep<exponentials>([](slice const& x) { return slice{std::log(exponential_sum(x))}; });
    sweep<length>([](slice const& x) { return slice{std::sqrt(squares(x, 0))}; });
}
