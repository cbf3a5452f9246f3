// SPDX-License-Identifier: MIT
#pragma once
// function<R(Args...)>: a callable of which only the signature is known, so that the file that calls it compiles
// without it.

#include <concepts>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tapeless/array/errors.hpp>
#include <tapeless/array/tree.hpp>
#include <tapeless/transform/into.hpp>

namespace tapeless {

/// Refuses a callable that does not take the arguments.
template <class F, class... Args>
struct function_cannot_be_called {
    static_assert(never<F>,
                  "function<R(Args...)>: the callable cannot be called with Args...: compare their number "
                  "and types with its parameters");
};
/// Refuses a callable whose result is something else.
template <class R, class Given>
struct function_gives_something_else {
    static_assert(!sizeof(std::type_identity<Given>), "function<R(Args...)>: the callable gives something that is not "
                                                      "R, and does not become R without loss");
};
/// Refuses a result that points into an array which is gone.
template <class R, class Given>
struct function_result_points_to_a_temporary {
    static_assert(!sizeof(std::type_identity<Given>), "function<R(Args...)>: R only points, and what it would point to "
                                                      "is gone after the call: make R a tensor");
};
/// Refuses a callable that cannot be copied.
template <class F>
struct function_of_something_that_cannot_be_copied {
    static_assert(never<F>,
                  "function: a copy of a function has a copy of its callable, so the callable must be copyable");
};
/// Refuses a target that would be copied.
template <class Into>
struct function_target_is_a_copy {
    static_assert(never<Into>, "function: a target that owns its memory is written into_t<Target&>, with &");
};

template <class Signature>
class function;

namespace detail::inline transform_part {

/// How an argument travels: numbers and references as they are, everything else by reference, so that no array is
/// copied.
template <class A>
using passed_as = std::conditional_t<std::is_reference_v<A> || std::is_scalar_v<A>, A, A const&>;

/// Has parts, and is no array.
template <class A>
concept composite = !leaf<A> && (is_array<A> || is_tuple<A> || decomposable<A>);

enum class result_fit { right, other, points };

template <class R, class Y>
constexpr result_fit fit_of();
template <class R, class... P, class... Q>
constexpr result_fit fit_of_parts(std::type_identity<std::tuple<P...>>, std::type_identity<std::tuple<Q...>>) {
    if constexpr (sizeof...(P) != sizeof...(Q)) return result_fit::other;
    else if constexpr (!requires { R{std::declval<std::remove_cvref_t<P>>()...}; }) return result_fit::other;
    else {
        result_fit all = result_fit::right;
        ((all = all == result_fit::right ? fit_of<std::remove_cvref_t<P>, std::remove_cvref_t<Q>>() : all), ...);
        return all;
    }
}
/// Whether what a callable returns, a Y, becomes an R: numbers without loss, trees part by part.
template <class R, class Y>
constexpr result_fit fit_of() {
    using V = std::remove_cvref_t<Y>;
    if constexpr (std::is_void_v<R> || std::same_as<R, Y>) return result_fit::right;
    else if constexpr (std::is_void_v<Y>) return result_fit::other;
    else if constexpr (std::is_reference_v<R>) {
        constexpr bool same_object =
            std::is_reference_v<Y> && std::convertible_to<std::add_pointer_t<Y>, std::add_pointer_t<R>>;
        if constexpr (!std::convertible_to<Y, R>) return result_fit::other;
        else return same_object ? result_fit::right : result_fit::points;
    } else if constexpr (std::same_as<R, V>) return result_fit::right;
    else if constexpr (number<R> && number<V>)
        return !short_float<R> && requires(V v) { R{v}; } ? result_fit::right : result_fit::other;
    else if constexpr (composite<R> && composite<V>)
        return fit_of_parts<R>(std::type_identity<parts<R>>{}, std::type_identity<parts<V>>{});
    else if constexpr (!std::convertible_to<Y, R>) return result_fit::other;
    else if constexpr (leaf<R> && leaf<V>) return !holds_memory<R>() && holds_memory<V>() && !std::is_reference_v<Y>
        ? result_fit::points
        : result_fit::right;
    else return result_fit::right;
}

/// Whether a V becomes an R part by part.
template <class R, class V>
inline constexpr bool by_parts = !std::same_as<R, V> && composite<R> && composite<V>;

/// The same, done.
template <class R, class V>
constexpr R become(V v) {
    if constexpr (!by_parts<R, V>) return static_cast<R>(std::move(v));
    else
        return detail::with_parts([](auto&... from) {
            return [&]<class... P>(std::type_identity<std::tuple<P...>>) {
                return R{become<std::remove_cvref_t<P>>(std::move(from))...};
            }(std::type_identity<parts<R>>{});
        }, parts_of(v));
}

template <class>
inline constexpr bool is_hidden_function = false;
template <class R, class... A>
inline constexpr bool is_hidden_function<function<R(A...)>> = true;
/// Whether it is a function whose first argument are targets.
template <class>
inline constexpr bool takes_targets = false;
template <class R, class... T, class... A>
inline constexpr bool takes_targets<function<R(into_t<T...>, A...)>> = true;

template <class A>
inline constexpr bool has_copies_as_targets = false;
template <class... T>
inline constexpr bool has_copies_as_targets<into_t<T...>> = !(is_kept<T>() && ...);
/// Why the signature is wrong for a callable, in the words of the error's name.
template <class F, class R, class... A>
constexpr auto why_no_function() {
    if constexpr ((has_copies_as_targets<std::remove_cvref_t<A>> || ...)) {
        return because<typename first_reason<unless<!has_copies_as_targets<std::remove_cvref_t<A>>,
                                                    function_target_is_a_copy<std::remove_cvref_t<A>>>...>::type>{};
    } else if constexpr (!std::copy_constructible<F>) {
        return because<function_of_something_that_cannot_be_copied<F>>{};
    } else if constexpr (constexpr auto why = why_not_called_with<F, std::remove_cvref_t<A>...>();
                         is_reason<decltype(why)>) {
        return why;
    } else if constexpr (!requires(F& f) { f(std::declval<passed_as<A>>()...); }) {
        return because<function_cannot_be_called<F, A...>>{};
    } else {
        using Y = decltype(std::declval<F&>()(std::declval<passed_as<A>>()...));
        constexpr result_fit is = fit_of<R, Y>();
        if constexpr (is == result_fit::other) return because<function_gives_something_else<R, Y>>{};
        else return because<unless<is != result_fit::points, function_result_points_to_a_temporary<R, Y>>>{};
    }
}

/// What a function does with its callable beside calling it.
struct hidden_operations {
    void* (*copy)(void const*);
    void (*destroy)(void*) noexcept;
    void (*threads)(void*, int);
};
template <class F>
inline constexpr hidden_operations operations_on{
    [](void const* f) -> void* { return new F(*static_cast<F const*>(f)); },
    [](void* f) noexcept { delete static_cast<F*>(f); },
    []([[maybe_unused]] void* f, [[maybe_unused]] int n) {
        if constexpr (requires(F& callable) { callable.threads(n); }) static_cast<F*>(f)->threads(n);
    }};

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_empty_function() {
    detail::raise(
        empty_function_error("function: it is empty: assign a callable, such as value_and_grad(f), before calling it"));
}

[[noreturn, gnu::noinline, gnu::cold]] inline void throw_const_call() {
    detail::raise(const_call_error("function: calls change its callable, and it is const: call a copy of it"));
}

}  // namespace detail::transform_part

/// A callable of which only the signature is known: what value_and_grad, grad, fused or any other transformation
/// returns, or a function object of one's own. The file that makes it compiles the differentiated function; those
/// that call it need only <tapeless/tensor.hpp>.
///
///     // model.hpp
///     tapeless::function<float(tapeless::into_t<Net<tapeless::tensor>&>, Net<tapeless::tensor> const&, batch)>
///     train_step(); // model.cpp
///     auto train_step() -> ... { return tapeless::value_and_grad<0>(loss); }
///     // main.cpp
///     auto step = train_step();
///     float value = step(tapeless::into(gradient), net, x);
///
/// Args are what the callable is called with: numbers, tensors, views, spans, models and other trees; targets are
/// into_t<Target&>, or into_t<view<...>> for anything that a view can be of. No argument is copied, whether it is
/// written with `const&` or without. R is the callable's result, or a struct, tuple or pair with as many parts; void
/// drops it.
///
/// It owns the callable and so its workspace. A copy has a copy, of its own workspace; one copy serves one thread.
/// Where it is const it calls a const callable: what transformations return works on memory of the thread then, and
/// many threads may call it; what only can be called where it is not const throws const_call_error. Making it allocates
/// once, a call costs one indirect call more than a call of the callable, and what that throws comes through. Calling
/// an empty one throws empty_function_error.
template <class Signature>
class function {
    static_assert(!sizeof(std::type_identity<Signature>),
                  "function: write a signature without const or noexcept, as in "
                  "function<float(Net<tensor> const&, view<float const, dyn, 3>)>");
};

template <class R, class... A>
class function<R(A...)> {
public:
    using result_type = R;

    /// Empty.
    constexpr function() noexcept = default;
    constexpr function(std::nullptr_t) noexcept {}

    /// Takes the callable over, or a copy of it. An empty function of another signature, or a null pointer, makes an
    /// empty one.
    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, function> &&
                 !std::same_as<std::remove_cvref_t<F>, std::nullptr_t>)
    function(F&& f) {
        using callable = std::decay_t<F>;
        if constexpr (accepts(detail::why_no_function<callable, R, A...>())) {
            if constexpr (detail::is_hidden_function<callable> || std::is_pointer_v<callable>)
                if (!f) return;
            object_ = new callable(std::forward<F>(f));
            call_ = call<callable>;
            call_const_ = call<callable const>;
            operations_ = &detail::operations_on<callable>;
        }
    }

    function(function const& other)
        : object_(other.object_ ? other.operations_->copy(other.object_) : nullptr),
          call_(other.call_),
          call_const_(other.call_const_),
          operations_(other.operations_) {}
    constexpr function(function&& other) noexcept { swap(other); }
    function& operator=(function other) noexcept {
        swap(other);
        return *this;
    }
    ~function() {
        if (object_) operations_->destroy(object_);
    }

    /// Calls the callable; throws empty_function_error where there is none.
    R operator()(detail::passed_as<A>... a) { return call_(object_, static_cast<detail::passed_as<A>&&>(a)...); }
    /// The same of a const callable.
    R operator()(detail::passed_as<A>... a) const {
        return call_const_(object_, static_cast<detail::passed_as<A>&&>(a)...);
    }

    /// Calls run on n threads from now on, or as many as the hardware has (0), if the callable knows of threads.
    function& threads(int n) {
        if (object_) operations_->threads(object_, n);
        return *this;
    }

    /// Whether there is something to call.
    constexpr explicit operator bool() const noexcept { return object_ != nullptr; }
    friend constexpr bool operator==(function const& f, std::nullptr_t) noexcept { return !f; }

    constexpr void swap(function& other) noexcept {
        std::swap(object_, other.object_);
        std::swap(call_, other.call_);
        std::swap(call_const_, other.call_const_);
        std::swap(operations_, other.operations_);
    }
    friend constexpr void swap(function& a, function& b) noexcept { a.swap(b); }

private:
    using caller = R (*)(void*, detail::passed_as<A>...);

    template <class F>
    static R call(void* object, detail::passed_as<A>... a) {
        F& f = *static_cast<F*>(object);
        if constexpr (!requires { f(static_cast<detail::passed_as<A>&&>(a)...); }) {
            detail::throw_const_call();
        } else {
            using V = std::remove_cvref_t<decltype(f(static_cast<detail::passed_as<A>&&>(a)...))>;
            if constexpr (detail::by_parts<R, V>)
                return detail::become<R, V>(f(static_cast<detail::passed_as<A>&&>(a)...));
            else return static_cast<R>(f(static_cast<detail::passed_as<A>&&>(a)...));
        }
    }
    static R call_nothing(void*, detail::passed_as<A>...) { detail::throw_empty_function(); }

    void* object_ = nullptr;
    caller call_ = call_nothing, call_const_ = call_nothing;
    detail::hidden_operations const* operations_ = nullptr;
};

}  // namespace tapeless
