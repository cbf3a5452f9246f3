// SPDX-License-Identifier: MIT
#pragma once
// value_and_grad over ranks: each computes its part of a batch, and all have the mean.

#include <exception>
#include <string>
#include <tuple>

#include <tapeless/mpi/mean.hpp>
#include <tapeless/transform/grad.hpp>

namespace tapeless::detail::inline mpi_part {

/// A function whose value and gradients are averaged over ranks. A rank on which a call throws says so to the others,
/// so that all of them throw.
template <class Step>
class averaged_step {
public:
    averaged_step(MPI_Comm comm, mpi::mean_options const& o) : options(o), comm_(comm) {}

    mpi::mean_options options;

    /// As value_and_grad: { value, grad }, or with into(...) first the value.
    template <class... A>
    auto operator()(A const&... a) {
        using result = decltype(step_(a...));
        if constexpr (is_into<typename first_of<A...>::type>) {
            result value{};
            auto const& targets = first(a...).targets;
            average(caught([&] { value = step_(a...); }), std::tuple_cat(std::tie(value), as_references(targets)));
            return value;
        } else {
            result r{};
            average(caught([&] { r = step_(a...); }), std::tie(r.value, r.grad));
            return r;
        }
    }

    averaged_step& threads(int n) { return step_.threads(n), *this; }
    averaged_step& threads(executor& e) { return step_.threads(e), *this; }
    int threads() const { return step_.threads(); }

private:
    Step step_;
    MPI_Comm comm_;
    mean_memory memory_;

    template <class First, class... Rest>
    static First const& first(First const& f, Rest const&...) {
        return f;
    }
    template <class... T>
    static auto as_references(std::tuple<T...> const& targets) {
        return detail::with_parts([](auto&... t) { return std::tie(t...); }, targets);
    }
    template <class Tree>
    void average(std::exception_ptr const& e, Tree tree) {
        std::string const text = e ? text_of(e) : std::string();
        auto const told = [&] {
            mean_over_ranks(comm_, "value_and_grad", memory_, options, tree, e ? &text : nullptr);
        };
        if (!e) return told();
        (void)caught(told);
        std::rethrow_exception(e);
    }
};

}  // namespace tapeless::detail::mpi_part

namespace tapeless::mpi {

/// The value of f and its gradients by the arguments I... (by default the first), averaged over the ranks of a
/// communicator, which have the same model, and each its part of the batch. `options` are a member of what it returns,
/// and may change between calls, as on all ranks; the weight as it pleases.
///
///     auto step = ad::mpi::value_and_grad<0>(loss, comm);
///     float value = step(ad::into(gradient), model, x, y);      // the same on all ranks, and so is the gradient
template <int... I, class F>
auto value_and_grad(F const& f, MPI_Comm comm, mean_options const& options = {}) {
    return detail::averaged_step<decltype(tapeless::value_and_grad<I...>(f))>(comm, options);
}

}  // namespace tapeless::mpi
