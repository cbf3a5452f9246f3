// SPDX-License-Identifier: MIT
#pragma once
// Calls on several threads, compared bit by bit with the same call on one.

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <support/catch.hpp>
#include <tapeless/tapeless.hpp>
#include <threads/bytes_of.hpp>

namespace tests {

namespace ad = tapeless;

/// step(a...) on 2, 3 and 5 threads gives what it does on one; and nothing is allocated by then.
template <class Step, class... A>
void same_on_all_threads(Step step, A const&... a) {
    step.threads(1);
    std::string const one = bytes_of(step(a...));
    for (int n : {2, 3, 5}) {
        step.threads(n);
        CAPTURE(n);
        CHECK(bytes_of(step(a...)) == one);
        CHECK(bytes_of(step(a...)) == one);
    }
}

/// Arrays of random numbers.
struct random_arrays {
    std::mt19937 rng{7};
    template <class T = float>
    ad::tensor<T, ad::dyn> vector(std::int64_t n) {
        ad::tensor<T, ad::dyn> x(n);
        ad::fill_normal(x, rng);
        return x;
    }
    template <class T = float>
    ad::tensor<T, ad::dyn, ad::dyn> matrix(std::int64_t m, std::int64_t n) {
        ad::tensor<T, ad::dyn, ad::dyn> x(m, n);
        ad::fill_normal(x, rng);
        return x;
    }
    template <class T = float>
    ad::tensor<T, ad::dyn, ad::dyn, ad::dyn> cube(std::int64_t l, std::int64_t m, std::int64_t n) {
        ad::tensor<T, ad::dyn, ad::dyn, ad::dyn> x(l, m, n);
        ad::fill_normal(x, rng);
        return x;
    }
    ad::tensor<std::int64_t, ad::dyn> labels(std::int64_t n, std::int64_t classes) {
        ad::tensor<std::int64_t, ad::dyn> x(n);
        ad::fill_uniform(x, rng, 0, static_cast<double>(classes));
        return x;
    }
};

}  // namespace tests
