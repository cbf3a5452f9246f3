// SPDX-License-Identifier: MIT
// The losses of margins against the reference vectors, in double and float.

#include "functional/loss/margin_cases.hpp"

using namespace reference;

namespace {

using vector_of = shape_pattern<run>;
template <class T>
auto flat(tensor const& t) {
    return vector_of::make<T>(with_shape(t, {static_cast<std::int64_t>(t.size())}));
}

constexpr auto of_pairs = []<loss::reduction R>(auto x, auto y, auto t, auto margin, auto hinge, auto embedding,
                                                auto ranking) {
    return hinge * loss::hinge<R>(x, t) + embedding * loss::hinge_embedding<R>(x, t, margin) +
           ranking * loss::margin_ranking<R>(x, y, t, margin);
};
template <class T>
void check_pairs() {
    auto const with = [](std::string const& x, std::string const& y, std::array<int, 3> which) {
        return [=](test_case const& c) {
            return std::tuple(flat<T>(c.in(x)), flat<T>(c.in(y)), flat<T>(c.in("target")),
                              static_cast<T>(c.has_parameter("margin") ? c.number("margin") : 0),
                              static_cast<T>(which[0]), static_cast<T>(which[1]), static_cast<T>(which[2]));
        };
    };
    run_losses<T, 0, 1>(of_pairs, "hinge", {"input", ""}, with("input", "input", {1, 0, 0}));
    run_losses<T, 0, 1>(of_pairs, "hinge_embedding", {"input", ""}, with("input", "input", {0, 1, 0}));
    run_losses<T, 0, 1>(of_pairs, "margin_ranking", {"input1", "input2"}, with("input1", "input2", {0, 0, 1}));
}

constexpr auto of_classes = []<loss::reduction R>(auto x, auto t, auto w, auto plain, auto weighted, auto squared,
                                                  auto both) {
    return plain * loss::multi_margin<R>(x, t) + weighted * loss::multi_margin<R>(x, t, w) +
           squared * loss::multi_margin<R>(x, t, {.p = 2}) + both * loss::multi_margin<R>(x, t, w, {.p = 2});
};
template <class T>
void check_classes() {
    run_losses<T, 0>(of_classes, "multi_margin", {"input"}, [](test_case const& c) {
        REQUIRE(c.number("margin") == 1);
        bool const weighted = c.has("const", "weight");
        auto const x = rows_of<T>(c.in("input"));
        auto chosen = [&](int p, bool w) { return static_cast<T>(c.integer("p") == p && weighted == w); };
        return std::tuple(x, c.in("target").as<std::int64_t>(),
                          weighted ? c.in("weight").as<T>() : ones<T>(x.extent(1)), chosen(1, false), chosen(1, true),
                          chosen(2, false), chosen(2, true));
    });
}

constexpr auto of_labels = []<loss::reduction R>(auto x, auto t) { return loss::multilabel_margin<R>(x, t); };
constexpr auto of_soft_labels = []<loss::reduction R>(auto x, auto t, auto w, auto plain, auto weighted) {
    return plain * loss::multilabel_soft_margin<R>(x, t) + weighted * loss::multilabel_soft_margin<R>(x, t, w);
};
template <class T>
void check_labels() {
    run_losses<T, 0>(of_labels, "multilabel_margin", {"input"}, [](test_case const& c) {
        return std::tuple(rows_of<T>(c.in("input")), rows_of<std::int64_t>(c.in("target")));
    });
    run_losses<T, 0>(of_soft_labels, "multilabel_soft_margin", {"input"}, [](test_case const& c) {
        bool const weighted = c.has("const", "weight");
        auto const x = rows_of<T>(c.in("input"));
        return std::tuple(x, rows_of<T>(c.in("target")), weighted ? c.in("weight").as<T>() : ones<T>(x.extent(1)),
                          static_cast<T>(!weighted), static_cast<T>(weighted));
    });
}

}  // namespace

TEST_CASE("hinge, hinge_embedding, margin_ranking: reference vectors in double") { check_pairs<double>(); }
TEST_CASE("hinge, hinge_embedding, margin_ranking: reference vectors in float") { check_pairs<float>(); }
TEST_CASE("multi_margin: reference vectors in double") { check_classes<double>(); }
TEST_CASE("multi_margin: reference vectors in float") { check_classes<float>(); }
TEST_CASE("multilabel_margin, multilabel_soft_margin: reference vectors in double") { check_labels<double>(); }
TEST_CASE("multilabel_margin, multilabel_soft_margin: reference vectors in float") { check_labels<float>(); }
