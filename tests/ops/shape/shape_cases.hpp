// SPDX-License-Identifier: MIT
#pragma once
// Runs single cases of the reference's family `shape`, or of another one where what changes a shape is a template
// argument: every case is a function of its own, over static extents or, where it says `run`, run-time ones.
//
// The checked scalar is sum(op(x...) * cot): its gradient by cot is the output.

#include <cstdint>
#include <set>

#include "ops/reference_cases.hpp"

namespace reference {

template <int... E>
using of = shape_pattern<E...>;

/// Every axis is the number in the pattern, or any number where that is `run`.
template <int... E>
bool fits(of<E...>, std::vector<std::int64_t> const& shape) {
    constexpr std::int64_t want[] = {E..., 0};
    if (shape.size() != sizeof...(E)) return false;
    for (std::size_t k = 0; k < sizeof...(E); ++k)
        if (want[k] != run && shape[k] != want[k]) return false;
    return true;
}
/// The type of an expression says as much of its shape as the pattern.
template <class Y, int... E>
constexpr bool has_extents(of<E...>) {
    using S = typename Y::shape_type;
    constexpr std::int64_t want[] = {E..., 0};
    if (S::rank != static_cast<int>(sizeof...(E))) return false;
    for (std::size_t k = 0; k < sizeof...(E); ++k)
        if (want[k] != run && S::extents[k] >= 0 && S::extents[k] != want[k]) return false;
    return true;
}

/// The cases of a family that have been run: at the end they are all of an operation's.
template <class T>
class shape_cases {
public:
    explicit shape_cases(std::string family_name = "shape") : family_(std::move(family_name)) {}
    /// One case: its output and the gradients of all inputs that have one.
    template <class Out, class... In, class F>
    void check(std::string const& id, F) {
        test_case const& c = find(id);
        REQUIRE(c.inputs.size() == sizeof...(In));
        REQUIRE(fits(Out{}, c.out().shape));
        auto const all = [&]<std::size_t... I>(std::index_sequence<I...>) {
            REQUIRE((fits(In{}, c.in(c.inputs[I]).shape) && ...));
            return ad::grad<0, static_cast<int>(I + 1)...>(weighted<F, Out>)(
                Out::template make<T>(c.cot()), In::template make<T>(c.in(c.inputs[I]))...);
        }
        (std::index_sequence_for<In...>{});
        CHECK(check_close(c.out(), std::get<0>(all), c, "out") == "");
        auto check_input = [&](std::string const& name, auto const& g) {
            if (c.has("in", name)) CHECK(check_close(c.grad(name), g, c, "grad " + name) == "");
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) { (check_input(c.inputs[I], std::get<I + 1>(all)), ...); }
        (std::index_sequence_for<In...>{});
    }
    /// A case with several outputs, a tuple, each with its own cotangent.
    template <class In, class... Out, class F>
    void check_parts(std::string const& id, F) {
        test_case const& c = find(id);
        REQUIRE(fits(In{}, c.in("x").shape));
        auto const all = [&]<std::size_t... I>(std::index_sequence<I...>) {
            REQUIRE((fits(Out{}, c.out("out" + std::to_string(I)).shape) && ...));
            return ad::grad<0, static_cast<int>(I + 1)...>(weighted_parts<F, Out...>)(
                In::template make<T>(c.in("x")), Out::template make<T>(c.cot("out" + std::to_string(I)))...);
        }
        (std::index_sequence_for<Out...>{});
        CHECK(check_close(c.grad("x"), std::get<0>(all), c, "grad x") == "");
        auto check_part = [&](std::string const& name, auto const& y) {
            CHECK(check_close(c.out(name), y, c, name) == "");
        };
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            (check_part("out" + std::to_string(I), std::get<I + 1>(all)), ...);
        }
        (std::index_sequence_for<Out...>{});
    }
    /// All cases of these operations in the file have been run.
    void expect_all(std::vector<std::string> const& ops) const {
        std::string const file = file_of<T>(family_);
        for (auto const& c : family(file))
            for (auto const& op : ops)
                if (c.op == op) {
                    INFO(c.id);
                    CHECK(done_.count(c.id) == 1);
                }
        for (auto const& op : ops) CHECK(!cases(file_of<T>(family_), op).empty());
    }

private:
    std::string family_;
    std::set<std::string> done_;

    template <class F, class Out>
    static constexpr auto weighted = [](auto cot, auto... x) {
        auto y = F{}(x...);
        static_assert(has_extents<decltype(y)>(Out{}));
        return sum(y * cot);
    };
    template <class F, class... Out>
    static constexpr auto weighted_parts = [](auto x, auto... cot) {
        auto parts = F{}(x);
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            static_assert((has_extents<std::remove_cvref_t<decltype(std::get<I>(parts))>>(Out{}) && ...));
            return (sum(std::get<I>(parts) * cot) + ...);
        }
        (std::index_sequence_for<Out...>{});
    };
    test_case const& find(std::string id) {
        id = family_ + "/" + id + (std::is_same_v<T, float> ? "/f32" : "");
        std::string const file = file_of<T>(family_);
        for (auto const& c : family(file))
            if (c.id == id) {
                CHECK(done_.insert(id).second);
                return c;
            }
        throw std::runtime_error("no case " + id);
    }
};

}  // namespace reference
