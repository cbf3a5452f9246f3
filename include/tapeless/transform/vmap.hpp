// SPDX-License-Identifier: MIT
#pragma once
// vmap: a function of one item as a function of many, which stand along an axis of the arguments.

#include <tapeless/graph/batch.hpp>
#include <tapeless/transform/bodies.hpp>
#include <tapeless/transform/grad.hpp>

namespace tapeless {

/// In vmap<axes...>: this argument is the same for all items.
inline constexpr int whole = -0x7fffffff - 1;

/// Refuses an axis that an argument does not have.
template <class F, int Axis, class Shape>
struct vmap_axis_out_of_range {
    static_assert(never<F>,
                  "vmap<axes...>: an argument has no such axis (an array of rank r has the axes -r ... r - 1); what "
                  "is the same for all items, such as a number, is mapped along `whole`");
};
/// Refuses arguments with different numbers of items.
template <class F, std::int64_t First, std::int64_t Other>
struct vmap_lengths_differ {
    static_assert(never<F>, "vmap: the arguments have different lengths along the axes that are mapped");
};
/// Refuses a list of axes that is not one for each argument.
template <class F, int Axes, int Arguments>
struct vmap_needs_an_axis_for_each_argument {
    static_assert(never<F>,
                  "vmap<axes...>: one axis for each argument, or none at all (then every argument is mapped along "
                  "axis 0)");
};
/// Refuses to map nothing.
template <class F>
struct vmap_of_nothing {
    static_assert(never<F>, "vmap: at least one argument is mapped along an axis");
};

namespace detail::inline transform_part {

/// The number of items, as far as types know it.
template <auto Length>
struct item_count {
    static constexpr auto value = Length;
};
struct no_items {};
template <class Reason>
struct refused_items {
    using reason = Reason;
};
template <class Items>
inline constexpr bool are_refused = requires {
    typename Items::reason;
};

/// What arguments of F have in common. (Nothing is called with a reason: compilers would look into it, and refuse.)
template <class F, class A, class... Others>
constexpr auto common_items() {
    if constexpr (sizeof...(Others) == 0) return A{};
    else {
        using B = decltype(common_items<F, Others...>());
        if constexpr (std::same_as<A, no_items> || are_refused<B>) return B{};
        else if constexpr (std::same_as<B, no_items> || are_refused<A>) return A{};
        else if constexpr (is_static_extent<A::value> && is_static_extent<B::value>) {
            constexpr auto a = extent_value<A::value>(), b = extent_value<B::value>();
            if constexpr (a != b) return refused_items<vmap_lengths_differ<F, a, b>>{};
            else return A{};
        } else if constexpr (is_static_extent<B::value>) return B{};
        else return A{};
    }
}

template <class F, int Axis, class X>
constexpr auto count_items();
template <class F, int Axis, class... P>
constexpr auto count_items_in(std::type_identity<std::tuple<P...>>) {
    if constexpr (sizeof...(P) == 0) return no_items{};
    else return common_items<F, decltype(count_items<F, Axis, std::remove_cvref_t<P>>())...>();
}
/// Of an argument of type X: an expression or a tree.
template <class F, int Axis, class X>
constexpr auto count_items() {
    if constexpr (Axis == whole) return no_items{};
    else if constexpr (expression<X>) {
        using S = typename X::shape_type;
        if constexpr (Axis >= S::rank || Axis < -S::rank) {
            return refused_items<vmap_axis_out_of_range<F, Axis, S>>{};
        } else {
            return item_count<shape_extent<Axis < 0 ? Axis + S::rank : Axis, S>::value>{};
        }
    } else if constexpr (leaf<X>) {  // a number
        return refused_items<vmap_axis_out_of_range<F, Axis, shape<>>>{};
    } else {
        return count_items_in<F, Axis>(std::type_identity<parts<X>>{});
    }
}

/// The shape without an axis.
template <class Shape, int Axis>
struct item_shape {
    static constexpr bool exists = Axis < Shape::rank && Axis >= -Shape::rank;  // refused where not
    static constexpr std::int64_t axis = exists ? std::int64_t{1} << axis_from_right(Axis, Shape::rank) : 0;
    static constexpr dims value = axis_map::without(Shape::rank, axis).apply(dims_of<Shape>());
    using type = typename shape_from<item_shape, Shape>::type;
};
/// The shape with one more leading axis.
template <auto Length, class Shape>
struct shape_of_items;
template <auto Length, auto... E>
struct shape_of_items<Length, shape<E...>> {
    using type = shape<Length, E...>;
};

/// Items and the arrays that they stand for.
struct item_table {
    builder& b;
    list<int> items, arrays;

    /// What a function of one item sees in place of x; trees that are mapped become tuples.
    template <int Axis, class X>
    constexpr auto item_of(X const& x) {
        if constexpr (Axis == whole) {
            return x;
        } else if constexpr (expression<X>) {
            auto const v = let(widened(x));
            using V = std::remove_const_t<decltype(v)>;
            using item = item_shape<typename V::shape_type, Axis>;
            if constexpr (!item::exists) return v;
            else return typename symbol_with<typename V::value_type, typename item::type>::type(&b, add<Axis>(v.id));
        } else if constexpr (is_array<X>) {
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                return std::array{item_of<Axis>(x[I])...};
            }(std::make_index_sequence<std::tuple_size_v<X>>{});
        } else {
            auto all_of = [&](auto const&... p) {
                return std::tuple<decltype(item_of<Axis>(p))...>{item_of<Axis>(p)...};
            };
            return detail::with_parts(all_of, parts_of(x));
        }
    }
    /// The results of one item, for all items.
    template <auto Length, class R>
    constexpr auto results(R const& r) {
        list<int> ys;
        each_leaf(r, [&](auto const& e) { ys.push(widened(e).walk(b)); });
        list<int> const all = batch(b, ys, items, arrays);
        int next = 0;
        return result<Length>(r, ys, all, next);
    }

private:
    /// The items of node x along an axis: a node that stands for one of them.
    template <int Axis>
    constexpr int add(int x) {
        if (b.nodes.items[x].type == dtype::b8) x = to_mask(b, x, dtype::mask32);
        int const rank = b.shape_of(x).rank, along = axis_from_right(Axis, rank);
        axis_map m = axis_map::of_rank(rank);
        for (int k = 0, from = 0; k < rank - 1; ++k, ++from) {
            if (from == along) ++from;
            m.set(k, from);
        }
        m.set(rank - 1, along);
        arrays.push(emit_axes(b, x, m));
        items.push(emit_item(b, arrays.back()));
        return items.back();
    }
    template <auto Length, class R>
    constexpr auto result(R const& r, list<int> const& ys, list<int> const& all, int& next) {
        if constexpr (expression<R>) {
            using W = std::remove_cvref_t<decltype(widened(r))>;
            using S = typename shape_of_items<Length, typename W::shape_type>::type;
            int const y = ys[next], found = all[next];
            ++next;
            int const id =
                emit_expand(b, found < 0 ? y : found, with_leading(b, b.shape_of(arrays[0]).extent[0], b.shape_of(y)));
            typename symbol_with<typename W::value_type, S>::type const s(&b, id);
            if constexpr (storage_only<typename R::value_type>) return cast<typename R::value_type>(s);
            else return s;
        } else {
            auto all_of = [&](auto const&... p) {
                return std::tuple<decltype(result<Length>(p, ys, all, next))...>{
                    result<Length>(p, ys, all, next)...};  // in order
            };
            return detail::with_parts(all_of, parts_of(r));
        }
    }
};

/// f of all items at once, inside a traced function.
template <class F, int... Axes>
struct mapped {
    template <class... A>
    constexpr auto operator()(A const&... a) const {
        auto const r = found(a...);
        if constexpr (is_instead<decltype(found(a...))>)
            return refuse(because<typename decltype(found(a...))::reason>{}), r.value;
        else return r;
    }
    /// The same, undelivered.
    template <class... A>
    static constexpr auto found(A const&... a) {
        constexpr int axes = static_cast<int>(sizeof...(Axes)), arguments = static_cast<int>(sizeof...(A));
        if constexpr (!is_stateless<F>()) return std::get<0>(std::tie(a...));
        else if constexpr (axes != 0 && axes != arguments)
            return tapeless::instead_of(because<vmap_needs_an_axis_for_each_argument<F, axes, arguments>>{},
                                        std::get<0>(std::tie(a...)));
        else if constexpr (axes == 0)
            return call(std::integer_sequence<int, (static_cast<void>(sizeof(A)), 0)...>{}, a...);
        else return call(std::integer_sequence<int, Axes...>{}, a...);
    }

private:
    template <class Items, std::size_t... K>
    static constexpr auto on(Items const& items, std::index_sequence<K...>) {
        return F{}(std::get<K>(items)...);
    }
    template <int... Axis, class... A>
    static constexpr auto call(std::integer_sequence<int, Axis...>, A const&... a) {
        using count = decltype(common_items<F, decltype(count_items<F, Axis, A>())..., no_items>());
        if constexpr (std::same_as<count, no_items>) {
            return tapeless::instead_of(because<vmap_of_nothing<F>>{}, std::get<0>(std::tie(a...)));
        } else if constexpr (are_refused<count>) {
            return tapeless::instead_of(because<typename count::reason>{}, std::get<0>(std::tie(a...)));
        } else {
            builder* b = nullptr;
            (find_graph(a, b), ...);
            item_table table{*b, {}, {}};
            auto const items = std::tuple<decltype(table.item_of<Axis>(a))...>{table.item_of<Axis>(a)...};  // in order
            constexpr auto why = why_not_on<F, decltype(table.item_of<Axis>(a))...>();
            if constexpr (is_reason<decltype(why)>) {
                return tapeless::instead_of(why, std::get<0>(std::tie(a...)));
            } else {
                using R = decltype(on(items, std::index_sequence_for<A...>{}));
                if constexpr (!is_result<R>())
                    return tapeless::instead_of(because<result_is_no_expression<F, R>>{}, std::get<0>(std::tie(a...)));
                else return table.results<count::value>(let_all(on(items, std::index_sequence_for<A...>{})));
            }
        }
    }
};
}  // namespace detail::transform_part

/// f, a function of one item, applied to all items along an axis of each argument: 0 where no axes are given,
/// otherwise one for each argument; `whole` is one that is the same for all items: vmap<0, ad::whole>(f)(xs, w).
/// Trees are mapped along the same axis of all their arrays, and f sees tuples in their place. The results have the
/// items along their leading axis. Where f is differentiated, and where it has a rule of its own (with_pullback),
/// that is done for one item. Random draws depend on the seed and on places in the item: items that are to have draws
/// of their own need seeds of their own.
template <int... Axes, class F>
constexpr auto vmap(F const&) {
    return fused(detail::mapped<detail::plain_function<F>, Axes...>{});
}

}  // namespace tapeless
