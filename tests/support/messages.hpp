// SPDX-License-Identifier: MIT
#pragma once
// What errors say.

#include <tapeless/array/errors.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>

template <class Error = tapeless::shape_error, class F>
std::string message_of(F&& f) {
    try {
        f();
    } catch (Error const& e) {
        return e.what();
    }
    return "nothing was thrown";
}
template <class F>
std::string index_message(F&& f) {
    return message_of<tapeless::index_error>(f);
}
inline bool mentions(std::string const& text, std::initializer_list<char const*> words) {
    return std::all_of(words.begin(), words.end(), [&](char const* w) { return text.find(w) != std::string::npos; });
}
