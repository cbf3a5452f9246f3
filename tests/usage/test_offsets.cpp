// SPDX-License-Identifier: MIT
// Elements that lie more than 2^31 elements apart, in address space of which only some pages are ever touched.

#include <tapeless/tapeless.hpp>

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <vector>

#include "support/catch.hpp"

namespace ad = tapeless;
using ad::dyn;

namespace {

constexpr std::ptrdiff_t far = (std::ptrdiff_t{1} << 32) + 5;  // not a multiple of 2^32: cut to 32 bits it would be 5
using strides = std::array<std::ptrdiff_t, 2>;

/// Zeros, as many as asked for; pages that are not written cost nothing.
class reserved {
public:
    explicit reserved(std::size_t count) : bytes_(count * sizeof(float)) {
        p_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    reserved(reserved const&) = delete;
    ~reserved() {
        if (*this) munmap(p_, bytes_);
    }
    explicit operator bool() const { return p_ != MAP_FAILED; }
    float* data() const { return static_cast<float*>(p_); }

private:
    std::size_t bytes_;
    void* p_;
};

/// The value and the gradients of f of arrays with these elements, wherever they lie.
template <class F>
void expect_alike(F, float* x, strides sx, float* g, strides sg, std::size_t rows, std::size_t columns) {
    ad::view<float, dyn, dyn> const at(x, rows, columns, sx), to(g, rows, columns, sg);
    ad::tensor<float, dyn, dyn> dense(rows, columns), expected(rows, columns);
    float next = 0.5f;
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j) dense(i, j) = at(i, j) = next = next * 0.75f + 0.3f;
    auto f = ad::value_and_grad<0>(F{});
    float const value = f(ad::into(expected), dense);
    CHECK(std::abs(f(ad::into(to), at) - value) <= 1e-5f * std::abs(value));
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < columns; ++j)
            CHECK(std::abs(to(i, j) - expected(i, j)) <= 1e-5f * std::abs(expected(i, j)));
}

}  // namespace

TEST_CASE("strides beyond 2^31: rows far apart, columns far apart, backwards, as arguments and as targets") {
    reserved const from(static_cast<std::size_t>(5 * far)), into(static_cast<std::size_t>(5 * far));
    if (!from || !into) {
        WARN("no address space for this");
        return;
    }
    auto loss = [](auto x) { return sum(square(tanh(x))) + sum(logsumexp<1>(x)) + sum(norm<0>(x)); };
    expect_alike(loss, from.data(), {far, 1}, into.data(), {far, 1}, 4, 9);
    expect_alike(loss, from.data(), {1, far}, into.data(), {1, far}, 9, 4);
    expect_alike(loss, from.data() + 4 * far, {-far, 1}, into.data() + 4 * far, {2, -far}, 4, 5);
    auto product = [](auto x) { return sum(exp(matmul(x, transpose(x)))); };
    expect_alike(product, from.data(), {far, 1}, into.data(), {far, 1}, 4, 9);
    expect_alike(product, from.data(), {1, far}, into.data(), {1, far}, 9, 4);
    auto moved = [](auto x) { return sum(square(ad::flip<0>(x) * ad::cumsum<0>(x)) + ad::roll<1>(x, 1)); };
    expect_alike(moved, from.data(), {far, 1}, into.data(), {far, 1}, 4, 9);
    auto picked = [](auto x) { return sum(square(ad::slice<0, ad::to_end, ad::to_end, -2>(x))) + sum(max<0>(x)); };
    expect_alike(picked, from.data() + 4 * far, {-far, 3}, into.data(), {far, 1}, 5, 3);
}

TEST_CASE("strides beyond 2^31: index_select reads and adds up rows that are far apart") {
    reserved const from(static_cast<std::size_t>(5 * far)), into(static_cast<std::size_t>(5 * far));
    if (!from || !into) {
        WARN("no address space for this");
        return;
    }
    ad::view<float, dyn, 3> const x(from.data(), 5, strides{far, 1}), g(into.data(), 5, strides{far, 1});
    for (std::size_t i = 0; i < 5; ++i)
        for (std::size_t j = 0; j < 3; ++j) x(i, j) = static_cast<float>(10 * i + j);
    auto f = ad::value_and_grad<0>([](auto t, auto i) { return sum(square(ad::index_select<0>(t, i))); });
    CHECK(f(ad::into(g), x, std::vector<int>{4, 0, 4}) == 2 * (1600 + 1681 + 1764) + 1 + 4);
    CHECK(g(0, 2) == 4);
    CHECK(g(1, 1) == 0);
    CHECK(g(4, 1) == 4 * 41);
}

TEST_CASE("view: the place of an element is counted in 64 bits, and lengths whose product exceeds memory are refused") {
    float* const p = nullptr;
    ad::view<float const, dyn, dyn> const v(p, std::size_t{1} << 20, std::size_t{1} << 20);
    CHECK(v.size() == std::size_t{1} << 40);
    CHECK(v.stride(0) == std::ptrdiff_t{1} << 20);
    CHECK_THROWS((ad::view<float const, dyn, dyn>(p, std::size_t{1} << 40, std::size_t{1} << 40)));
    CHECK_THROWS((ad::tensor<float, dyn, dyn>(std::size_t{1} << 40, std::size_t{1} << 40)));
}
