// SPDX-License-Identifier: MIT
#pragma once
// The loops of operations' own that the oracle knows, by name.

#include "support/oracle_loop_call.hpp"

#include <map>

namespace oracle {

/// Gather and its kin, sorting, what runs along an axis. A test adds a loop of its own here:
/// oracle::loops()[{"flood_fill", 2}] = function.
std::map<operation_key, loop_function>& loops();
/// Losses, linear algebra, and windows over images.
std::map<operation_key, loop_function> loss_loops();
std::map<operation_key, loop_function> linalg_loops();
std::map<operation_key, loop_function> window_loops();

}  // namespace oracle
