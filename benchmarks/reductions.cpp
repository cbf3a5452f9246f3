// SPDX-License-Identifier: MIT
// Are reductions over inner, outer and middle axes as fast as over contiguous elements? A million elements as one
// vector, as (1000, 1000) along each axis and as (100, 100, 100) along the middle and the first one, on one thread:
//
//   bench_reductions [--only NAME]
//
// Nanoseconds a thousand elements for the vector, then the ratios to it: 1.3 is as much as an axis may cost. softmax,
// which needs its rows in the cache, is compared with the rows of (1000, 1000).

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "support/measure.hpp"

namespace {

namespace ad = tapeless;
using ad::dyn;

struct sum_of {
    static constexpr char const* name = "sum";
    template <int... Axis>
    static constexpr auto of(auto x) { return sum<Axis...>(x); }
};
struct mean_of {
    static constexpr char const* name = "mean";
    template <int... Axis>
    static constexpr auto of(auto x) { return mean<Axis...>(x); }
};
struct max_of {
    static constexpr char const* name = "max";
    template <int... Axis>
    static constexpr auto of(auto x) { return max<Axis...>(x); }
};
struct prod_of {
    static constexpr char const* name = "prod";
    template <int... Axis>
    static constexpr auto of(auto x) { return prod<Axis...>(x); }
};
struct var_of {
    static constexpr char const* name = "var";
    template <int... Axis>
    static constexpr auto of(auto x) { return var<Axis...>(x); }
};
struct logsumexp_of {
    static constexpr char const* name = "logsumexp";
    template <int... Axis>
    static constexpr auto of(auto x) { return logsumexp<Axis...>(x); }
};
struct softmax_of {
    static constexpr char const* name = "softmax";
    template <int Axis>
    static constexpr auto of(auto x) { return softmax<Axis>(x); }
};

template <class Op, int... Axis>
struct along {
    constexpr auto operator()(auto x) const { return Op::template of<Axis...>(x); }
};

template <class T, auto... E>
auto filled(auto... lengths) {
    ad::tensor<T, E...> x(static_cast<std::size_t>(lengths)...);
    std::size_t i = 0;
    for (auto& v : x) v = static_cast<T>(1 + 0.001 * std::sin(0.7 * static_cast<double>(i++)));
    return x;
}
/// A call that writes its result where it wrote the last one.
template <class Op, int... Axis, class X>
auto call(X const& x) {
    return [f = ad::fused(along<Op, Axis...>{}), y = ad::evaluate(along<Op, Axis...>{}, x), &x]() mutable {
        f(ad::into(y), x);
        if constexpr (std::is_arithmetic_v<decltype(y)>) return y;
        else return y.data()[0];
    };
}

template <class T, class Op>
void report(char const* type) {
    auto const vector = filled<T, dyn>(1'000'000);
    auto const matrix = filled<T, dyn, dyn>(1000, 1000);
    auto const cube = filled<T, dyn, dyn, dyn>(100, 100, 100);
    if constexpr (std::is_same_v<Op, softmax_of>) {
        auto const ns = least_of_each(call<Op, 1>(matrix), call<Op, 0>(matrix), call<Op, 1>(cube), call<Op, 0>(cube));
        std::printf("%-10s %-7s %10.1f %10s %10s %10.2f %10.2f %10.2f\n", Op::name, type, ns[0] / 1000, "", "1",
                    ns[1] / ns[0], ns[2] / ns[0], ns[3] / ns[0]);
    } else {
        auto const ns = least_of_each(call<Op>(vector), call<Op, 1>(matrix), call<Op, 0>(matrix), call<Op, 1>(cube),
                                      call<Op, 0>(cube));
        std::printf("%-10s %-7s %10.1f %10s %10.2f %10.2f %10.2f %10.2f\n", Op::name, type, ns[0] / 1000, "1",
                    ns[1] / ns[0], ns[2] / ns[0], ns[3] / ns[0], ns[4] / ns[0]);
    }
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    char const* only = argc == 3 && !std::strcmp(argv[1], "--only") ? argv[2] : nullptr;
    std::printf("%-10s %-7s %10s %10s %10s %10s %10s %10s\n", "", "", "ns/1000", "vector", "rows", "columns", "middle",
                "first");
    auto both = [&]<class Op>() {
        if (only && std::strcmp(only, Op::name) != 0) return;
        report<float, Op>("float");
        report<double, Op>("double");
    };
    both.template operator()<sum_of>();
    both.template operator()<mean_of>();
    both.template operator()<max_of>();
    both.template operator()<prod_of>();
    both.template operator()<var_of>();
    both.template operator()<logsumexp_of>();
    both.template operator()<softmax_of>();
}
