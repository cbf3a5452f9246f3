// SPDX-License-Identifier: MIT
// What calls on threads promise besides their results: who runs them, what they allocate, throw and share.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>

#include <threads/same_bits.hpp>

#include <sys/wait.h>
#include <unistd.h>

using namespace tests;

namespace {

std::atomic<std::size_t> allocations = 0;

void* allocate(std::size_t n, std::size_t alignment) {
    ++allocations;
    if (void* p = std::aligned_alloc(alignment, (n + alignment - 1) / alignment * alignment)) return p;
    throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t n) { return allocate(n, 16); }
void* operator new(std::size_t n, std::align_val_t a) { return allocate(n, static_cast<std::size_t>(a)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace {

constexpr auto squares = [](auto x, auto w) { return sum(square(tanh(matmul(x, w)))) + mean(exp(x)); };

/// Runs the workers one after the other on the caller, the last one first or only the first, and counts.
struct counting_executor : ad::executor {
    int runs = 0, workers = 0;
    bool all = true;
    int threads() const override { return 4; }
    void run(int n, work w) override {
        ++runs;
        for (int i = all ? n - 1 : 0; i >= 0; --i, ++workers) w(i);
    }
};

}  // namespace

TEST_CASE("threads: somebody else's run what is worth it, as many of them as they like") {
    auto one = ad::value_and_grad<0, 1>(squares), lent = one;
    counting_executor e;
    lent.threads(e);
    CHECK(lent.threads() == 4);
    random_arrays make;
    auto const x = make.matrix(300, 80), w = make.matrix(80, 70);
    std::string const wanted = bytes_of(one(x, w));
    CHECK(bytes_of(lent(x, w)) == wanted);
    CHECK(e.runs > 2);
    CHECK(e.workers > 2 * e.runs);
    e.all = false;
    CHECK(bytes_of(lent(x, w)) == wanted);
    int const runs = e.runs;
    (void)lent(make.matrix(3, 4), make.matrix(4, 5));  // too little to share
    CHECK(e.runs == runs);
}

TEST_CASE("threads: nothing is allocated after the first call, and lengths may change from call to call") {
    auto step = ad::value_and_grad<0, 1>(squares);
    step.threads(3);
    random_arrays make;
    auto const x = make.matrix(400, 80), y = make.matrix(130, 80), w = make.matrix(80, 70);
    ad::tensor<float, ad::dyn, ad::dyn> gx(400, 80), gy(130, 80), gw(80, 70);
    float const first = step(ad::into(gx, gw), x, w), second = step(ad::into(gy, gw), y, w);
    std::size_t const before = allocations;
    for (int i = 0; i < 20; ++i) {
        bool const same = step(ad::into(gx, gw), x, w) == first && step(ad::into(gy, gw), y, w) == second;
        if (!same) FAIL("another value");
    }
    CHECK(allocations == before);
}

TEST_CASE("threads: how many, unless a callable was told") {
    auto step = ad::fused([](auto x) { return sum(exp(x)); });
    CHECK(step.threads() == 1);
    ad::default_threads(3);
    CHECK(ad::default_threads() == 3);
    CHECK(step.threads() == 3);
    CHECK(step.threads(2).threads() == 2);
    auto const copy = step;
    CHECK(copy.threads() == 2);
    ad::default_threads(1);
    CHECK(copy.threads() == 2);
    CHECK(step.threads(0).threads() >= 1);
    random_arrays make;
    auto const x = make.vector(200'000);
    CHECK(copy(x) == step.threads(1)(x));  // a callable that is const, too
    ad::function<float(ad::tensor<float, ad::dyn> const&)> hidden = step;
    CHECK(hidden.threads(3)(x) == step(x));
}

TEST_CASE("threads: the plan says which loop they share") {
    auto has = [](std::string const& text, char const* part) { return text.find(part) != std::string::npos; };
    random_arrays make;
    auto const loss = ad::fused([](auto x) { return sum(exp(x)); });
    CHECK(has(ad::explain(loss, make.vector(100'000)), "  threads  share loop 0, 100000 long, in "));
    CHECK(!has(ad::explain(loss, make.vector(100)), "threads"));
    auto const layer = ad::fused([](auto x, auto w) { return tanh(matmul(x, w)); });
    CHECK(has(ad::explain(layer, make.matrix(300, 80), make.matrix(80, 70)), "  threads  share rows, 300 long\n"));
    auto const batch = ad::fused([](auto x, auto w) { return matmul(x, w); });
    CHECK(has(ad::explain(batch, make.matrix(10, 900), make.matrix(900, 300)),
              "  threads  share rows and columns, 10 long\n"));
    CHECK(has(ad::explain(batch, make.cube(40, 50, 60), make.cube(40, 60, 70)), "  threads  share loop 0, 40 long\n"));
}

TEST_CASE("threads: two callables at once, and more callers than threads") {
    auto const step = ad::value_and_grad<0, 1>(squares);
    random_arrays make;
    auto const x = make.matrix(300, 60), w = make.matrix(60, 50);
    auto one = step;
    std::string const wanted = bytes_of(one(x, w));
    std::atomic<int> wrong = 0;
    std::vector<std::thread> callers;
    for (int i = 0; i < 4; ++i)
        callers.emplace_back([&, i] {
            auto own = step;
            own.threads(1 + i);
            for (int k = 0; k < 20; ++k) wrong += bytes_of(own(x, w)) != wanted;
        });
    for (std::thread& t : callers) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("threads: what pieces throw reaches the caller, of several the first; and the pool goes on") {
    ad::detail::crew crew;
    crew.threads(3);
    for (int i = 0; i < 50; ++i) {
        std::atomic<int> ran = 0;
        std::string message;
        try {
            crew.each_piece(
                3, 20,
                [](void const* data, int, std::int64_t n) {
                    ++*const_cast<std::atomic<int>*>(static_cast<std::atomic<int> const*>(data));
                    if (n == 7 || n == 13) throw std::runtime_error(n == 7 ? "the seventh" : "another");
                },
                &ran);
        } catch (std::runtime_error const& e) {
            message = e.what();
        }
        CHECK(message == "the seventh");
        CHECK(ran == 20);
    }
}

TEST_CASE("threads: every piece is run once, however many there are for however many threads") {
    counting_executor e;
    for (bool all : {true, false})
        for (int threads = 1; threads <= 4; ++threads)
            for (int count = 0; count <= 21; ++count) {
                e.all = all;
                ad::detail::crew lent, own;
                lent.threads(e);
                own.threads(threads);
                for (ad::detail::crew* crew : {&lent, &own}) {
                    std::array<std::atomic<int>, 22> ran{};
                    crew->each_piece(
                        threads, count,
                        [](void const* data, int, std::int64_t n) {
                            auto* const r = static_cast<std::array<std::atomic<int>, 22> const*>(data);
                            ++const_cast<std::array<std::atomic<int>, 22>&>(*r)[static_cast<std::size_t>(n)];
                        },
                        &ran);
                    CAPTURE(all, threads, count);
                    bool once = true;
                    for (int n = 0; n < 22; ++n) once = once && ran[static_cast<std::size_t>(n)] == (n < count ? 1 : 0);
                    CHECK(once);
                }
            }
}

TEST_CASE("threads: a call from a piece of another is done by its caller") {
    ad::detail::crew crew;
    crew.threads(3);
    std::atomic<int> ran = 0;
    crew.each_piece(
        3, 4,
        [](void const* data, int, std::int64_t) {
            ad::detail::crew inner;
            inner.threads(3);
            inner.each_piece(
                3, 5,
                [](void const* d, int, std::int64_t) {
                    ++*const_cast<std::atomic<int>*>(static_cast<std::atomic<int> const*>(d));
                },
                data);
        },
        &ran);
    CHECK(ran == 20);
}

TEST_CASE("threads: a process that was forked has threads of its own") {
    auto step = ad::value_and_grad<0, 1>(squares);
    step.threads(3);
    random_arrays make;
    auto const x = make.matrix(300, 60), w = make.matrix(60, 50);
    std::string const wanted = bytes_of(step(x, w));
    usleep(1000);  // the workers sleep
    pid_t const child = fork();
    if (child == 0) {
        bool same = true;
        for (int i = 0; i < 30; ++i) {
            if (i % 10 == 0) usleep(1000);  // its workers sleep
            same = same && bytes_of(step(x, w)) == wanted;
        }
        _exit(same ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
}

TEST_CASE("threads: the steps of optimisers") {
    random_arrays make;
    for (std::int64_t n : {1, 16'383, 16'384, 16'385, 100'003}) {
        auto const x = make.vector(n), g = make.vector(n);
        auto const after = [&](auto optimizer, int threads) {
            auto model = x;
            optimizer.threads(threads);
            for (int i = 0; i < 3; ++i) optimizer.step(model, g);
            return bytes_of(model);
        };
        for (int threads : {2, 3, 5}) {
            CHECK(after(ad::optim::adam(x), threads) == after(ad::optim::adam(x), 1));
            CHECK(after(ad::optim::sgd(x, {.momentum = 0.9}), threads) ==
                  after(ad::optim::sgd(x, {.momentum = 0.9}), 1));
        }
    }
}
