// SPDX-License-Identifier: MIT
#pragma once
// Central differences beside the gradient of one array, and what is reported of them.

#include <cmath>
#include <limits>

#include <tapeless/transform/in_double.hpp>

namespace tapeless {

/// What check_gradient found.
struct gradient_report {
    bool passed = true;
    double max_absolute_error = 0;  ///< of the elements compared
    /// |gradient - difference| over the largest gradient of the array (and what rounding explains), at its worst
    double max_relative_error = 0;
    int worst_argument = -1;        ///< where that is: which argument,
    int worst_array = 0;            ///< which array of its tree,
    std::size_t worst_element = 0;  ///< which element, in row-major order,
    bool worst_is_slope = false;    ///< or no element, but all of them moved at once,
    double worst_gradient = 0;      ///< what the gradient says
    double worst_difference = 0;    ///< and what the central difference says
    std::size_t checked = 0;        ///< elements compared one by one
    std::size_t slopes = 0;         ///< comparisons of all elements of an array at once
    /// whether value_and_grad gives the values that evaluate gives; if not, where it does not:
    bool value_agrees = true;
    int value_array = 0;            ///< in which array of the result,
    std::size_t value_element = 0;  ///< which element,
    double value = 0;               ///< what value_and_grad says; where they agree, the first value
    double evaluated = 0;           ///< and what evaluate says
    explicit operator bool() const { return passed; }
};

/// How close gradient and central difference have to be; by default the step and the tolerance suit the element type.
struct gradient_tolerance {
    /// of the difference, relative to max(1, |x|): the cube root of the epsilon of what is computed in
    double step = 0;
    double relative = 0;  ///< allowed error, relative to the largest gradient of the array
};

namespace detail::inline transform_part {

/// The step of differences of what is computed with arrays of T.
template <class T>
constexpr double default_step() {
    // what is stored in 16 bits moves by some of its own steps; the function is computed in float
    if constexpr (short_float<T>) return std::is_same_v<T, half> ? 0x1p-5 : 0x1p-4;
    else return std::is_same_v<T, float> ? 5e-3 : 6e-6;
}
/// The error allowed to gradients stored as T beside differences in double.
template <class T>
constexpr double default_relative() {
    if constexpr (std::is_same_v<T, double>) return 1e-6;
    else return std::is_same_v<T, bfloat16> ? 2e-2 : std::is_same_v<T, half> ? 3e-3 : 1e-3;
}
template <class T>
constexpr double epsilon_of() {
    return std::is_same_v<T, double> ? std::numeric_limits<double>::epsilon() : std::numeric_limits<float>::epsilon();
}

/// The value of a function somewhere, and how far away that is.
struct sample {
    double value, away;
};
/// Central differences of a function of one number t at 0, by t = h and h/2.
struct difference {
    double value = 0;      ///< extrapolated from both
    double uncertain = 0;  ///< by the step's length and by rounding
    /// at(t) is a sample.
    template <class F>
    static difference of(F const& at, double epsilon, double magnitude) {
        auto const [near_up, near_right] = at(0.5);
        auto const [near_down, near_left] = at(-0.5);
        auto const [far_down, far_left] = at(-1);
        auto const [far_up, far_right] = at(1);
        double const near = (near_up - near_down) / (near_right - near_left),
                     far = (far_up - far_down) / (far_right - far_left);
        double const size = std::abs(far_up) > magnitude ? std::abs(far_up) : magnitude;
        return {(4 * near - far) / 3, 2 * std::abs(near - far) + 16 * epsilon * size / std::abs(far_right)};
    }
};

/// Compares one array. `moved` are its elements, as they are differenced; `gradient` what is checked, which was
/// stored as T. InFloat: something on the way from there to the value is computed in float.
template <class T, class Moved, bool InFloat, class Value>
class array_check {
public:
    array_check(gradient_report& report, gradient_tolerance const& tolerance, Moved* moved,
                list<double> const& gradient, int argument, int array, double magnitude, double largest,
                Value const& value)
        : report_(report),
          moved_(moved),
          gradient_(gradient),
          argument_(argument),
          array_(array),
          magnitude_(magnitude),
          value_(value) {
        using Steps = std::conditional_t<InFloat && std::is_same_v<Moved, double>, float, Moved>;
        step_ = tolerance.step > 0 ? tolerance.step : default_step<Steps>();
        relative_ = tolerance.relative > 0 ? tolerance.relative : InFloat ? 2e-2 : default_relative<T>();
        double lengths = 0;
        for (int i = 0; i < size(); ++i) {
            if (std::abs(gradient[i]) > largest_) largest_ = std::abs(gradient[i]);
            lengths += length(i);
        }
        // what rounding leaves of a gradient that is 0, and of one beside larger ones
        own_rounding_ = (16 * magnitude / (lengths > 1 ? lengths : 1) + 128 * largest) *
                        epsilon_of<std::conditional_t<InFloat, float, T>>();
    }

    /// At most so many elements; then, if there are more, all at once.
    void compare_all(std::int64_t most) {
        elements(most);
        if (size() > most) slopes();
    }

private:
    /// Elements one by one: all, or so many of them here and there.
    void elements(std::int64_t most) {
        bool const all = size() <= most;
        double const golden = 0.6180339887498949;
        for (std::int64_t k = 0; k < (all ? size() : most); ++k) {
            double const place = static_cast<double>(k) * golden;
            int const i = static_cast<int>(
                all ? k : static_cast<std::int64_t>((place - std::floor(place)) * static_cast<double>(size())));
            Moved const old = moved_[i];
            double const h = step_ * length(i);
            difference const d = difference::of([&](double t) {
                moved_[i] = static_cast<Moved>(static_cast<double>(old) + t * h);
                return sample{value_(), static_cast<double>(moved_[i]) - static_cast<double>(old)};
            }, epsilon, magnitude_);
            moved_[i] = old;
            double const absolute = std::abs(gradient_[i] - d.value);
            if (!(absolute <= report_.max_absolute_error)) report_.max_absolute_error = absolute;
            double const scale = std::abs(d.value) > largest_ ? std::abs(d.value) : largest_;
            compare(gradient_[i], d, scale, quantum + own_rounding_, static_cast<std::size_t>(i), false);
            ++report_.checked;
        }
    }

    /// All elements at once: along the gradient, along (1, 1, ...), and by random signs.
    void slopes() {
        list<double> v(size(), 0);
        auto along = [&](auto const& direction) {
            double sum = 0;
            for (int i = 0; i < size(); ++i) v.items[i] = direction(i), sum += v.items[i] * v.items[i];
            if (!(sum > 0)) return;
            // the whole move is one step long; numbers of 16 bits are moved by one each
            double const shorter = short_float<Moved> ? 1 : 1 / std::sqrt(sum);
            for (int i = 0; i < size(); ++i) v.items[i] *= shorter * length(i);
            slope(v);
        };
        along([&](int i) { return largest_ > 0 ? gradient_[i] / largest_ : 0; });
        along([](int) { return 1.0; });
        std::uint64_t state = 88172645463325252u;
        auto sign = [&](int) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            return state >> 63 ? 1.0 : -1.0;
        };
        for (int k = 0; k < 3; ++k) along(sign);
    }

    static constexpr double quantum = std::is_same_v<T, half> ? 0x1p-25 : 0;  ///< what is less than the smallest number
    static constexpr double epsilon = epsilon_of<std::conditional_t<InFloat, float, Moved>>();
    gradient_report& report_;
    Moved* moved_;
    list<double> gradient_;
    int argument_, array_;
    double magnitude_, step_ = 0, relative_ = 0, largest_ = 0, own_rounding_ = 0;
    Value const& value_;

    int size() const { return gradient_.size(); }
    double length(int i) const {
        double const x = std::abs(static_cast<double>(moved_[i]));
        return x > 1 ? x : 1;
    }

    void slope(list<double> const& v) {
        list<double> old(size(), 0);
        for (int i = 0; i < size(); ++i) old.items[i] = static_cast<double>(moved_[i]);
        double said = 0, spread = 0, moves = 0, all_moves = 0;
        difference const d = difference::of([&](double t) {
            said = spread = moves = all_moves = 0;
            for (int i = 0; i < size(); ++i) {
                moved_[i] = static_cast<Moved>(old.items[i] + t * step_ * v.items[i]);
                double const by = (static_cast<double>(moved_[i]) - old.items[i]) / (t * step_),
                             part = gradient_[i] * by;
                said += part, spread += part * part, moves += by * by, all_moves += std::abs(by);
            }
            return sample{value_(), t * step_};
        }, epsilon, magnitude_);
        for (int i = 0; i < size(); ++i) moved_[i] = static_cast<Moved>(old.items[i]);
        double scale = std::sqrt(spread);
        for (double s : {std::abs(d.value), std::abs(said)})
            if (s > scale) scale = s;
        compare(said, d, scale, quantum * all_moves + own_rounding_ * std::sqrt(moves), 0, true);
        ++report_.slopes;
    }

    void compare(double g, difference const& d, double scale, double rounding, std::size_t element, bool is_slope) {
        double const error = std::abs(g - d.value), allowed = relative_ * scale + rounding + d.uncertain;
        double const relative = error <= 0 ? 0 : error / allowed * relative_;
        report_.passed = report_.passed && error <= allowed;
        if (relative <= report_.max_relative_error && report_.worst_argument >= 0) return;
        report_.max_relative_error = relative;
        report_.worst_argument = argument_;
        report_.worst_array = array_;
        report_.worst_element = element;
        report_.worst_is_slope = is_slope;
        report_.worst_gradient = g;
        report_.worst_difference = d.value;
    }
};


}  // namespace detail::transform_part
}  // namespace tapeless
