// SPDX-License-Identifier: MIT
#pragma once
// What the losses share: how the losses of a batch become one number, and which targets fit an input.

#include <tapeless/functional/parameter.hpp>
#include <tapeless/ops/boundary.hpp>
#include <tapeless/ops/statistics.hpp>

namespace tapeless {

/// Refuses a target that is neither a number nor of the shape of the input.
template <fixed_string Loss, class Input, class Target>
struct target_shape_differs {
    static_assert(never<Input>,
                  "loss: the target has the shape of the input, or is one number: a target that would be "
                  "stretched is most often a mistake (write expand<...>(target) where it is not)");
};

namespace loss {

/// What becomes of the losses of a batch: nothing, their mean, their sum, or their sum divided by the length of the
/// first axis.
struct reductions {  // no enum class: g++ would offer its enumerators for a name that it does not find, such as `sum`
    enum reduction { none, mean, sum, batchmean };
};
using reduction = reductions::reduction;

}  // namespace loss

namespace detail::inline functional_part {

/// Whether extents written as numbers are the same, and so is the rank. What only run time knows is checked there.
template <class A, class B>
constexpr bool same_extents() {
    if (A::rank != B::rank) return false;
    for (int k = 0; k < A::rank; ++k) {
        std::int64_t const a = dims_of<A>().from_right(k), b = dims_of<B>().from_right(k);
        if ((a >= 0 && b >= 0 && a != b) || (a == 1) != (b == 1)) return false;
    }
    return true;
}

/// Why an array does not stand beside the input: it has its shape, or none.
template <fixed_string Loss, class X, class Y>
constexpr auto why_no_target() {
    if constexpr (number<Y> || is_node_ref<X> || is_node_ref<Y>) return because<no_reason>{};
    else if constexpr (Y::rank == 0) return because<no_reason>{};
    else
        return because<unless<same_extents<typename X::shape_type, typename Y::shape_type>(),
                              target_shape_differs<Loss, typename X::shape_type, typename Y::shape_type>>>{};
}

/// The target (or another array beside the input) as numbers of the input's type: masks and integers are converted.
template <fixed_string Loss, class X, class Y>
constexpr auto beside(X const& x, Y const& target) {
    if constexpr (number<Y>) {
        return target;
    } else {
        using T = computed<typename X::value_type>;
        if constexpr (!accepts(why_no_target<Loss, X, Y>()) || !accepts(why_no_constant<Y>())) return cast<T>(x);
        else if constexpr (constant_tensor<Y>) return in_graph_beside<T>(target, x);
        else if constexpr (std::integral<typename Y::value_type>) return cast<T>(target);
        else return target;
    }
}

/// The same, named, for formulas that use it more than once.
template <fixed_string Loss, class X, class Y>
constexpr auto named_beside(X const& x, Y const& target) {
    refuse(why_no_target<Loss, X, Y>());  // here, nearer to the user's line
    if constexpr (number<Y>) return literal<computed<typename X::value_type>>(static_cast<double>(target));
    else return let(beside<Loss>(x, target));
}

/// sum / (length of the first axis)
struct batchmean_op : composed_reduction<batchmean_op, "batchmean"> {
    static constexpr auto value(auto x, attribute const& at) {
        int const rank = x.graph->shape_of(x.id).rank;
        return over<sum_op>(at, x) / count_of(x, rank > 0 ? std::int64_t{1} << (rank - 1) : 0);
    }
};

/// The losses of a batch, reduced.
template <loss::reduction R, expression E>
constexpr auto reduced(E const& each) {
    if constexpr (R == loss::reduction::none) return each;
    else if constexpr (R == loss::reduction::sum) return sum(each);
    else if constexpr (R == loss::reduction::mean) return mean(each);
    else return reduce<batchmean_op, false>(each);
}

}  // namespace detail::functional_part
}  // namespace tapeless
