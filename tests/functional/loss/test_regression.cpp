// SPDX-License-Identifier: MIT
// mse, l1, smooth_l1, huber against the reference.

#include "functional/loss/loss_cases.hpp"

using namespace reference;

namespace {
constexpr auto with_number = [](char const* name) {
    return [name](test_case& c) {
        flatten(c, {"input", "target"});
        add_parameter(c, name);
        return c.number(name) == 1 ? std::vector<int>{0, 1} : std::vector<int>{0};
    };
};
// variant 0: the parameter is an argument; variant 1: it is left out
constexpr auto huber_of = []<reduction R>(auto v, auto x, auto t, auto delta) {
    if constexpr (v == 0) return ad::loss::huber<R>(x, t, delta);
    else return ad::loss::huber<R>(x, t);
};
constexpr auto smooth_l1_of = []<reduction R>(auto v, auto x, auto t, auto beta) {
    if constexpr (v == 0) return ad::loss::smooth_l1<R>(x, t, beta);
    else return ad::loss::smooth_l1<R>(x, t);
};
// two losses in one program
constexpr auto plain = []<reduction R>(auto v, auto x, auto t) {
    if constexpr (v == 0) return ad::loss::mse<R>(x, t);
    else return ad::loss::l1<R>(x, t);
};
template <class T>
void run_all() {
    for (int v : {0, 1})
        run_losses<T, 2, 3, vector, vector>(plain, "loss_regression", v ? "l1" : "mse", [v](test_case& c) {
            flatten(c, {"input", "target"});
            return std::vector<int>{v};
        });
    run_losses<T, 2, 3, vector, vector, data<scalar>>(smooth_l1_of, "loss_regression", "smooth_l1",
                                                      with_number("beta"));
    run_losses<T, 2, 3, vector, vector, data<scalar>>(huber_of, "loss_regression", "huber", with_number("delta"));
}
}  // namespace

TEST_CASE("mse, l1, smooth_l1, huber: reference vectors in double") { run_all<double>(); }
TEST_CASE("mse, l1, smooth_l1, huber: reference vectors in float") { run_all<float>(); }
