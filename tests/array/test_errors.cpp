// SPDX-License-Identifier: MIT
// The errors' common base.

#include <tapeless/array/errors.hpp>

#include <stdexcept>
#include <string>
#include <type_traits>

#include "support/catch.hpp"

namespace ad = tapeless;

TEST_CASE("errors: all have one base, and each is the standard's exception that comes nearest") {
    auto const is_error = [](auto const& thrown) {
        try {
            throw thrown;
        } catch (ad::error const& e) {
            return std::string(e.what()) == "why";
        }
    };
    CHECK(is_error(ad::shape_error("why")));
    CHECK(is_error(ad::index_error("why")));
    CHECK(is_error(ad::alias_error("why")));
    CHECK(is_error(ad::file_error("why")));
    CHECK(is_error(ad::empty_function_error("why")));
    static_assert(std::is_convertible_v<ad::shape_error*, std::invalid_argument*>);
    static_assert(std::is_convertible_v<ad::index_error*, std::out_of_range*>);
    static_assert(std::is_convertible_v<ad::alias_error*, std::invalid_argument*>);
    static_assert(std::is_convertible_v<ad::file_error*, std::runtime_error*>);
    static_assert(std::is_convertible_v<ad::empty_function_error*, std::logic_error*>);
}
