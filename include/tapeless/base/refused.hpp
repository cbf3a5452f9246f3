// SPDX-License-Identifier: MIT
#pragma once
// What a call returns that was refused.

namespace tapeless {

/// By which functions of arrays are found for what was refused.
struct among_arrays {};

}  // namespace tapeless

namespace tapeless::detail {

/// The reason has been reported; whatever is done with this is not reported as well.
struct refused : among_arrays {
    template <class T>
    operator T() const;
    refused operator()(auto const&...) const;
    refused operator[](auto const&) const;
    friend refused operator-(refused);
    friend refused operator+(refused, auto const&);
    friend refused operator-(refused, auto const&);
    friend refused operator*(refused, auto const&);
    friend refused operator/(refused, auto const&);
    friend refused operator==(refused, auto const&);
    friend refused operator<(refused, auto const&);
    friend refused operator>(refused, auto const&);
};

}  // namespace tapeless::detail
