// SPDX-License-Identifier: MIT
// nll and cross_entropy of class indices: reference vectors.

#include "functional/loss/class_cases.hpp"

using namespace reference;

namespace {

template <int Tenths, int Ignored = -100>
struct cross_entropy {
    static constexpr bool soft = false;
    template <reduction R>
    static constexpr auto of(auto x, auto t, auto... w) {
        return ad::loss::cross_entropy<R>(x, t, w..., {.ignore_index = Ignored, .label_smoothing = Tenths / 10.0});
    }
};
template <int Ignored = -100>
struct nll {
    static constexpr bool soft = false;
    template <reduction R>
    static constexpr auto of(auto x, auto t, auto... w) {
        return ad::loss::nll<R>(x, t, w..., {.ignore_index = Ignored});
    }
};

/// Classes in the middle are tried once without weights and once with; other such cases as rows.
template <class T>
void run_cross_entropy() {
    run_class_cases<T>("cross_entropy", [](test_case const& c, auto const&... w) {
        double const s = c.number("label_smoothing");
        if (c.integer("ignore_index") == 1) {
            if constexpr (sizeof...(w) == 1) run_class_case<T, 2, cross_entropy<0, 1>>(c, w...);
            else return false;
        } else if (s == 0 && c.in("input").rank() > 2) {
            run_class_case<T, 3, cross_entropy<0>>(c, w...);
        } else if (s == 0) {
            run_class_case<T, 2, cross_entropy<0>>(c, w...);
        } else if (s == 0.1) {
            run_class_case<T, 2, cross_entropy<1>>(c, w...);
        } else if (s == 0.3) {
            run_class_case<T, 2, cross_entropy<3>>(c, w...);
        } else {
            return false;
        }
        return true;
    });
}
template <class T>
void run_nll() {
    run_class_cases<T>("nll", [](test_case const& c, auto const&... w) {
        if (c.integer("ignore_index") == 1) {
            if constexpr (sizeof...(w) == 1) run_class_case<T, 2, nll<1>>(c, w...);
            else return false;
        } else if (c.in("input").rank() > 2) {
            run_class_case<T, 3, nll<>>(c, w...);
        } else {
            run_class_case<T, 2, nll<>>(c, w...);
        }
        return true;
    });
}
}  // namespace

TEST_CASE("cross_entropy: reference vectors of class indices") { run_cross_entropy<double>(); }
TEST_CASE("cross_entropy: reference vectors of class indices, float") { run_cross_entropy<float>(); }
TEST_CASE("nll: reference vectors") { run_nll<double>(); }
TEST_CASE("nll: reference vectors, float") { run_nll<float>(); }
