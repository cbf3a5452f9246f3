// SPDX-License-Identifier: MIT
// Indices are signed.
// expect: elements_are_of_another_type
// expect: std::int64_t
#include <tapeless/tapeless.hpp>

#include <cstdint>
#include <vector>
namespace ad = tapeless;
auto f = [](auto table, auto rows) { return sum(ad::index_select<0>(table, rows)); };
#ifdef RIGHT
std::vector<std::int64_t> rows{2, 0};
#else
std::vector<std::size_t> rows{2, 0};
#endif
auto g = ad::grad<0>(f)(ad::tensor<float, 4, 2>{}, rows);  // <- here
int main() {}
