// SPDX-License-Identifier: MIT
// Extents of 0, 1 and 2 on every axis, in all combinations: the library and the oracle agree, or both refuse them.

#include "oracle/numbers.hpp"

#include "support/sweep.hpp"

namespace {

namespace la = ad::linalg;

template <tapeless::fixed_string Signature, int... I, class F>
std::string at_all_extents(F const& f) {
    static constexpr oracle::signature_spec spec{Signature.view()};
    oracle::lengths_of_letters n;
    std::string wrong;
    auto next = [&] {  // the first letter the fastest
        for (char const* c = spec.letters; *c; ++c) {
            if (++n[*c] <= 2) return true;
            n[*c] = 0;
        }
        return false;
    };
    do
        wrong += oracle::agree_at<double, Signature, I...>(f, n, true, {},
                                                           std::make_integer_sequence<int, spec.arguments>{});
    while (next());
    return wrong.substr(0, 2000);
}

constexpr auto convolutions = [](auto x, auto w, auto b) {
    return total(sin(ad::conv1d<ad::conv{.padding = ad::same}>(x, w, b)),
                 tanh(ad::conv1d<ad::conv{.stride = 2, .padding = 1}>(x, w)));
};
constexpr auto transposed_ones = [](auto x, auto w) {
    return total(sin(ad::conv_transpose1d<ad::conv{.stride = 2}>(x, w)));
};
constexpr auto of_images = [](auto x, auto w) { return total(sin(ad::conv2d<ad::conv{.padding = {1, 0}}>(x, w))); };
constexpr auto pools = [](auto x) {
    return total(square(ad::max_pool1d<ad::pool{.size = 2, .stride = 1, .padding = 1}>(x)),
                 sin(ad::avg_pool1d<ad::pool{.size = 2, .stride = 1, .padding = 1}>(x)));
};
constexpr auto cells = [](auto x) {
    return total(square(ad::adaptive_avg_pool2d<2, 1>(x)), sin(ad::upsample_bilinear<2, 3>(x)));
};
constexpr auto slid = [](auto x) { return total(sin(sum<-1>(ad::windows<1, 2>(x))), max<-1>(ad::windows<0, 1>(x))); };

constexpr auto with_diagonal = [](auto a, double d) { return ad::let(a + ad::tril(ad::triu(0.0 * a + d))); };
constexpr auto systems = [](auto a, auto b) {
    auto const m = with_diagonal(a, 4.0), s = with_diagonal(matmul(a, transpose(a)), 1.0);
    return total(sin(la::solve(m, b)), la::solve_triangular(m, b) * 0.5, la::solve_spd(s, b) * 0.3, la::logdet(s));
};
constexpr auto factors = [](auto a) {
    auto const m = with_diagonal(a, 2.0), s = with_diagonal(matmul(a, transpose(a)), 1.0);
    return total(sin(la::cholesky(s)), cos(la::inverse(m)), la::det(m) * 0.2, la::expm(0.2 * a));
};
constexpr auto spectra = [](auto a) { return total(sin(la::eigvalsh(a))); };
constexpr auto singular = [](auto a) { return total(sin(la::svdvals(a))); };
constexpr auto orthogonal = [](auto a) {
    auto const [q, r] = la::qr(with_diagonal(a, 3.0));
    return total(sin(q), r * 0.3);
};

constexpr auto along = [](auto x) {
    return total(sin(ad::sort<1>(x).values), cos(ad::cumprod<0>(x)), ad::cummax<1>(x).values * 0.3,
                 ad::logcumsumexp<0>(x) * 0.2, ad::cumsum<1>(x) * 0.1);
};
constexpr auto picked = [](auto x, auto i, auto s) {
    return total(sin(ad::index_select<0>(x, i)), cos(ad::index_add<0>(x, i, s)));
};
constexpr auto looped = [](auto xs, auto start) {
    auto const [last, all] = ad::scan(
        [](auto h, auto x) {
            auto const n = ad::let(tanh(h + x));
            return std::pair(n, n * x);
        },
        start, xs);
    return total(last, sin(all));
};
constexpr auto solved = [](auto p) {
    auto const zeros = ad::root([](auto z, auto q) { return z + 0.3 * sin(z) - q; }, 0.0 * p, p);
    auto const ended =
        ad::while_loop<30>([](auto v) { return sum(square(v)) > 0.5; }, [](auto v) { return ad::let(0.5 * v); }, p);
    return total(square(zeros), ended);
};

}  // namespace

TEST_CASE("extents of 0, 1, 2: convolutions") {
    CHECK(at_all_extents<"abn,cb2,c", 0, 1, 2>(convolutions) == "");
    CHECK(at_all_extents<"abn,bc2", 0, 1>(transposed_ones) == "");
    CHECK(at_all_extents<"abmn,cb12", 0, 1>(of_images) == "");
}
TEST_CASE("extents of 0, 1, 2: pooling, cells and windows") {
    CHECK(at_all_extents<"abn", 0>(pools) == "");
    CHECK(at_all_extents<"abmn", 0>(cells) == "");
    CHECK(at_all_extents<"nm", 0>(slid) == "");
}
TEST_CASE("extents of 0, 1, 2: systems and factors of matrices") {
    CHECK(at_all_extents<"ann,anm", 0, 1>(systems) == "");
    CHECK(at_all_extents<"ann", 0>(factors) == "");
    CHECK(at_all_extents<"amn", 0>(orthogonal) == "");
}
TEST_CASE("extents of 0, 1, 2: eigenvalues and singular values") {
    CHECK(at_all_extents<"ann", 0>(spectra) == "");
    CHECK(at_all_extents<"amn", 0>(singular) == "");
}
TEST_CASE("extents of 0, 1, 2: what runs along an axis, indices, loops and solvers") {
    CHECK(at_all_extents<"nm", 0>(along) == "");
    CHECK(at_all_extents<"nm,k<n,km", 0, 2>(picked) == "");
    CHECK(at_all_extents<"tm,m", 0, 1>(looped) == "");
    CHECK(at_all_extents<"n", 0>(solved) == "");
}
