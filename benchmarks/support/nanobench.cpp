// SPDX-License-Identifier: MIT
// nanobench's implementation, compiled once for all benchmarks.
#define ANKERL_NANOBENCH_IMPLEMENT
#include <nanobench.h>
