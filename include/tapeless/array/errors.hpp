// SPDX-License-Identifier: MIT
#pragma once
// What is thrown when something handed in at run time does not fit.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace tapeless {

/// What is called with an error's message where exceptions are disabled (-fno-exceptions). Where it returns, the
/// program is aborted.
using error_handler = void (*)(char const* message);

namespace detail::inline array_part {
inline void print_error(char const* message) { std::fprintf(stderr, "tapeless: %s\n", message); }
inline error_handler current_handler = print_error;

/// Throws an error, or hands its message to the handler.
template <class E>
[[noreturn, gnu::noinline, gnu::cold]] void raise(E&& e) {
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
    throw std::forward<E>(e);
#else
    if constexpr (std::is_convertible_v<E, char const*>) current_handler(e);
    else current_handler(e.what());
    std::abort();
#endif
}

/// Runs f, and returns what it throws: to be thrown elsewhere.
template <class F>
std::exception_ptr caught(F const& f) noexcept {
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
    try {
        f();
    } catch (...) {
        return std::current_exception();
    }
#else
    f();
#endif
    return nullptr;
}
/// The message of what was caught.
[[gnu::noinline, gnu::cold]] inline std::string text_of([[maybe_unused]] std::exception_ptr const& e) {
#if defined(__cpp_exceptions) || defined(_CPPUNWIND)
    try {
        std::rethrow_exception(e);
    } catch (std::exception const& x) {
        return x.what();
    } catch (...) {
    }
#endif
    return "an exception of unknown type";
}
}  // namespace detail::array_part

/// Sets the handler, to be done before threads are started, and returns the one before: the first prints the message.
/// Where exceptions are enabled, nobody calls it.
inline error_handler set_error_handler(error_handler handler) {
    return std::exchange(detail::current_handler, handler);
}

/// Base of the errors below: `catch (tapeless::error const& e)` takes them all. Each of them also is the standard's
/// exception that comes nearest.
class error {
public:
    virtual char const* what() const noexcept = 0;

protected:
    error() = default;
    error(error const&) = default;
    error& operator=(error const&) = default;
    ~error() = default;
};

namespace detail::inline array_part {
template <class Standard>
struct error_as : Standard, error {
    using Standard::Standard;
    char const* what() const noexcept override { return Standard::what(); }
};
}  // namespace detail::array_part

/// Lengths that do not agree: thrown before anything is written, naming argument, axis and lengths.
struct shape_error : detail::error_as<std::invalid_argument> {
    using error_as::error_as;
};

/// An index that points outside of what it indexes: of at(...) and extent(...), naming axis and index; or an element
/// of an index array, naming operation, argument, position and value. Thrown before anything is written where the
/// array was handed in, and before it is used where it was computed.
struct index_error : detail::error_as<std::out_of_range> {
    using error_as::error_as;
};

/// Two targets of into(...) that have memory in common: thrown before anything is written.
struct alias_error : detail::error_as<std::invalid_argument> {
    using error_as::error_as;
};

/// A matrix that cannot be factored: not positive definite, singular, or without convergence. Which operation it was,
/// which matrix of the batch (in row-major order), and which pivot, from 0 on (-1 where there is none). Thrown by the
/// call; what was computed before may have been written to targets of into(...).
struct numeric_error : detail::error_as<std::runtime_error> {
    numeric_error(std::string const& text, char const* operation_name, std::int64_t matrix_index,
                  std::int64_t pivot_index)
        : error_as(text), operation(operation_name), matrix(matrix_index), pivot(pivot_index) {}
    char const* operation;
    std::int64_t matrix, pivot;
};

/// An iteration that has not come to its end after so many steps, which are all it may take: a while_loop that still
/// goes on, or a solver whose residual (NaN where there is none) is still too large. Thrown by the call; what was
/// computed before may have been written to targets of into(...).
struct convergence_error : detail::error_as<std::runtime_error> {
    convergence_error(std::string const& text, char const* operation_name, std::int64_t steps_taken,
                      double residual_left)
        : error_as(text), operation(operation_name), steps(steps_taken), residual(residual_left) {}
    char const* operation;
    std::int64_t steps;
    double residual;
};

/// A file that cannot be read or written, or that holds something else than what is asked for: thrown before anything
/// is changed, naming the file, what was expected and what was found.
struct file_error : detail::error_as<std::runtime_error> {
    using error_as::error_as;
};

/// A call of a const function<R(Args...)> whose callable is changed by calls, such as one with an optimiser.
struct const_call_error : detail::error_as<std::logic_error> {
    using error_as::error_as;
};

/// A call of a function<R(Args...)> that holds nothing.
struct empty_function_error : detail::error_as<std::logic_error> {
    using error_as::error_as;
};

}  // namespace tapeless
