# SPDX-License-Identifier: MIT
# cmake -DCOMMAND=a|b|... -DEXPECTED=regex -P must_fail.cmake: the command ends in failure, and says so in these words.

string(REPLACE "|" ";" command "${COMMAND}")
execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output TIMEOUT 40)
if(NOT status MATCHES "^[1-9][0-9]*$") # a text where it ran too long
    message(FATAL_ERROR "ended with ${status}:\n${output}")
endif()
if(NOT output MATCHES "${EXPECTED}")
    message(FATAL_ERROR "\"${EXPECTED}\" is not in what was said:\n${output}")
endif()
