// SPDX-License-Identifier: MIT
// Hessians and Jacobians of the reference by one array, as one call gives them.

#include "transform/second_order/second_order_cases.hpp"

using namespace reference;

namespace {

/// The cases of an operation that have this matrix: that by the first argument, which is all of it.
template <class... In, class Transformed>
void run_whole(Transformed whole, std::string const& kind, std::string const& op) {
    std::size_t n = 0;
    for (test_case const& c : cases("second_order", op)) {
        if (!c.has(kind, "*")) continue;
        auto const m = case_inputs<double, In...>(c).with_data(
            [&](auto const& p, auto const&... d) { return whole(std::get<0>(p), d...); });
        CHECK(check_close(c.get(kind, "*"), m, c, kind) == "");
        ++n;
    }
    CHECK(n == 1);
}

}  // namespace

TEST_CASE("hessian: of the reference's functions of one array") {
    run_whole<vector>(ad::hessian<0>([](auto x) { return sum(exp(-square(x))) * sum(cos(x)); }), "hess", "f_gauss");
    run_whole<vector, data<matrix>>(ad::hessian<0>([](auto x, auto a) { return logsumexp(matmul(a, x)); }), "hess",
                                    "f_lse_linear");
    run_whole<matrix>(ad::hessian<0>([](auto x) { return sum(x * x * x) / 3.0 + square(sum(x)); }), "hess", "f_cubic");
}

TEST_CASE("jacobian: of the reference's functions of one array") {
    run_whole<vector>(ad::jacobian<0>([](auto x) { return softmax(x); }), "jac", "g_softmax");
    run_whole<matrix>(
        ad::jacobian<0>([](auto x) { return ad::concat<0>(mean<0>(x), logsumexp<1>(x), ad::reshape<1>(norm(x))); }),
        "jac", "g_reduce");
    run_whole<matrix>(ad::jacobian<0>([](auto x) {
                          return ad::reshape<ad::dyn>(ad::slice<1, 0, ad::to_end, 2>(cumsum<0>(ad::flip<1>(x))));
                      }),
                      "jac", "g_index");
}
