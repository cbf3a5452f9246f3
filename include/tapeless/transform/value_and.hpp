// SPDX-License-Identifier: MIT
#pragma once
// The value of a function together with its derivative, as they are returned.

namespace tapeless {

/// What value_and_grad and vjp return: auto [value, grad] = ...
template <class V, class G>
struct value_and_gradient {
    V value;
    G grad;
};

/// What jvp returns: auto [value, tangent] = ...
template <class V, class T>
struct value_and_tangent {
    V value;
    T tangent;
};

}  // namespace tapeless
