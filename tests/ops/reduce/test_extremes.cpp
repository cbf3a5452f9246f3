// SPDX-License-Identifier: MIT
// argmax, argmin and the extremes with their positions against the reference.

#include "ops/reduce/padded_cases.hpp"

using namespace reference;

namespace {

constexpr auto along_axis = [](auto x) { return std::tuple(argmax<1>(x), argmin<1>(x)); };
constexpr auto in_all = [](auto x) { return std::tuple(argmax(x), argmin(x)); };
constexpr auto with_indices = [](auto x, auto largest, auto smallest) {
    auto [high, at_high] = max_with_index<1>(x);
    auto [low, at_low] = min_with_index<1>(x);
    return std::tuple(sum(high * largest) + sum(low * smallest), high, at_high, low, at_low);
};

template <class T>
void run_positions(std::string_view op, bool largest) {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("reduce"), op)) {
        INFO(c.id << ": " << c.note);
        if (c.has_parameter("axis")) {
            auto const [high, low] =
                ad::evaluate(along_axis, cube::make<T>(in_shape(c.in("x"), alternating_shape::of(c).lengths, 3)));
            CHECK(check_close(c.out(), largest ? high : low, c, "out") == "");
        } else {
            auto const [high, low] = ad::evaluate(in_all, cube::make<T>(c.in("x")));
            static_assert(std::is_same_v<decltype(high), std::int64_t const>);
            CHECK(static_cast<double>(largest ? high : low) == c.out().item());
        }
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("reduce"), op));
}

template <class T>
void run_with_index(std::string_view op, bool largest) {
    std::size_t n = 0;
    for (test_case const& c : cases(file_of<T>("reduce"), op)) {
        INFO(c.id << ": " << c.note);
        auto const a = alternating_shape::of(c);
        auto const cot = matrix::make<T>(in_shape(c.cot("values"), kept_of(a), 2));
        auto none = cot;
        ad::fill(none, T(0));
        auto const x = cube::make<T>(in_shape(c.in("x"), a.lengths, 3));
        auto const [value, dx] = ad::value_and_grad<0>(with_indices)(x, largest ? cot : none, largest ? none : cot);
        CHECK(check_close(c.out("values"), largest ? std::get<1>(value) : std::get<3>(value), c, "values") == "");
        CHECK(check_close(c.out("indices"), largest ? std::get<2>(value) : std::get<4>(value), c, "indices") == "");
        CHECK(check_close(c.grad("x"), dx, c, "grad x") == "");
        ++n;
    }
    CHECK(n == count_in_file(file_of<T>("reduce"), op));
}

}  // namespace

TEST_CASE("argmax and argmin: positions are those of the reference, the first of several") {
    run_positions<double>("argmax", true);
    run_positions<double>("argmin", false);
    run_positions<float>("argmax", true);
    run_positions<float>("argmin", false);
}
TEST_CASE("max_with_index and min_with_index: values, positions and gradients are those of the reference") {
    run_with_index<double>("max_with_index", true);
    run_with_index<double>("min_with_index", false);
    run_with_index<float>("max_with_index", true);
    run_with_index<float>("min_with_index", false);
}
