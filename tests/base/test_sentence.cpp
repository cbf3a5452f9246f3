// SPDX-License-Identifier: MIT
// Sentences of errors: texts and numbers in their order, and what does not fit is left out.

#include <tapeless/base/sentence.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "support/catch.hpp"

using tapeless::detail::sentence;

TEST_CASE("sentence: texts and numbers") {
    CHECK(std::string_view(sentence{}.text()) == "");
    CHECK(std::string_view((sentence{} << "axis " << 0 << " has " << std::int64_t{-12} << "").text()) == "axis 0 has -12");
    CHECK(std::string_view((sentence{}.add("batches", 5) << "!").text()) == "batch!");
    std::int64_t const least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
    CHECK((sentence{} << least << " " << most).text() == std::to_string(least) + " " + std::to_string(most));
    for (std::int64_t n : {1, 9, 10, 99, 100, 1000000007}) CHECK((sentence{} << n).text() == std::to_string(n));
}

TEST_CASE("sentence: what does not fit is left out") {
    sentence s;
    std::string all;
    for (int i = 0; i < 400; ++i) {
        s << i << ", ";
        all += std::to_string(i) + ", ";
    }
    std::string_view const kept = s.text();
    CHECK(kept.size() >= 1000);
    CHECK(kept == std::string_view(all).substr(0, kept.size()));
}
