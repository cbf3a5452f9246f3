// SPDX-License-Identifier: MIT
#pragma once
// What an optimiser remembers of a model, and the one pass over model, gradient and memory that is a step.

#include <cstring>
#include <stdexcept>

#include <tapeless/base/inline.hpp>
#include <tapeless/base/refused.hpp>
#include <tapeless/exec/crew.hpp>
#include <tapeless/optim/arrays.hpp>

namespace tapeless::detail::inline optim_part {

/// optim::state_arrays, which are of std::byte: a template so that programs without an optimiser compile none of its
/// functions.
template <class Byte>
class state_memory {
public:
    state_memory() = default;
    explicit state_memory(std::span<tree_array const> model) {
        std::int64_t bytes = 0;
        for (tree_array const& a : model) {
            dtype const type = computed_dtype(a.type);
            arrays_.push_back({type, a.size(), bytes});
            // every array begins at a multiple of 64 bytes, and batches may run over its end
            bytes += static_cast<std::int64_t>(
                padded_bytes(static_cast<std::size_t>(a.size() * size_of(type))));
        }
        memory_ = tensor<Byte, dyn>(bytes);
    }

    /// How many arrays there are: as many as in the model, or none where the optimiser does not need them.
    std::size_t size() const { return arrays_.size(); }
    /// The numbers beside the i-th array of the model; T is float or double, whichever they are.
    template <class T>
    std::span<T> array(std::size_t i) {
        entry const& e = arrays_.at(i);
        if (e.type != dtype_of<std::remove_const_t<T>>())
            raise(std::invalid_argument("state_arrays: array " + std::to_string(i) + " holds " +
                                                name_of(e.type)));
        return {reinterpret_cast<T*>(memory_.data() + e.offset), static_cast<std::size_t>(e.count)};
    }
    template <class T>
    std::span<T const> array(std::size_t i) const {
        return const_cast<state_memory&>(*this).template array<T const>(i);
    }
    std::span<Byte> bytes() {
        return {memory_.data(), memory_.size()};
    }
    std::span<Byte const> bytes() const {
        return {memory_.data(), memory_.size()};
    }

    /// Where the i-th array begins; nullptr where there are none.
    void* data(std::size_t i) { return i < arrays_.size() ? memory_.data() + arrays_[i].offset : nullptr; }
    /// Refuses a model other than the one these arrays were made for.
    void check(char const* who, std::span<tree_array const> model) const {
        if (model.size() != arrays_.size())
            throw_shape(sentence{}
                                << who << ": the model has " << model.size() << " arrays, the optimiser's state has "
                                << arrays_.size()
                                << " (whether momentum and amsgrad have any is decided when it is made)");
        for (std::size_t i = 0; i < model.size(); ++i)
            if (model[i].size() != arrays_[i].count || computed_dtype(model[i].type) != arrays_[i].type)
                throw_shape(sentence{}
                                    << who << ": array " << i << " of the model has " << model[i].size()
                                    << " elements of " << name_of(model[i].type) << ", the optimiser's state "
                                    << arrays_[i].count << " of " << name_of(arrays_[i].type));
    }

    /// The same arrays with the same bytes. (Element by element and in plain words: what compares vectors and tensors
    /// would be looked for in all that is compared in this library, in every program.)
    friend bool operator==(state_memory const& a, state_memory const& b) {
        if (a.size() != b.size() || a.memory_.size() != b.memory_.size()) return false;
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a.arrays_[i].type != b.arrays_[i].type || a.arrays_[i].count != b.arrays_[i].count) return false;
        return a.memory_.size() == 0 || std::memcmp(a.memory_.data(), b.memory_.data(), a.memory_.size()) == 0;
    }

private:
    struct entry {
        dtype type;
        std::int64_t count, offset;
    };
    std::vector<entry> arrays_;
    tensor<Byte, dyn> memory_;
};

}  // namespace tapeless::detail::optim_part

namespace tapeless::optim {

/// A dense array beside every array of a model, in the same order: of double where the model has double, of float
/// where it has float, half or bfloat16. Zeros at first. Copies own their numbers; bytes() are all of them, to be
/// saved and restored.
using state_arrays = detail::state_memory<std::byte>;

}  // namespace tapeless::optim

namespace tapeless::detail::inline optim_part {

/// Throws std::invalid_argument: "adam: learning_rate is -1, it should be ..."
inline void check_option(char const* who, char const* name, double value, bool good, char const* wanted) {
    if (good) return;
    detail::raise(std::invalid_argument(std::string(who) + ": " + name + " is " + std::to_string(value) +
                                        ", it should be " + wanted));
}
inline void check_at_least_zero(char const* who, char const* name, double value) {
    check_option(who, name, value, value >= 0 && value <= std::numeric_limits<double>::max(), "0 or more, and finite");
}
inline void check_fraction(char const* who, char const* name, double value) {
    check_option(who, name, value, value >= 0 && value < 1, "0 or more and less than 1");
}

/// f with two flags as constants: a branch less in its loop.
template <class F>
TAPELESS_CONFIG_INLINE inline void with_flags(F const& f, bool a, bool b) {
    if (a && b) f(std::true_type{}, std::true_type{});
    else if (a) f(std::true_type{}, std::false_type{});
    else if (b) f(std::false_type{}, std::true_type{});
    else f(std::false_type{}, std::false_type{});
}

/// pass(x, g, state, n) over elements first ... end - 1 of an array, the first being that of a block: n is a multiple
/// of the lanes of T, and state has one pointer for each of S. What is not dense in the type T, and the end of what is,
/// goes through buffers, so that every element meets the same instructions.
template <unsigned Types, class T, std::size_t S, class Pass, class Build = simd::batch<T>>
void update_array(Pass const& pass, tree_array const& x, tree_array const& g, std::array<T*, S> state,
                  std::int64_t first, std::int64_t end) {
    alignas(alignment) T x_block[block_elements], g_block[block_elements];
    bool const direct = x.contiguous && g.contiguous && x.type == dtype_of<T>() && g.type == dtype_of<T>();
    for (T*& s : state)
        if (s) s += first;
    for (std::int64_t i = first; i < end;) {
        T *to = x_block, *from = g_block;
        std::int64_t taken = end - i, whole = taken / simd::lanes<T> * simd::lanes<T>;
        bool const buffered = !direct || whole == 0;
        if (buffered) {
            if (taken > block_elements) taken = block_elements;
            whole = whole_batches<T>(taken);
            for (std::int64_t k = whole - simd::lanes<T>; k < whole; ++k) to[k] = from[k] = T(0);
            read_elements<Types>(x, i, taken, to);
            read_elements<Types>(g, i, taken, from);
        } else {
            taken = whole;
            to = x.as<T>() + i;
            from = g.as<T>() + i;
        }
        pass(to, static_cast<T const*>(from), state, whole);
        if (buffered) write_elements<Types>(x, i, taken, to);
        i += taken;
        for (T*& s : state)
            if (s) s += taken;
    }
}

/// Elements of an array that a thread takes at a time (bench_threads).
inline constexpr std::int64_t piece_elements = 64 * block_elements;

/// One pass over every array of a model, its gradient and the state; threads share long ones.
template <unsigned Types, std::size_t S, class Pass, class Build = simd::batch<float>>
void update(crew const& threads, Pass const& pass, std::span<tree_array const> x, std::span<tree_array const> g,
            std::array<optim::state_arrays*, S> const& state) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        auto const one = [&]<class T>(std::type_identity<T>) {
            std::array<T*, S> s{};
            for (std::size_t k = 0; k < S; ++k) s[k] = static_cast<T*>(state[k]->data(i));
            std::int64_t const n = x[i].size();
            auto const some = [&](std::int64_t piece) {
                std::int64_t const end = (piece + 1) * piece_elements;
                update_array<Types>(pass, x[i], g[i], s, piece * piece_elements, end < n ? end : n);
            };
            threads.each_piece(
                threads.threads(), (n + piece_elements - 1) / piece_elements,
                [](void const* f, int, std::int64_t p) { (*static_cast<decltype(some)*>(f))(p); }, &some);
        };
        if (x[i].type == dtype::f64) {
            if constexpr (Types & type_bit(dtype::f64)) one(std::type_identity<double>{});
        } else {
            if constexpr (Types & ~type_bit(dtype::f64)) one(std::type_identity<float>{});
        }
    }
}

/// Model and gradient of a step, as arrays, checked against each other; the element types among them.
template <class Model, class Gradient>
struct step_arrays {
    static_assert(fits_model<std::remove_cv_t<Model>, Gradient>(),
                  "a step's gradient has the arrays of the model: as many, each of the same rank");
    static_assert(can_be_written<Model>(), "an optimiser writes the arrays of its model, so they cannot be const");
    static constexpr unsigned types = tree_summary<std::remove_cv_t<Model>>::types | tree_summary<Gradient>::types;
    std::array<tree_array, tree_summary<std::remove_cv_t<Model>>::arrays> model;
    std::array<tree_array, tree_summary<Gradient>::arrays> gradient;

    step_arrays(char const* who, Model& m, Gradient const& g)
        : model(arrays_of<can_be_written<Model>()>(m)), gradient(arrays_of<false>(g)) {
        check_lengths(who, model, gradient);
    }
};

}  // namespace tapeless::detail::optim_part
