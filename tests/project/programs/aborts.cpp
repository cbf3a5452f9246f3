// SPDX-License-Identifier: MIT
// Without exceptions and a handler a program ends with the error's message.
// flags: -fno-exceptions
// fails: tapeless: view: axis 0 was given the length -1, a length is 0 or more
#include <tapeless/tensor.hpp>

int main() {
    tapeless::view<double, tapeless::dyn> const v(nullptr, -1);
    return static_cast<int>(v.size());
}
