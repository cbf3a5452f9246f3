// SPDX-License-Identifier: MIT
#pragma once
// Tracing: the user's function is called once, in a constant expression, on symbols; what it returns becomes a graph.

#include <tapeless/base/refused.hpp>
#include <tapeless/compile/passes.hpp>
#include <tapeless/compile/results.hpp>
#include <tapeless/graph/differentiate.hpp>
#include <tapeless/graph/real_rules.hpp>
#include <tapeless/ir/mirror.hpp>

namespace tapeless {

/// Refuses to differentiate a function whose result is not one number.
template <class F, class Shape>
struct grad_of_something_that_is_no_scalar {
    static_assert(never<F>,
                  "grad needs a scalar: the function returns an array; end it with sum or mean (of several results "
                  "the first is differentiated)");
};
/// Refuses to differentiate a function whose (first) result is an integer or a mask.
template <class F, class Element>
struct grad_of_an_integer_result {
    static_assert(never<F>,
                  "grad needs a floating-point result: the function returns an integer (or bool); of several "
                  "results the first is differentiated");
};
/// Refuses the gradient of an argument that is not floating-point.
template <class F, int Argument>
struct gradient_of_an_integer_argument {
    static_assert(never<F>,
                  "only floating-point arguments have gradients: this one holds an integer (or bool) array");
};
/// Refuses an index in grad<I...> for which there is no argument.
template <class F, int Argument, int Arguments>
struct no_such_argument {
    static_assert(never<F>, "grad<I...>: there is no argument with this index");
};
/// Refuses arguments that the function does not take.
template <int Count, class F, class... Args>
struct function_does_not_take_these_arguments {
    static_assert(Count != 0, "called with 0 arguments, which the function does not take");
    static_assert(Count != 1,
                  "called with 1 argument, which the function does not take: compare its parameters (they are auto)");
    static_assert(Count != 2,
                  "called with 2 arguments, which the function does not take: compare its parameters (they are auto)");
    static_assert(Count != 3,
                  "called with 3 arguments, which the function does not take: compare its parameters (they are auto)");
    static_assert(Count != 4,
                  "called with 4 arguments, which the function does not take: compare its parameters (they are auto)");
    static_assert(Count < 5,
                  "called with 5 or more arguments, which the function does not take: compare its parameters (auto)");
};
/// Refuses a parameter that is a number.
template <class F, class... Parameters>
struct parameter_is_not_auto {
    static_assert(never<F>,
                  "parameters are auto: the function is called on symbols, which stand for numbers and arrays");
};
namespace detail::inline compile_part {

/// Why a function with these parameters is not called on symbols: a number is one of them (it is no template).
template <class F, class... P>
using numbers_among = unless<!(std::is_arithmetic_v<std::remove_cvref_t<P>> || ...), parameter_is_not_auto<F, P...>>;
template <class F, class R, class... P>
constexpr auto why_not_on_symbols(R (F::*)(P...) const) {
    return because<numbers_among<F, P...>>{};
}
template <class F, class R, class... P>
constexpr auto why_not_on_symbols(R (F::*)(P...)) {
    return because<numbers_among<F, P...>>{};
}
template <class F>
constexpr auto why_not_on_symbols(auto) {
    return because<no_reason>{};
}

/// Differentiated functions are called while compiling, so their type has to say everything.
template <class F>
constexpr bool is_stateless() {
    constexpr bool is_function = std::is_function_v<F> || std::is_pointer_v<F> || std::is_member_pointer_v<F>;
    static_assert(!is_function,
                  "pass a function object such as a lambda: the type of a function, or of a pointer to one, does not "
                  "say which it is");
    if constexpr (!is_function)
        static_assert(
            std::is_empty_v<F> && std::is_default_constructible_v<F>,
            "a differentiated function is called while compiling: it cannot capture; pass the value as an argument");
    if constexpr (!(std::is_empty_v<F> && std::is_default_constructible_v<F>)) return false;
    else if constexpr (requires { &F::operator(); }) return accepts(why_not_on_symbols<F>(&F::operator()));
    else return true;
}

template <class... A>
struct argument_list {
    static constexpr int count = static_cast<int>(sizeof...(A));

    static constexpr list<leaf_info> describe() {
        list<leaf_info> l;
        (describe_leaves<A>(l), ...);
        return l;
    }
    /// The first leaf of each argument, and the number of all.
    static constexpr std::array<int, sizeof...(A) + 1> firsts() {
        std::array<int, sizeof...(A) + 1> f{};
        list<leaf_info> l;
        std::size_t i = 0;
        ((describe_leaves<A>(l), f[++i] = l.size()), ...);
        return f;
    }
    static constexpr std::array<int, sizeof...(A) + 1> first = firsts();

    static constexpr bool is_differentiable(int argument) {
        list<leaf_info> l = describe();
        for (int i = first[static_cast<std::size_t>(argument)]; i < first[static_cast<std::size_t>(argument) + 1]; ++i)
            if (!is_floating(computed_dtype(l[i].type))) return false;
        return true;
    }
};

constexpr void add_arguments(builder& b, list<leaf_info> const& leaves) {
    for (int i = 0; i < leaves.size(); ++i) {
        leaf_info const& info = leaves[i];
        dims d;
        d.rank = info.rank;
        for (int a = 0; a < info.rank; ++a) {
            d.extent[a] = info.extent[a];
            if (info.extent[a] >= 0) continue;
            int e = b.extents.push({i, a, -1, -1, info.name[a]});
            d.extent[a] = ~static_cast<std::int64_t>(e);
            for (int j = 0; j < e && !info.name[a].empty(); ++j)
                if (b.extents[j].name == info.name[a]) {
                    b.same(~static_cast<std::int64_t>(j), d.extent[a]);
                    break;
                }
        }
        node n;
        n.kind = node_kind::argument;
        n.type = info.type;
        n.source = i;
        n.shape = b.intern(d);
        b.push(n);
    }
}

/// The symbols of these arguments.
template <class... A>
constexpr std::tuple<mirror_t<A>...> make_symbols(builder& b) {
    int next = 0;
    std::tuple<mirror_t<A>...> symbols;
    auto value_of_leaf = [&]<class T>(std::type_identity<T>, int leaf) { return emit_widened<T>(b, leaf); };
    detail::with_parts([&](auto&... s) { (number_symbols(s, b, next, value_of_leaf), ...); }, symbols);
    return symbols;
}
/// f on them.
template <class F, class... A>
constexpr auto call_on_symbols(builder& b) {
    std::tuple<mirror_t<A>...> symbols = make_symbols<A...>(b);
    // not std::apply, whose frames would stand in every error
    return [&]<std::size_t... K>(std::index_sequence<K...>) {
        return F{}(std::get<K>(symbols)...);
    }(std::index_sequence_for<A...>{});
}
/// Whether f has parameters for these arguments.
template <class F, class... A>
concept takes = requires { F{}(std::declval<mirror_t<A>&>()...); } &&
                !std::same_as<decltype(F{}(std::declval<mirror_t<A>&>()...)), refused>;
/// F beside a function that takes everything: where that is the better one, F has no parameters for what it is called
/// with. (Where an error stands in the body of F, on the other hand, nothing is returned.)
struct no_overload {};
struct takes_what_is_left {
    no_overload operator()(...) const;
};
template <class F>
struct all_overloads : F, takes_what_is_left {
    using F::operator();
    using takes_what_is_left::operator();
};
template <class F>
    requires std::is_final_v<F>
struct all_overloads<F> {
    template <class... A>
    constexpr auto operator()(A&... a) const {
        if constexpr (requires { F{}(a...); }) return F{}(a...);
        else return no_overload{};
    }
};
/// Whether F, also one with captures, has no parameters for these symbols.
template <class F, class... A>
concept has_no_overload = requires(all_overloads<F> const& f, A const&... a) {
    { f(a...) } -> std::same_as<no_overload>;
};
template <class F, class... A>
using traced_result = decltype(call_on_symbols<F, A...>(std::declval<builder&>()));

/// A call of f alone. (The frames of this call stand in errors: they are few.)
template <class F, class... A, std::size_t... K>
constexpr bool call_once(std::index_sequence<K...>) {
    builder b;
    add_arguments(b, argument_list<A...>::describe());
    std::tuple<mirror_t<A>...> symbols = make_symbols<A...>(b);
    (void)F{}(std::get<K>(symbols)...);
    return true;
}
/// Whether f can be called while compiling: not where its body has an error, which the compiler has reported then.
template <class F, class... A>
concept called_while_compiling = requires {
    typename std::bool_constant<call_once<F, A...>(std::index_sequence_for<A...>{})>;
};

/// The cotangent of an argument in the argument's own shape and type.
constexpr int as_gradient(builder& b, int c, int leaf) {
    dtype const type = b.nodes[leaf].type;
    if (c < 0) c = b.constant(0, computed_dtype(type));
    return emit_expand(b, emit_stored(b, c, type), b.shape_of(leaf));
}

/// A function whose results are parts in a tuple, such as a value and gradients. `result_like[k]` is the argument
/// that part k is an array (or tree) like, or -1 for new arrays; form(parts) is what the user gets, arrays or
/// symbols.
template <class F>
concept forms_its_result = requires { F::result_like[0]; };

/// Results that are like an argument are stored as that is.
template <class F, class... A>
constexpr void store_like_arguments(traced& t) {
    using arguments = argument_list<A...>;
    using R = traced_result<F, A...>;
    int output = 0;
    [&]<std::size_t... K>(std::index_sequence<K...>) {
        auto one = [&](int like, int count) {
            int const first = like < 0 ? -1 : arguments::first[static_cast<std::size_t>(like)];
            for (int i = 0; i < count; ++i, ++output)
                if (like >= 0)
                    t.outputs[output] = emit_stored(t.graph, t.outputs[output], t.graph.nodes[first + i].type);
        };
        (one(F::result_like[K], count_results<std::tuple_element_t<K, R>>()), ...);
    }(std::make_index_sequence<std::tuple_size_v<R>>{});
}

}  // namespace detail::compile_part

/// Named where a symbol is printed. (Here, beside the other error that is printed then.)
struct a_symbol_has_no_value_while_it_is_traced_print_what_a_call_returns;
/// std::cout << x. With a static_assert there would be two errors, since a text beside it, std::cout << "x = " << x, is
/// no constant expression either. (clang lists all candidates where one is deleted.)
template <class Stream, any_expression E,
          class Reason = a_symbol_has_no_value_while_it_is_traced_print_what_a_call_returns>
    requires(!any_expression<Stream> && requires(Stream & to) { to << 1.0; })
#if defined(__clang__)
Stream& operator<<(Stream& to, E const&) { return to; }
#else
Stream& operator<<(Stream& to, E const&) = delete;  // print what a call returns
#endif

/// Refuses a function that is not constexpr; what keeps it from being so stands below.
template <class F, class... Args>
struct function_cannot_be_called_while_compiling {
    static_assert(detail::call_once<F, Args...>(std::index_sequence_for<Args...>{}),
                  "the function is called while compiling, and has to be constexpr");
};

namespace detail::inline compile_part {

/// What is asked of a function.
enum class wanted { value, gradients, both };

/// The graph of f, before the passes: its results, the gradients of the first by all leaves of the arguments I..., or
/// both.
template <class F, wanted W, class... A, int... I, class Observer = no_observer>
constexpr traced trace_graph(std::integer_sequence<int, I...>, [[maybe_unused]] Observer const& look = {}) {
    using arguments = argument_list<A...>;
    traced t;
    if constexpr (requires { look.literal; }) t.graph.literal = look.literal;
    if constexpr (requires { look.notes_simplifications; }) t.graph.notes_simplifications = look.notes_simplifications;
    add_arguments(t.graph, arguments::describe());
    int y = -1;
    auto const results = call_on_symbols<F, A...>(t.graph);
    each_leaf(results, [&](auto const& e) {
        if (W == wanted::gradients && y >= 0) return;
        int const id = e.walk(t.graph);
        if (W != wanted::gradients) t.outputs.push(id);
        if (y < 0) y = id;
    });
    if constexpr (W != wanted::value) {
        list<int> leaves;
        for (int i : {I...})
            for (int l = arguments::first[static_cast<std::size_t>(i)];
                 l < arguments::first[static_cast<std::size_t>(i) + 1]; ++l)
                leaves.push(l);
        list<int> c = differentiate(t.graph, y, leaves, t.graph.constant(1, computed_dtype(t.graph.nodes[y].type)));
        for (int i = 0; i < leaves.size(); ++i) t.outputs.push(as_gradient(t.graph, c[i], leaves[i]));
    }
    if constexpr (forms_its_result<F>) store_like_arguments<F, A...>(t);
    return t;
}
/// What the passes make of it.
template <class Observer = no_observer>
constexpr traced simplified(traced& t, list<char> const& dense, Observer const& look = {}) {
    traced r = run_passes(t, dense, look);
    drop_unused_bodies(r.graph);
    return r;
}
template <class F, wanted W, class... A, int... I, class Observer = no_observer>
constexpr traced trace(std::integer_sequence<int, I...> indices, list<char> const& dense, Observer const& look = {}) {
    traced t = trace_graph<F, W, A...>(indices, look);
    return simplified(t, dense, look);
}

}  // namespace detail::compile_part
}  // namespace tapeless
