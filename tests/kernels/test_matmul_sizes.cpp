// SPDX-License-Identifier: MIT
// The gradients of sum(matmul(a, b) * c) are three products: a b, c bT and aT c. Here at all small sizes and some large
// ones, with run-time extents, dense and strided, against plain loops.

#include "kernels/product_loops.hpp"

#include <algorithm>
#include <limits>

#include "support/catch.hpp"

namespace {

namespace ad = tapeless;
using loops::difference, loops::matrix, loops::multiply, loops::numbers, loops::transposed;

#ifdef __OPTIMIZE__
constexpr bool optimised = true;
#else
constexpr bool optimised = false;
#endif

constexpr auto weighted = [](auto a, auto b, auto c) { return sum(matmul(a, b) * c); };

enum class layout { dense, strided };

/// a b, c bT and aT c.
template <class T>
struct products {
    matrix<T> a, b, c, ab, cb, ac;

    products(std::size_t m, std::size_t n, std::size_t k) : a(m, k), b(k, n), c(m, n), ab(m, n), cb(m, k), ac(k, n) {
        // no sum of integers
        for (auto* r : {&ab, &cb, &ac}) std::fill(r->elements.begin(), r->elements.end(), T(0.5));
    }
    void compute(layout how) {
        static auto gradient = ad::grad<2, 0, 1>(weighted);
        if (how == layout::dense) gradient(ad::into(ab, cb, ac), a, b, c);
        else gradient(ad::into(ab.as_view(), cb.as_view(), ac.as_view()), a.as_view(), b.as_view(), c.as_view());
    }
    /// "" where the three are what loops in T compute.
    std::string differences() const {
        auto named = [](std::string const& name, std::string const& text) {
            return text.empty() ? text : name + text + "; ";
        };
        return named("a b", difference(ab, multiply<T>(a, b))) +
               named("c bT", difference(cb, multiply<T>(c, transposed(b)))) +
               named("aT c", difference(ac, multiply<T>(transposed(a), c)));
    }
};

/// A matrix somewhere in a memory of its own.
template <class T>
struct strided {
    std::vector<T> memory;
    ad::view<T, ad::dyn, ad::dyn> view;

    strided(std::size_t m, std::size_t n, int how) {
        auto const rows = static_cast<std::ptrdiff_t>(m), columns = static_cast<std::ptrdiff_t>(n);
        using strides = std::array<std::ptrdiff_t, 2>;
        strides const all[] = {{columns, 1},          {columns + 3, 1},  {2 * columns + 1, 2}, {1, rows},
                               {2, 2 * rows + 1},     {-columns, -1},    {0, 1},               {1, 0}};
        strides const s = all[how];
        std::ptrdiff_t const last = (rows - 1) * s[0] + (columns - 1) * s[1];
        memory.assign(static_cast<std::size_t>(std::abs(last)) + 1, T(0.5));
        view = ad::view<T, ad::dyn, ad::dyn>(memory.data() + (last < 0 ? -last : 0), m, n, s);
    }
    matrix<T> copy() const {
        matrix<T> x(view.extent(0), view.extent(1));
        std::copy(view.begin(), view.end(), x.elements.begin());
        return x;
    }
    bool rest_is_untouched() const {
        return static_cast<std::size_t>(std::count(memory.begin(), memory.end(), T(0.5))) ==
               memory.size() - view.size();
    }
};

template <class T>
void check_size(std::size_t m, std::size_t n, std::size_t k, layout how, numbers& random) {
    products<T> p(m, n, k);
    for (auto* x : {&p.a, &p.b, &p.c}) random.integers(x->elements);
    p.compute(how);
    if (auto const text = p.differences(); !text.empty()) FAIL_CHECK(m << " x " << k << " x " << n << ": " << text);
}

/// The same with extents the compiler knows.
template <class T, std::size_t M, std::size_t K, std::size_t N>
void check_fixed() {
    numbers random;
    loops::fixed_matrix<T, M, K> a, cb;
    loops::fixed_matrix<T, K, N> b, ac;
    loops::fixed_matrix<T, M, N> c, ab;
    random.integers(a.elements);
    random.integers(b.elements);
    random.integers(c.elements);
    ad::grad<2, 0, 1>(weighted)(ad::into(ab, cb, ac), a, b, c);
    INFO(M << " x " << K << " x " << N);
    CHECK(difference(ab, multiply<T>(a, b)) == "");
    CHECK(difference(cb, multiply<T>(c, transposed(b))) == "");
    CHECK(difference(ac, multiply<T>(transposed(a), c)) == "");
}

template <class T>
matrix<T> columns_of(matrix<T> const& x, std::size_t from, std::size_t n) {
    matrix<T> c(x.rows, n);
    for (std::size_t i = 0; i < x.rows; ++i)
        for (std::size_t j = 0; j < n; ++j) c(i, j) = x(i, from + j);
    return c;
}
/// Columns 16 to 15 + N of a right operand, and the gradients of that.
template <std::size_t N, class A, class W, class C>
void check_columns(A a, W w, C c) {
    using T = typename decltype(a.elements)::value_type;
    numbers random;
    random.integers(a.elements);
    random.integers(w.elements);
    random.integers(c.elements);
    A ca = a;
    W aw = w;
    C ab = c;
    ad::grad<2, 0, 1>([](auto x, auto wide, auto z) {
        return sum(matmul(x, ad::slice<1, 16, 16 + static_cast<int>(N)>(wide)) * z);
    })(ad::into(ab, ca, aw), a, w, c);
    matrix<T> const b = columns_of(w, 16, N), ac = multiply<T>(transposed(a), c);
    matrix<T> expected(w.rows, w.columns);
    for (std::size_t i = 0; i < ac.rows; ++i)
        for (std::size_t j = 0; j < N; ++j) expected(i, 16 + j) = ac(i, j);
    INFO(a.rows << " x " << a.columns << " x " << N);
    CHECK(difference(ab, multiply<T>(a, b)) == "");
    CHECK(difference(ca, multiply<T>(c, transposed(b))) == "");
    CHECK(difference(aw, expected) == "");
}

std::vector<std::size_t> sizes_to_40(bool all) {
    if (!optimised) return {1, 2, 3, 5, 8, 9, 13, 25};
    if (!all) return {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 23, 24, 25, 31, 32, 33, 40};
    std::vector<std::size_t> s(40);
    for (std::size_t i = 0; i < s.size(); ++i) s[i] = i + 1;
    return s;
}

}  // namespace

TEMPLATE_TEST_CASE("matmul: every size from 1 to 40 and its two gradients are exact for small integers", "", float,
                   double) {
    numbers random;
    auto const sizes = sizes_to_40(true);
    for (auto m : sizes)
        for (auto n : sizes)
            for (auto k : sizes) check_size<TestType>(m, n, k, layout::dense, random);
    SUCCEED();
}

TEMPLATE_TEST_CASE("matmul: sizes around those of tiles are exact where strides are known at run time only", "", float,
                   double) {
    numbers random;
    auto const sizes = sizes_to_40(false);
    for (auto m : sizes)
        for (auto n : sizes)
            for (auto k : sizes) check_size<TestType>(m, n, k, layout::strided, random);
    SUCCEED();
}

TEMPLATE_TEST_CASE(
    "matmul: strided, transposed, backward and repeated operands are read, and strided targets written, where their "
    "elements are",
    "", float, double) {
    numbers random;
    static auto gradient = ad::grad<2, 0, 1>(weighted);
    for (auto [m, k, n] : {std::array<std::size_t, 3>{3, 4, 5}, {9, 17, 13}, {1, 5, 30}, {26, 3, 1}})
        for (int how = 0; how < (optimised ? 8 * 8 * 8 : 32); ++how) {
            int const first = how % 8, second = how / 8 % 8, third = how / 64;
            strided<TestType> a(m, k, first), b(k, n, second), c(m, n, third);
            // 6 and 7 repeat elements
            strided<TestType> ab(m, n, first % 6), cb(m, k, second % 6), ac(k, n, (third + second) % 6);
            for (auto* x : {&a, &b, &c}) random.integers(x->memory);
            gradient(ad::into(ab.view, cb.view, ac.view), a.view, b.view, c.view);
            products<TestType> p(m, n, k);
            p.a = a.copy(), p.b = b.copy(), p.c = c.copy(), p.ab = ab.copy(), p.cb = cb.copy(), p.ac = ac.copy();
            if (auto const text = p.differences(); !text.empty())
                FAIL_CHECK(m << " x " << k << " x " << n << ", layouts " << first << second << third << ": " << text);
            if (!ab.rest_is_untouched() || !cb.rest_is_untouched() || !ac.rest_is_untouched())
                FAIL_CHECK(m << " x " << k << " x " << n << ", layouts " << first << second << third
                             << ": something else was written");
        }
    SUCCEED();
}

TEMPLATE_TEST_CASE("matmul: sums longer than one block of depth, more rows and columns than one block of them", "",
                   float, double) {
    numbers random;
    auto const how = GENERATE(layout::dense, layout::strided);
    check_size<TestType>(7, 5, 1000, how, random);
    check_size<TestType>(100, 70, 300, how, random);
    // columns of aT c that are read in place, if they are not far apart
    for (std::size_t k : {95u, 96u, 97u, 191u, 192u, 193u})
        for (std::size_t n : {5u, 33u}) check_size<TestType>(100, n, k, how, random);
    if (!optimised) return;
    check_size<TestType>(257, 129, 513, how, random);
    check_size<TestType>(64, 128, 784, how, random);
    check_size<TestType>(33, 1000, 20, how, random);
    check_size<TestType>(1000, 33, 20, how, random);
}

TEST_CASE("matmul: sizes the compiler knows are exact, small ones and narrow ones") {
    check_fixed<float, 9, 7, 13>();
    check_fixed<float, 11, 6, 13>();  // rows that no tile divides: some are left over
    check_fixed<double, 13, 5, 6>();
    check_fixed<double, 300, 14, 20>();   // a left operand by columns, read in place by wide registers
    check_fixed<double, 300, 14, 100>();  // packed, in strips of 7
    check_fixed<float, 130, 100, 97>();   // in strips of 12, of which the last is not full
    check_fixed<float, 70, 300, 20>();
    // around the widths up to which near rows and columns of a left operand are read in place, and how far apart these are
    check_fixed<float, 25, 70, 256>();
    check_fixed<float, 50, 70, 257>();
    check_fixed<float, 26, 512, 130>();
    check_fixed<float, 26, 513, 130>();
    check_fixed<double, 29, 256, 128>();
    check_fixed<double, 100, 257, 129>();
}

TEMPLATE_TEST_CASE("matmul: around the number of rows for which a right operand is read where it lies", "", float,
                   double) {
    numbers random;
    constexpr std::size_t few = ad::detail::machine::few_rows;
    for (auto how : {layout::dense, layout::strided})
        for (std::size_t m : {std::size_t{7}, few - 1, few, few + 1, std::size_t{100}})
            for (std::size_t n : {48u, 64u, 1024u / static_cast<unsigned>(sizeof(TestType))})
                check_size<TestType>(m, n, 190, how, random);
    SUCCEED();
}

TEMPLATE_TEST_CASE("matmul: some columns of a wider right operand, around the sizes from which they are packed", "",
                   float, double) {
    constexpr std::size_t most = ad::detail::machine::first_cache / (80 * sizeof(TestType)), more = most + 1;
    using loops::fixed_matrix;
    check_columns<32>(fixed_matrix<TestType, 96, most>{}, fixed_matrix<TestType, most, 80>{},
                      fixed_matrix<TestType, 96, 32>{});
    check_columns<32>(fixed_matrix<TestType, 96, more>{}, fixed_matrix<TestType, more, 80>{},
                      fixed_matrix<TestType, 96, 32>{});
    check_columns<33>(fixed_matrix<TestType, 131, more>{}, fixed_matrix<TestType, more, 80>{},
                      fixed_matrix<TestType, 131, 33>{});
    for (std::size_t m : {0u, 1u, 32u, 95u, 96u, 97u})
        for (std::size_t k : {std::size_t{0}, most, more})
            check_columns<32>(matrix<TestType>(m, k), matrix<TestType>(k, 80), matrix<TestType>(m, 32));
}

TEMPLATE_TEST_CASE("matmul: without rows or columns there is nothing to write, a sum of no products is 0", "", float,
                   double) {
    numbers random;
    for (auto how : {layout::dense, layout::strided})
        for (auto m : {0, 1, 9})
            for (auto n : {0, 1, 13})
                for (auto k : {0, 1, 5})
                    check_size<TestType>(static_cast<std::size_t>(m), static_cast<std::size_t>(n),
                                         static_cast<std::size_t>(k), how, random);
    SUCCEED();
}

// Root mean squares, which a few hundred elements give as well as many; the largest errors vary with the numbers.
TEST_CASE("matmul: float sums of 512 and 1024 products err at most 6 times as much as an exact sum, rounded") {
    numbers random;
    for (auto const k : {std::size_t{512}, std::size_t{1024}}) {
        products<float> p(optimised ? k : 24, optimised ? k : 24, k);
        for (auto* x : {&p.a, &p.b, &p.c}) random.uniforms(x->elements);
        p.compute(layout::dense);
        auto const check = [&](char const* name, matrix<float> const& actual, matrix<double> const& exact) {
            double errors = 0, roundings = 0;
            for (std::size_t i = 0; i < exact.elements.size(); ++i) {
                double const e = exact.elements[i];
                errors += std::pow(static_cast<double>(actual.elements[i]) - e, 2);
                roundings += std::pow(static_cast<double>(static_cast<float>(e)) - e, 2);
            }
            double const ratio = std::sqrt(errors / roundings);
            INFO(name << " at " << k);
            CHECK(ratio <= 6);  // 4.3 to 5.4; 15 to 25 without chains
        };
        check("a b", p.ab, multiply<double>(p.a, p.b));
        if (k > 512 || !optimised) continue;  // the other two are sums of 512 as well
        check("c bT", p.cb, multiply<double>(p.c, transposed(p.b)));
        check("aT c", p.ac, multiply<double>(transposed(p.a), p.c));
    }
}

TEMPLATE_TEST_CASE("matmul: NaN and infinities come out exactly where plain arithmetic puts them", "", float, double) {
    using limits = std::numeric_limits<TestType>;
    constexpr TestType nan = limits::quiet_NaN(), inf = limits::infinity();
    numbers random;
    std::vector<std::size_t> depths{1, 2, 3, 5, 8, 20};
    if (optimised) depths = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 50, 200, 600};
    for (auto how : {layout::dense, layout::strided})
        for (auto k : depths)
            for (auto [m, n] : {std::pair<std::size_t, std::size_t>{1, 1}, {1, 13}, {9, 1}, {9, 13}, {8, 12}, {14, 27}})
                for (int where = 0; where < 8; ++where) {
                    products<TestType> p(m, n, k);
                    for (auto* x : {&p.a, &p.b, &p.c}) random.integers(x->elements);
                    // alone in a corner or anywhere, two that cancel, one that meets a zero
                    if (where == 0) p.a.elements.back() = nan;
                    if (where == 1) p.a.elements.front() = -inf;
                    if (where == 2) p.b.elements.back() = inf;
                    if (where == 3) p.b.elements.front() = nan;
                    if (where == 4) p.a.elements[random.next() % p.a.elements.size()] = inf, p.b.elements.back() = -inf;
                    if (where == 5) p.a(m - 1, 0) = inf, p.a(m - 1, k - 1) = -inf;
                    if (where == 6) p.a.elements.back() = inf, p.b(k - 1, n / 2) = 0, p.c(m - 1, 0) = 0;
                    if (where == 7) p.b.elements[random.next() % p.b.elements.size()] = nan, p.c.elements.back() = inf;
                    p.compute(how);
                    if (auto const text = p.differences(); !text.empty())
                        FAIL_CHECK(m << " x " << k << " x " << n << ", form " << where << ": " << text);
                }
    SUCCEED();
}
