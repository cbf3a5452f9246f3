// SPDX-License-Identifier: MIT
#pragma once
// Compares a function mapped over items with the loop over the items.

#include <tapeless/tapeless.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <vector>

namespace ad = tapeless;

/// Numbers that differ, or small indices.
template <class T, auto... E>
ad::tensor<T, ad::dyn, E...> some(std::int64_t items, int seed, int below = 3) {
    ad::tensor<T, ad::dyn, E...> t(items);
    int k = seed * 101;
    for (T& v : t) {
        ++k;
        if constexpr (std::is_integral_v<T>) v = static_cast<T>((k * 7 + k / 3) % below);
        else v = static_cast<T>(std::sin(1.7 * k));
    }
    return t;
}

template <class T, auto... E>
auto item(ad::tensor<T, ad::dyn, E...> const& all, std::size_t i) {
    if constexpr (sizeof...(E) == 0) {
        return all(i);
    } else {
        ad::tensor<T, E...> one;
        std::copy_n(all.data() + i * one.size(), one.size(), one.data());
        return one;
    }
}

/// The largest distance between item i of the results and the results of item i, relative to numbers larger than 1.
template <class Y, class R>
double distance(Y const& all, R const& one, std::size_t i) {
    if constexpr (requires { std::tuple_size<Y>::value; }) {
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            return std::max({0.0, distance(std::get<K>(all), std::get<K>(one), i)...});
        }(std::make_index_sequence<std::tuple_size_v<Y>>{});
    } else {
        auto far = [](auto a, auto b) {
            double const x = static_cast<double>(a), y = static_cast<double>(b);
            if (x == y || (x != x && y != y)) return 0.0;
            double const d = std::abs(x - y) / std::max({1.0, std::abs(x), std::abs(y)});
            return d == d ? d : 1e30;
        };
        if constexpr (requires { one.size(); }) {
            if (all.size() != static_cast<std::size_t>(all.extent(0)) * one.size()) return 1e30;
            double worst = 0;
            for (std::size_t k = 0; k < one.size(); ++k)
                worst = std::max(worst, far(all.data()[i * one.size() + k], one.data()[k]));
            return worst;
        } else {
            return all.rank == 1 ? far(all.data()[i], one) : 1e30;
        }
    }
}

/// Results of all items against f of each item.
template <class Y, class F, class... A>
double worst_of_items(Y const& all, F& f, A const&... a) {
    double worst = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::get<0>(std::tie(a...)).extent(0)); ++i)
        worst = std::max(worst, distance(all, f(item(a, i)...), i));
    return worst;
}

/// A scalar that every element of f(x...) counts in.
template <class F>
struct weighted {
    template <class... X>
    constexpr auto operator()(X const&... x) const {
        auto const y = ad::let(F{}(x...));
        return sum(y * sin(1.0 + y));
    }
};
/// f and its gradient by the first argument, at one item.
template <class F>
struct with_gradient {
    template <class... X>
    constexpr auto operator()(X const&... x) const {
        return std::tuple(F{}(x...), ad::grad<0>(weighted<F>{})(x...));
    }
};
/// The sum over items of that scalar: its gradient is that of the items side by side.
template <class F>
struct total {
    template <class... X>
    constexpr auto operator()(X const&... x) const {
        return sum(ad::vmap(weighted<F>{})(x...));
    }
};
/// f, its gradient item by item, and (if Through) the gradient of the sum over all items, for several numbers of items.
template <bool Through = true, class F, class Make>
double worst_with_gradients(F, Make make) {
    auto mapped = ad::vmap(with_gradient<F>{});
    auto single = ad::fused(with_gradient<F>{});
    double worst = 0;
    for (std::int64_t n : {0, 1, 3, 4, 5, 33}) {
        auto one = [&](auto const&... a) {
            auto const all = mapped(a...);
            worst = std::max(worst, worst_of_items(all, single, a...));
            if constexpr (Through) {
                auto const through = ad::grad<0>(total<F>{})(a...);
                for (std::size_t i = 0; i < through.size(); ++i)
                    worst =
                        std::max(worst, std::abs(static_cast<double>(through.data()[i] - std::get<1>(all).data()[i])));
            }
        };
        std::apply(one, make(n));
    }
    return worst;
}
