// SPDX-License-Identifier: MIT
#pragma once
// Whole matrices of derivatives: all unit tangents (or cotangents) pushed through the graph at once, as items of a
// batch.

#include <tapeless/graph/units.hpp>
#include <tapeless/transform/jvp.hpp>

namespace tapeless {

/// Refuses a function with several results.
template <class F>
struct jacobian_of_several_results {
    static_assert(never<F>, "jacobian: the function returns one floating-point array");
};

namespace detail::inline transform_part {

template <class E>
inline constexpr bool floating_expression = false;
template <expression E>
inline constexpr bool floating_expression<E> = std::floating_point<computed<typename E::value_type>>;

/// The tangents of all ys for all unit tangents of x: (size of x, y...).
template <class T>
constexpr list<int> push_units(builder& b, list<int> const& ys, int x) {
    return for_all_units(b, x, [&](int unit) {
        list<int> xs, tangents;
        xs.push(x), tangents.push(unit);
        return push_forward(b, ys, xs, tangents);
    });
}
template <class T>
constexpr int push_units(builder& b, int y, int x) {
    return push_units<T>(b, list<int>(1, y), x)[0];
}
/// The cotangents of all xs for all unit cotangents of y: (size of y, x...).
template <class T>
constexpr list<int> pull_units(builder& b, int y, list<int> const& xs) {
    return for_all_units(b, y, [&](int unit) {
        list<int> all = differentiate(b, y, xs, unit);
        for (int i = 0; i < all.size(); ++i)
            if (all[i] >= 0) all[i] = emit_expand(b, all[i], dims(b.shape_of(xs[i])));
        return all;
    });
}
/// The leading axis as the last one.
constexpr int emit_leading_last(builder& b, int id) {
    int const rank = b.shape_of(id).rank;
    axis_map m = axis_map::of_rank(rank);
    m.set(0, rank - 1);
    for (int k = 1; k < rank; ++k) m.set(k, k - 1);
    return emit_axes(b, id, m);
}

template <class A, class B>
struct shapes_beside;
template <auto... A, auto... B>
struct shapes_beside<shape<A...>, shape<B...>> {
    using type = shape<A..., B...>;
    static_assert(sizeof...(A) + sizeof...(B) <= static_cast<std::size_t>(max_rank),
                  "jacobian, hessian: an array has at most eight axes");
};
/// A symbol with the extents of y, then those of x, of what node `id` (-1: zeros) holds in that order.
template <class Y, class X>
constexpr auto as_matrix(builder& b, int id, Y const& y, X const& x) {
    using T = typename Y::value_type;
    dims d = b.shape_of(y.id);
    for (int a = 0; a < b.shape_of(x.id).rank; ++a) d.extent[d.rank++] = b.shape_of(x.id).extent[a];
    id = id < 0 ? emit_expand(b, b.constant(0, dtype_of<T>()), d) : emit_reshape(b, id, d);
    return typename symbol_with<T, typename shapes_beside<typename Y::shape_type, typename X::shape_type>::type>::type(
        &b, id);
}

/// Whether unit tangents are fewer than unit cotangents, as far as is known when compiling: a size that is a number
/// counts as the smaller one, and where neither is, the array with fewer axes does.
template <class X, class Y>
constexpr bool forward_is_less() {
    if constexpr (X::is_static && Y::is_static) return X::static_size() <= Y::static_size();
    else if constexpr (X::is_static != Y::is_static) return X::is_static;
    else return X::rank <= Y::rank;
}

/// How many unit tangents of x there are, if they are fewer than the unit cotangents of y and both numbers are known.
template <class X, class Y>
constexpr std::int64_t known_tangents() {
    if constexpr (X::is_static && Y::is_static) return forward_is_less<X, Y>() ? X::static_size() : 0;
    else return 0;
}

/// A tree with every symbol s replaced by change(s), in tuples.
template <class A, class Change>
constexpr auto blocks_by(A const& a, Change const& change) {
    if constexpr (expression<A>) return change(a);
    else
        return detail::with_parts(
            [&](auto const&... x) {
                return std::tuple<decltype(blocks_by(x, change))...>{blocks_by(x, change)...};
            },  // in order
            parts_of(a));
}

/// Derived::at(arguments) where F has the arguments I...
template <class Derived, class F, int... I>
struct derivatives_by {
    template <class... A>
    constexpr auto operator()(A const&... a) const {
        if constexpr (!accepts(why_no_arguments<F, static_cast<int>(sizeof...(A)), I...>()))
            return std::get<0>(std::tie(a...));
        else if constexpr (!returns_something<F, A...>) return std::get<0>(std::tie(a...));
        else return Derived::at(std::tuple<A...>(a...));
    }
};

/// dy/dx by the arguments I..., arrays or trees: of one array a matrix, otherwise one for each in tuples.
template <class F, int... I>
struct first_derivatives : derivatives_by<first_derivatives<F, I...>, F, I...> {
    template <class... A>
    static constexpr auto at(std::tuple<A...> arguments) {
        builder* b = nullptr;
        detail::with_parts([&](auto&... x) { (find_graph(x, b), ...), ((x = settled(*b, x)), ...); }, arguments);
        list<int> parameters;
        (make_parameters(*b, std::get<static_cast<std::size_t>(I)>(arguments), parameters), ...);
        auto const value =
            settled(*b, let_all(detail::with_parts([](auto const&... e) { return F{}(e...); }, arguments)));
        if constexpr (!floating_expression<std::remove_const_t<decltype(value)>>) {
            refuse(because<jacobian_of_several_results<F>>{});
        } else {
            auto const y = let(widened(value));
            using Y = std::remove_const_t<decltype(y)>;
            list<int> pulled(parameters.size(), -1);  // in one sweep for all arguments that are larger than y
            list<int> larger;
            auto each = [&](auto&& f) {
                (each_leaf(std::get<static_cast<std::size_t>(I)>(arguments), f), ...);
            };
            std::int64_t tangents = 0;  // of all arguments that are no larger than y
            each([&]<class X>(X const&) {
                tangents += known_tangents<typename X::shape_type, typename Y::shape_type>();
            });
            auto const forward = [&]<class X>(X const&) {
                if constexpr (Y::shape_type::is_static)
                    if (tangents > Y::shape_type::static_size()) return false;
                return forward_is_less<typename X::shape_type, typename Y::shape_type>();
            };
            each([&](auto const& x) {
                if (!forward(x)) larger.push(x.id);
            });
            if (!larger.empty()) {
                list<int> const some = pull_units<typename Y::value_type>(*b, y.id, larger);
                int at = 0, k = 0;
                each([&](auto const& x) {
                    if (!forward(x)) pulled[at] = some[k++];
                    ++at;
                });
            }
            int next = 0;
            auto const one = [&](auto const& x) {
                using X = std::remove_cvref_t<decltype(x)>;
                int const made = pulled[next++];
                if (!forward(x)) return as_matrix(*b, made, y, x);
                int const r = push_units<typename X::value_type>(*b, y.id, x.id);
                return as_matrix(*b, r < 0 ? -1 : emit_leading_last(*b, r), y, x);
            };
            using std::get;
            return one_or_all(std::tuple<decltype(blocks_by(get<static_cast<std::size_t>(I)>(arguments), one))...>{
                blocks_by(get<static_cast<std::size_t>(I)>(arguments), one)...});  // in order
        }
    }
};

/// The second derivatives of F, a scalar, by the arguments I...: of one array a matrix, otherwise rows of blocks. The
/// tangents of all gradients for the units of x are the row of x: nothing is transposed.
template <class F, int... I>
struct second_derivatives {
    template <class... A>
    constexpr auto operator()(A const&... a) const {
        if constexpr (!accepts(why_no_arguments<F, static_cast<int>(sizeof...(A)), I...>()))
            return std::get<0>(std::tie(a...));
        else if constexpr (!returns_something<F, A...>) return std::get<0>(std::tie(a...));
        else if constexpr (!accepts(why_no_scalar_of<F, A...>())) return std::get<0>(std::tie(a...));
        else return at(std::tuple<A...>(a...));
    }

private:
    template <class... A>
    static constexpr auto at(std::tuple<A...> arguments) {
        builder* b = nullptr;
        detail::with_parts([&](auto&... x) { (find_graph(x, b), ...); }, arguments);
        list<int> parameters, ys;
        (make_parameters(*b, std::get<static_cast<std::size_t>(I)>(arguments), parameters), ...);
        // not std::apply, which is four frames more where the compiler reports an error in F
        auto const gradients = [&]<std::size_t... K>(std::index_sequence<K...>) {
            return typename transformed<F, wanted::gradients, I...>::function{}(std::get<K>(arguments)...);
        }(std::make_index_sequence<sizeof...(A)>{});
        each_leaf(gradients, [&](auto const& y) { ys.push(y.id); });
        auto const row = [&](auto const& x) {
            list<int> const r = push_units<typename std::remove_cvref_t<decltype(x)>::value_type>(*b, ys, x.id);
            int next = 0;
            return blocks_by(gradients, [&](auto const& y) { return as_matrix(*b, r[next++], x, y); });
        };
        return one_or_all(std::tuple<decltype(blocks_by(std::get<static_cast<std::size_t>(I)>(arguments), row))...>{
            blocks_by(std::get<static_cast<std::size_t>(I)>(arguments), row)...});  // in order
    }
};
}  // namespace detail::transform_part

/// jacobian<I...>(f)(args...): the derivative of f by argument I, an array or a number: the extents of the result, then
/// those of the argument. Of several arguments a tuple of such, of a tree tuples in place of its structs. Forward mode
/// where the arrays together have at most as many elements as the result, reverse mode otherwise; a size that only run
/// time knows counts as the larger one, and of two such sizes that of the array with more axes.
template <int... I, class F>
constexpr auto jacobian(F const&) {
    return detail::fused_form<detail::first_derivatives, detail::plain_function<F>>(std::integer_sequence<int, I...>{});
}

/// hessian<I...>(f)(args...): the second derivatives of f, a scalar, by argument I: the extents of the argument twice.
/// Of several arguments, or of a tree, blocks: a tuple of rows, each a tuple. Forward over reverse, for all elements at
/// once.
template <int... I, class F>
constexpr auto hessian(F const&) {
    return detail::fused_form<detail::second_derivatives, detail::plain_function<F>>(
        std::integer_sequence<int, I...>{});
}

}  // namespace tapeless
