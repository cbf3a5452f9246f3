// SPDX-License-Identifier: MIT
#pragma once
// What the library computed beside what the oracle says: the first element that differs, and the report of them all.

#include "support/oracle.hpp"
#include "support/stages.hpp"

#include <string>
#include <vector>

namespace oracle {

/// The first element of an array that is not what it should be; "" where there is none. `is` may be the oracle's, with
/// errors of its own.
std::string difference(array const& is, array const& should);

struct checks {
    bool passes = true;       ///< the oracle on the graph after every pass
    bool differences = true;  ///< central differences: not where a function jumps, or its rule is not its derivative
};

/// What went wrong, one line each.
class report {
public:
    void add(std::string const& what, std::string const& how);

    /// The results of a call beside those of its graph as it was traced, and (passes) those after every pass: so many
    /// values, then gradients. Returned is what they should be.
    std::vector<array> check(char const* name, std::vector<stage> const& stages, bool passes,
                             std::vector<array> const& arguments, std::vector<array> const& is, std::size_t values);
    /// Gradients, from result number `values` on, of the first result: (f(x + h) - f(x - h)) / 2h, all in long double.
    void compare_with_differences(graph::traced const& function, std::vector<array> arguments,
                                  graph::list<int> const& leaves, std::vector<array> const& results,
                                  std::size_t values);
    /// Tangents of the results in a direction: the same a little to either side in it.
    void compare_with_differences_in(std::vector<array> const& direction, graph::traced const& function,
                                     std::vector<array> const& arguments, graph::list<int> const& leaves,
                                     std::vector<array> const& tangents);
    /// The first lines, and how many more there are.
    std::string text() const;

private:
    std::string text_;
    int lines_ = 0;

    void compare(std::string const& what, std::vector<array> const& is, std::vector<array> const& should,
                 std::size_t values);
};

}  // namespace oracle
