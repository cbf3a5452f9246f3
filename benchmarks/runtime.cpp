// SPDX-License-Identifier: MIT
// How fast are the fused loops? Value and gradients of six functions against loops written by hand with the same xsimd
// batches and the same exp, log and tanh (support/*.hpp), on one thread:
//
//   bench_runtime [--only a] [--json FILE]
//
// GB/s counts what has to move at least once: every argument read, every gradient written. `new` counts the allocations
// of three calls after the first. Exits with 1 where a result or a gradient differs from the loop by hand.

#include <tapeless/tapeless.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "support/broadcast.hpp"
#include "support/cross_entropy.hpp"
#include "support/dense_tanh.hpp"
#include "support/gaussian.hpp"
#include "support/layer_norm.hpp"
#include "support/measure.hpp"
#include "support/numbers.hpp"

namespace {
std::size_t allocations = 0;
void* take(void* p) {
    ++allocations;
    if (!p) throw std::bad_alloc();
    return p;
}
}  // namespace

void* operator new(std::size_t n) { return take(std::malloc(n ? n : 1)); }
void* operator new(std::size_t n, std::align_val_t alignment) {
    auto const a = static_cast<std::size_t>(alignment);
    return take(std::aligned_alloc(a, (n + a) / a * a));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

namespace ad = tapeless;

template <class X>
auto elements_of(X const& x) {
    if constexpr (std::is_arithmetic_v<X>) return std::span<X const>(&x, 1);
    else return std::span(x.data(), x.size());
}

// ---- the functions: what Tapeless is given, and the call of the loop by hand --------------------------------------

template <class T>
struct gaussian_case {
    static constexpr char key = 'a';
    static constexpr char const* name = "gaussian nll";
    static constexpr auto loss = [](auto x, auto mu, auto log_sigma) {
        return mean(0.5 * square((x - mu) / exp(log_sigma)) + log_sigma);
    };
    using gradients = std::tuple<T, T>;

    std::vector<T> x;
    T mu = T(0.2), log_sigma = T(-0.1);
    decltype(ad::value_and_grad<1, 2>(loss)) step;

    explicit gaussian_case(std::int64_t elements) : x(static_cast<std::size_t>(elements)) { fill(x, -1, 2); }
    std::int64_t elements() const { return static_cast<std::int64_t>(x.size()); }
    std::int64_t numbers_moved() const { return elements(); }
    gradients make() const { return {}; }

    T library(gradients& g) { return step(ad::into(std::get<0>(g), std::get<1>(g)), x, mu, log_sigma); }
    T by_hand(gradients& g) const {
        return handwritten::gaussian(&std::get<0>(g), &std::get<1>(g), x.data(), elements(), mu, log_sigma);
    }
};

template <class T>
struct dense_case {
    static constexpr char key = 'b';
    static constexpr char const* name = "tanh(x w + b) - y";
    static constexpr auto loss = [](auto w, auto b, auto x, auto y) { return sum(square(tanh(x * w + b) - y)); };
    using column = ad::tensor<T, 64>;
    using gradients = std::tuple<column, column>;

    std::int64_t n;
    column w, b;
    ad::tensor<T, ad::dyn, 64> x, y;
    decltype(ad::value_and_grad<0, 1>(loss)) step;

    explicit dense_case(std::int64_t elements) : n((elements + 63) / 64), x(n), y(n) {
        fill(w, -1, 1), fill(b, -1, 1), fill(x, -2, 2), fill(y, -1, 1);
    }
    std::int64_t elements() const { return n * 64; }
    std::int64_t numbers_moved() const { return 2 * elements(); }
    gradients make() const { return {}; }

    T library(gradients& g) { return step(ad::into(std::get<0>(g), std::get<1>(g)), w, b, x, y); }
    T by_hand(gradients& g) const {
        return handwritten::dense_tanh(std::get<0>(g).data(), std::get<1>(g).data(), w.data(), b.data(), x.data(),
                                       y.data(), n);
    }
};

template <class T>
struct cross_entropy_case {
    static constexpr char key = 'c';
    static constexpr char const* name = "softmax cross-entropy";
    static constexpr auto loss = [](auto x, auto t) {
        auto m = ad::let(stop_gradient(max<1>(x, ad::keepdims)));
        auto s = sum<1>(exp(x - m), ad::keepdims);
        return mean(sum<1>(t * (log(s) + m - x)));
    };
    using rows = ad::tensor<T, ad::dyn, 100>;
    using gradients = std::tuple<rows>;

    std::int64_t n;
    rows x, t;
    decltype(ad::value_and_grad<0>(loss)) step;

    explicit cross_entropy_case(std::int64_t elements) : n((elements + 99) / 100), x(n), t(n) {
        fill(x, -4, 4);
        for (std::int64_t i = 0; i < n; ++i) t(i, (i * 37 + 11) % 100) = T(1);
    }
    std::int64_t elements() const { return n * 100; }
    std::int64_t numbers_moved() const { return 3 * elements(); }
    gradients make() const { return gradients(rows(n)); }

    T library(gradients& g) { return step(ad::into(std::get<0>(g)), x, t); }
    T by_hand(gradients& g) const { return handwritten::cross_entropy(std::get<0>(g).data(), x.data(), t.data(), n); }
};

template <class T>
struct layer_norm_case {
    static constexpr char key = 'd';
    static constexpr char const* name = "layer norm";
    static constexpr auto loss = [](auto x, auto gain, auto bias, auto r) {
        auto c = ad::let(x - mean<1>(x, ad::keepdims));
        auto v = mean<1>(square(c), ad::keepdims);
        return sum((c / sqrt(v + 1e-5) * gain + bias) * r);
    };
    using rows = ad::tensor<T, ad::dyn, 512>;
    using column = ad::tensor<T, 512>;
    using gradients = std::tuple<rows, column, column>;

    std::int64_t n;
    rows x, r;
    column gain, bias;
    decltype(ad::value_and_grad<0, 1, 2>(loss)) step;

    explicit layer_norm_case(std::int64_t elements) : n((elements + 511) / 512), x(n), r(n) {
        fill(x, -1, 3), fill(r, -1, 1.5), fill(gain, 0.5, 1.5), fill(bias, -1, 1);
    }
    std::int64_t elements() const { return n * 512; }
    std::int64_t numbers_moved() const { return 3 * elements(); }
    gradients make() const { return gradients(rows(n), column(), column()); }

    T library(gradients& g) { return step(ad::into(std::get<0>(g), std::get<1>(g), std::get<2>(g)), x, gain, bias, r); }
    T by_hand(gradients& g) const {
        return handwritten::layer_norm(std::get<0>(g).data(), std::get<1>(g).data(), std::get<2>(g).data(), x.data(),
                                       gain.data(), bias.data(), r.data(), n);
    }
};

struct sum_of_tanh {
    static constexpr char key = 'e';
    static constexpr char const* name = "broadcast, tanh";
    static constexpr auto loss = [](auto a, auto b, auto s) { return sum(tanh(a * b + s)); };
    using function = handwritten::tanh_function;
};
struct sum_of_squares {
    static constexpr char key = 'e';
    static constexpr char const* name = "broadcast, square";
    static constexpr auto loss = [](auto a, auto b, auto s) { return sum(square(a * b + s)); };
    using function = handwritten::square_function;
};

template <class F, class T>
struct broadcast_case {
    static constexpr char key = F::key;
    static constexpr char const* name = F::name;
    using left = ad::tensor<T, ad::dyn, 1, 32>;
    using right = ad::tensor<T, 8, 32>;
    using gradients = std::tuple<left, right, T>;

    std::int64_t n;
    left a;
    right b;
    T s = T(0.3);
    decltype(ad::value_and_grad<0, 1, 2>(F::loss)) step;

    explicit broadcast_case(std::int64_t elements) : n((elements + 255) / 256), a(n) { fill(a, -2, 2), fill(b, -1, 1); }
    std::int64_t elements() const { return n * 256; }
    std::int64_t numbers_moved() const { return 2 * n * 32; }
    gradients make() const { return gradients(left(n), right(), T()); }

    T library(gradients& g) { return step(ad::into(std::get<0>(g), std::get<1>(g), std::get<2>(g)), a, b, s); }
    T by_hand(gradients& g) const {
        return handwritten::broadcast<typename F::function>(std::get<0>(g).data(), std::get<1>(g).data(),
                                                            &std::get<2>(g), a.data(), b.data(), s, n);
    }
};
template <class T>
using broadcast_tanh_case = broadcast_case<sum_of_tanh, T>;
template <class T>
using broadcast_square_case = broadcast_case<sum_of_squares, T>;

// ---- running them -------------------------------------------------------------------------------------------------

struct row {
    char const *name, *type;
    std::int64_t elements;
    double library, by_hand;  ///< nanoseconds a call, the median over all turns
    double bytes;
    std::size_t allocated;
    double error;
    bool ok;
    double ratio() const { return library / by_hand; }
};

template <class Case, class T>
row run(std::int64_t elements, char const* type) {
    Case c(elements);
    auto mine = c.make(), theirs = c.make();
    T const value = c.library(mine), expected = c.by_hand(theirs);
    double error = difference(std::span<T const>(&value, 1), std::span<T const>(&expected, 1));
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        auto const one = [&](double d) { error = worse(error, d); };
        (one(difference<T>(elements_of(std::get<i>(mine)), elements_of(std::get<i>(theirs)))), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(mine)>>{});

    std::size_t const before = allocations;
    for (int i = 0; i < 3; ++i) ankerl::nanobench::doNotOptimizeAway(c.library(mine));
    std::size_t const allocated = allocations - before;

    // Both write to the same place, so that neither has the luckier pages.
    auto const [library, by_hand] = measure_each([&] { return c.library(mine); }, [&] { return c.by_hand(mine); });
    bool const ok = error <= (sizeof(T) == 4 ? 1e-4 : 1e-10) && allocated == 0;
    double const bytes = static_cast<double>(c.numbers_moved()) * sizeof(T);
    return {Case::name, type, c.elements(), library, by_hand, bytes, allocated, error, ok};
}

std::vector<row> rows;

template <template <class> class Case>
void run_case(std::string_view only) {
    if (!only.empty() && only.find(Case<float>::key) == only.npos) return;
    auto const add = [](row const& r) {
        std::printf("%-22s %-6s %9lld %13.0f %13.0f %7.2f %7.2f %7.2f %4zu %8.1e%s\n", r.name, r.type,
                    static_cast<long long>(r.elements), r.library, r.by_hand, r.ratio(),
                    r.bytes / r.library, r.bytes / r.by_hand, r.allocated, r.error, r.ok ? "" : "  WRONG");
        std::fflush(stdout);
        rows.push_back(r);
    };
    for (std::int64_t n : {1'000, 100'000, 10'000'000}) {
        add(run<Case<float>, float>(n, "float"));
        add(run<Case<double>, double>(n, "double"));
    }
}

bool write_json(char const* path) {
    std::FILE* f = std::fopen(path, "w");
    if (!f) return false;
    std::fprintf(f, "[\n");
    for (row const& r : rows)
        std::fprintf(f,
                     "  {\"case\": \"%s\", \"type\": \"%s\", \"elements\": %lld, \"ns\": %.1f, \"ns_by_hand\": %.1f, "
                     "\"ratio\": %.4f, \"gb_per_s\": %.3f, \"gb_per_s_by_hand\": %.3f, \"allocations\": %zu, "
                     "\"relative_error\": %.3g, \"ok\": %s}%s\n",
                     r.name, r.type, static_cast<long long>(r.elements), r.library, r.by_hand, r.ratio(),
                     r.bytes / r.library, r.bytes / r.by_hand, r.allocated,
                     std::isnan(r.error) ? -1 : r.error, r.ok ? "true" : "false", &r == &rows.back() ? "" : ",");
    std::fprintf(f, "]\n");
    return std::fclose(f) == 0;
}
}  // namespace

int main(int argc, char** argv) {
    std::string_view only;
    char const* json = nullptr;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && !std::strcmp(argv[i], "--only")) only = argv[i + 1];
        else if (i + 1 < argc && !std::strcmp(argv[i], "--json")) json = argv[i + 1];
        else return std::fprintf(stderr, "usage: %s [--only a|b|c|d|e] [--json FILE]\n", argv[0]), 2;
    }
    std::printf("%-22s %-6s %9s %13s %13s %7s %7s %7s %4s %8s\n", "", "type", "elements", "ns", "ns by hand", "ratio",
                "GB/s", "by hand", "new", "error");
    run_case<gaussian_case>(only);
    run_case<dense_case>(only);
    run_case<cross_entropy_case>(only);
    run_case<layer_norm_case>(only);
    run_case<broadcast_tanh_case>(only);
    run_case<broadcast_square_case>(only);
    if (json && !write_json(json)) return std::fprintf(stderr, "cannot write %s\n", json), 2;
    for (row const& r : rows)
        if (!r.ok) return 1;
}
