// SPDX-License-Identifier: MIT
// cross_entropy of probabilities: reference vectors.

#include "functional/loss/class_cases.hpp"

using namespace reference;

namespace {

template <int Tenths>
struct soft_cross_entropy {
    static constexpr bool soft = true;
    template <reduction R>
    static constexpr auto of(auto x, auto t, auto... w) {
        return ad::loss::cross_entropy<R>(x, t, w..., {.label_smoothing = Tenths / 10.0});
    }
};

template <class T>
void run_soft() {
    run_class_cases<T>("cross_entropy_soft", [](test_case const& c, auto const&... w) {
        double const s = c.number("label_smoothing");
        if (s == 0 && c.in("input").rank() > 2) {
            if constexpr (sizeof...(w) == 0) run_class_case<T, 3, soft_cross_entropy<0>>(c, w...);
            else return false;
        } else if (s == 0) {
            run_class_case<T, 2, soft_cross_entropy<0>>(c, w...);
        } else if (s == 0.1) {
            if constexpr (sizeof...(w) == 1) run_class_case<T, 2, soft_cross_entropy<1>>(c, w...);
            else return false;
        } else {
            return false;
        }
        return true;
    });
}
}  // namespace

TEST_CASE("cross_entropy: reference vectors of probabilities") { run_soft<double>(); }
TEST_CASE("cross_entropy: reference vectors of probabilities, float") { run_soft<float>(); }
