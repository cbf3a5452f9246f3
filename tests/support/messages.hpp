// SPDX-License-Identifier: MIT
#pragma once
// What errors say.

#include <tapeless/array/errors.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>

template <class F>
std::string message_of(F&& f) {
    try {
        f();
    } catch (tapeless::shape_error const& e) {
        return e.what();
    }
    return "nothing was thrown";
}
template <class F>
std::string index_message(F&& f) {
    try {
        f();
    } catch (tapeless::index_error const& e) {
        return e.what();
    }
    return "nothing was thrown";
}
inline bool mentions(std::string const& text, std::initializer_list<char const*> words) {
    return std::all_of(words.begin(), words.end(), [&](char const* w) { return text.find(w) != std::string::npos; });
}
