# SPDX-License-Identifier: MIT
# redlock/cli/doctor/findings.c: a server that replied with an error is not down
# tests: cli_advice/doctor_never_says_that_a_server_which_replied_is_down
s/else if \(rdl_cli_is_refusal\(error, .*\)\)/else if (0)/
