// SPDX-License-Identifier: MIT
#pragma once
// Arrays for the results of a call, and the targets it writes to instead.

#include <tapeless/transform/result_arrays.hpp>
#include <tapeless/transform/handover.hpp>
#include <tapeless/transform/into.hpp>

namespace tapeless::detail::inline transform_part {

/// The length of axis k of a result.
template <class P>
std::int64_t result_length(handover<P> const& h, int output, int k) {
    std::int64_t const e = P::shapes[P::output_shape[output]].extent[k];
    return e >= 0 ? e : h.extent[~e];
}

/// The results of F, and the gradients by arguments I, as new arrays.
template <class F, wanted W, int... I>
struct new_results {
    /// Those of a call that returns one or the other.
    template <class P, class... A>
    static auto make(handover<P> const& h, A const&... a) {
        if constexpr (W == wanted::value) return make_value<P>(h, a...);
        else return make_gradients(a...);
    }
    /// One gradient as it is, several as a tuple.
    template <class... A>
    static auto make_gradients(A const&... a) {
        void const* const all[] = {__builtin_addressof(a)...};  // a tuple would be five functions for each
        if constexpr (sizeof...(I) == 1)
            return make_like(*static_cast<typename nth_type<I, A...>::type const*>(all[I])...);
        else return std::make_tuple(make_like(*static_cast<typename nth_type<I, A...>::type const*>(all[I]))...);
    }
    /// Arrays for the results; nothing where only gradients are asked for.
    template <class P, class... A>
    static auto make_value(handover<P> const& h, A const&... a) {
        int output = 0;
        if constexpr (W == wanted::gradients) return nothing{};
        else if constexpr (forms_its_result<F>) {
            return [&]<std::size_t... K>(std::index_sequence<K...>) {
                // in order
                return typename result_arrays<F, A...>::type{make_part<K, P>(h, output, std::tie(a...))...};
            }(std::make_index_sequence<F::result_like.size()>{});
        } else {
            return make_array<typename array_of<traced_result<F, A...>>::type>(h, output);
        }
    }
    template <std::size_t K, class P, class... A>
    static auto make_part(handover<P> const& h, int& output, std::tuple<A const&...> const& a) {
        using X = std::tuple_element_t<K, typename result_arrays<F, A...>::type>;
        if constexpr (F::result_like[K] < 0) return make_array<X>(h, output);
        else {
            output += leaves_in<X>();
            return make_like(std::get<static_cast<std::size_t>(F::result_like[K])>(a));
        }
    }
    template <class R, class P>
    static auto make_array(handover<P> const& h, int& output) {
        if constexpr (is_tuple<R>) {
            return [&]<class... X>(std::type_identity<std::tuple<X...>>) {
                return R{make_array<X>(h, output)...};  // in order
            }(std::type_identity<R>{});
        } else {
            ++output;
            if constexpr (leaf_traits<R>::shape_type::is_static) return R{};
            else {
                std::array<std::int64_t, static_cast<std::size_t>(R::rank)> e;
                for (int k = 0; k < R::rank; ++k) e[static_cast<std::size_t>(k)] = result_length(h, output - 1, k);
                return R::uninitialized(e);
            }
        }
    }
};

/// Throws shape_error where a target is not as long as the result that is written there, from number `output` on.
template <class P, class... T>
void check_values(handover<P> const& h, into_t<T...> const& targets, int output) {
    int target = 0;
    auto one = [&](auto const& t) {
        each_leaf(t, [&](auto const& l) {
            auto const is = leaf_traits<std::remove_cvref_t<decltype(l)>>::extents(l);
            int const rank = static_cast<int>(is.size());
            for (int k = 0; k < rank; ++k) {
                std::int64_t const wanted = result_length(h, output, k), has = is[static_cast<std::size_t>(k)];
                if (has != wanted) throw_target_error(target, k, has, wanted);
            }
            ++output;
        });
        ++target;
    };
    detail::with_parts([&](auto const&... t) { (one(t), ...); }, targets.targets);
}

template <class P, class... T>
void take_targets(handover<P>& h, into_t<T...> const& targets) {
    detail::with_parts(
        [&](auto const&... t) {
            (take_target(const_cast<std::remove_cvref_t<T>&>(t), h.output, P::has_strided ? h.stride : nullptr,
                         P::leaves, h.targets),
             ...);
        },
        targets.targets);
}
/// The same of gradients by the arguments I...
template <class Arguments, int... I, class P, class... T>
void check_gradients(handover<P> const& h, into_t<T...> const& targets) {
    int target = 0;
    auto one = [&](auto const& t, int argument) {
        int leaf_number = Arguments::first[static_cast<std::size_t>(argument)];
        each_leaf(t, [&](auto const& l) {
            auto const e = leaf_traits<std::remove_cvref_t<decltype(l)>>::extents(l);
            for (std::size_t k = 0; k < e.size(); ++k)
                if (e[k] != h.length(leaf_number, static_cast<int>(k)))
                    throw_target_error(target, static_cast<int>(k), e[k],
                                       h.length(leaf_number, static_cast<int>(k)));
            ++leaf_number;
        });
        ++target;
    };
    constexpr int index[] = {I...};
    detail::with_parts([&](auto const&... t) { (one(t, index[target]), ...); }, targets.targets);
}

}  // namespace tapeless::detail::transform_part
