// SPDX-License-Identifier: MIT
// What do derivatives cost? Those of four problems (transformations/*.cpp), as multiples of one evaluation; and what
// checkpoints save and cost.
//
//   bench_transformations [--only PART_OF_A_NAME] [--explain]
//
// --explain prints the plans beside the figures.

#include "transformations/report.hpp"

#include <cstring>

bool is_wanted(options const& o, char const* name) { return std::strstr(name, o.only) != nullptr; }

int main(int argc, char** argv) {
    options o;
    for (int i = 1; i < argc; ++i) {
        if (!std::strcmp(argv[i], "--only") && i + 1 < argc) o.only = argv[++i];
        if (!std::strcmp(argv[i], "--explain")) o.explained = true;
    }
    std::puts(
        "Microseconds of an evaluation, of the loss and of the array before it; the rest are multiples of these.");
    std::puts(
        "Targets: gradient 3, jvp 2.5, hvp 6. Hessians and Jacobians are by 100 numbers (the perceptron's by 128).\n");
    std::printf("%-34s %9s %9s %7s %7s %9s %9s %7s %9s\n", "", "loss, us", "gradient", "jvp", "hvp", "Hessian",
                "array, us", "vjp", "Jacobian");
    least_squares(o);
    log_sum_exp(o);
    perceptron(o);
    recurrent(o);
    checkpoint(o);
}
