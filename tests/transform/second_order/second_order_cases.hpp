// SPDX-License-Identifier: MIT
#pragma once
// Second derivatives of the reference: functions of several parameters, differentiated by all of them at once (as one
// tuple), and of data behind them.

#include <algorithm>

#include "programs/run_loss.hpp"

namespace reference {

/// f with its parameters in one tuple.
template <class F>
struct joint {
    template <class P, class... D>
    constexpr auto operator()(P const& p, D const&... d) const {
        return std::apply([&](auto const&... x) { return F{}(x..., d...); }, p);
    }
};
/// The value, the gradient and the Hessian times v: one program.
template <class F>
struct two_orders {
    template <class P, class... D>
    constexpr auto operator()(P const& p, P const& v, D const&... d) const {
        auto const first = ad::value_and_grad<0>(joint<F>{})(p, d...);
        return std::tuple(first.value, first.grad, ad::hvp<0>(joint<F>{})(p, d..., v));
    }
};
/// The elements of arrays and numbers in tuples, one after the other.
template <class Tree>
void append(std::vector<double>& to, Tree const& from) {
    if constexpr (std::is_arithmetic_v<Tree>) to.push_back(static_cast<double>(from));
    else if constexpr (requires { from.begin(); }) to.insert(to.end(), from.begin(), from.end());
    else std::apply([&](auto const&... x) { (append(to, x), ...); }, from);
}
template <class Tree>
std::vector<double> flat(Tree const& tree) {
    std::vector<double> v;
    append(v, tree);
    return v;
}

/// The inputs of a case: of In the first are parameters, then comes data.
template <class T, class... In>
class case_inputs {
public:
    static constexpr std::size_t parameters = (std::size_t{0} + ... + (has_gradient<In> ? 1 : 0));

    explicit case_inputs(test_case const& c) : case_(c) { REQUIRE(c.inputs.size() == sizeof...(In)); }

    /// f(p, data...), p being the parameters.
    template <class F>
    auto with_data(F&& f) const {
        return each<parameters, sizeof...(In)>([&](auto... d) { return f(parameters_of_case(), d...); });
    }
    auto parameters_of_case() const {
        return each<0, parameters>([](auto... p) { return std::tuple(p...); });
    }
    /// The numbers of v in arrays like the parameters.
    auto like_parameters(std::vector<double> const& v) const {
        test_case c = case_;
        std::size_t next = 0;
        for (std::size_t k = 0; k < parameters; ++k)
            for (double& x : input(c, c.inputs[k]).values) x = v.at(next++);
        REQUIRE(next == v.size());
        return case_inputs(c).parameters_of_case();
    }
    /// The arrays of a kind (grad, vec, hvp) for all parameters; zeros where there is none.
    std::vector<double> all(std::string const& kind) const {
        std::vector<double> v;
        for (std::size_t k = 0; k < parameters; ++k) {
            std::string const& name = case_.inputs[k];
            if (case_.has(kind, name)) append(v, case_.get(kind, name).values);
            else v.resize(v.size() + case_.in(name).size());
        }
        return v;
    }
    /// What is wrong with a gradient or the like: "" where all parameters' are right that the case knows.
    std::string check(std::string const& kind, std::vector<double> const& v) const {
        std::size_t next = 0;
        for (std::size_t k = 0; k < parameters; ++k) {
            std::string const& name = case_.inputs[k];
            std::size_t const n = case_.in(name).size();
            if (case_.has(kind, name)) {
                std::string const wrong = check_close(case_.get(kind, name), v.data() + next, n, case_.rtol, case_.atol,
                                                      case_.id + " " + kind + " " + name);
                if (!wrong.empty()) return wrong;
            }
            next += n;
        }
        return next == v.size() ? "" : case_.id + ": " + kind + " has " + std::to_string(v.size()) + " elements";
    }

private:
    test_case const& case_;

    template <std::size_t First, std::size_t Last, class F>
    auto each(F&& f) const {
        return [&]<std::size_t... K>(std::index_sequence<K...>) {
            using patterns = std::tuple<In...>;
            return f(std::tuple_element_t<First + K, patterns>::template make<T>(case_.in(case_.inputs[First + K]))...);
        }(std::make_index_sequence<Last - First>{});
    }
};

/// All cases of a scalar function: its value, its gradient, and the Hessian in one direction or whole.
template <class... In, class F>
void run_second_order(F, std::string const& op, std::string const& family_name = "second_order") {
    auto program = ad::fused(two_orders<F>{});
    std::size_t n = 0;
    for (test_case const& c : cases(family_name, op)) {
        case_inputs<double, In...> const inputs(c);
        auto const in_direction = [&](std::vector<double> const& v) {
            return inputs.with_data(
                [&](auto const& p, auto const&... d) { return program(p, inputs.like_parameters(v), d...); });
        };
        auto const direction = inputs.all("vec");
        auto const [value, gradient, product] = in_direction(direction);
        CHECK(check_close(c.out(), value, c, "out") == "");
        CHECK(inputs.check("grad", flat(gradient)) == "");
        if (c.has("hess", "*")) {
            std::vector<double> hessian;
            for (std::size_t k = 0; k < direction.size(); ++k) {
                std::vector<double> unit(direction.size());
                unit[k] = 1;
                append(hessian, std::get<2>(in_direction(unit)));
            }
            CHECK(check_close(c.get("hess", "*"), hessian, c, "hess") == "");
        } else {
            REQUIRE(c.tensors.at("hvp").size() == case_inputs<double, In...>::parameters);
            CHECK(inputs.check("hvp", flat(product)) == "");
        }
        ++n;
    }
    CHECK(n == count_in_file(family_name, op));
}

/// All cases of a function whose result has the pattern Out: its value, and its Jacobian or its gradients.
template <class T, class Out, class... In, class F>
void run_pulled_back(F, std::string const& op) {
    auto program = ad::vjp<0>(joint<F>{});
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("second_order"), op)) {
        case_inputs<T, In...> const inputs(c);
        auto const from = [&](tensor const& cot) {
            auto const weight = Out::template make<T>(cot);
            return inputs.with_data([&](auto const& p, auto const&... d) { return program(p, d..., weight); });
        };
        if (c.has("jac", "*")) {
            std::vector<double> jacobian;
            tensor cot = c.out();
            for (std::size_t k = 0; k < cot.size(); ++k) {
                std::fill(cot.values.begin(), cot.values.end(), 0.0);
                cot.values[k] = 1;
                auto const [value, row] = from(cot);
                CHECK(check_close(c.out(), value, c, "out") == "");
                append(jacobian, row);
            }
            CHECK(check_close(c.get("jac", "*"), jacobian, c, "jac") == "");
        } else {
            auto const [value, gradient] = from(c.cot());
            CHECK(check_close(c.out(), value, c, "out") == "");
            CHECK(!c.tensors.at("grad").empty());
            CHECK(inputs.check("grad", flat(gradient)) == "");
        }
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("second_order"), op));
}

}  // namespace reference
