# SPDX-License-Identifier: MIT
# An MPI, for the tests and examples of <tapeless/mpi.hpp>.

include_guard(GLOBAL)

find_package(MPI COMPONENTS CXX QUIET)
if(NOT MPI_CXX_FOUND)
    message(STATUS "tapeless: no MPI was found, so <tapeless/mpi.hpp> is not tested (Debian, Ubuntu: libopenmpi-dev openmpi-bin)")
    return()
endif()

# Open MPI starts more processes than there are processors, and any as root, only where it is told to.
set(tapeless_mpirun_flags "")
execute_process(COMMAND "${MPIEXEC_EXECUTABLE}" --version OUTPUT_VARIABLE _version ERROR_VARIABLE _version)
if(_version MATCHES "Open MPI|OpenRTE|PRRTE")
    set(tapeless_mpirun_flags --oversubscribe --allow-run-as-root)
endif()

# tapeless_mpirun(<variable> <ranks>): what begins the command of so many processes.
function(tapeless_mpirun variable ranks)
    set(${variable} "${MPIEXEC_EXECUTABLE}" ${tapeless_mpirun_flags} ${MPIEXEC_NUMPROC_FLAG} ${ranks} PARENT_SCOPE)
endfunction()
