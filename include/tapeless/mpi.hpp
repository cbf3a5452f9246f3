// SPDX-License-Identifier: MIT
#pragma once
// One model on many processes: gradients that are averaged over the ranks of an MPI communicator. Needs an MPI (Debian,
// Ubuntu: libopenmpi-dev), and is not part of <tapeless/tapeless.hpp>.

#include <tapeless/mpi/grad.hpp>
#include <tapeless/mpi/mean.hpp>
#include <tapeless/mpi/model.hpp>
#include <tapeless/mpi/ranks.hpp>
