# SPDX-License-Identifier: MIT
# redlock/cli/child/supervise.c: success that could not be recorded is 75
# tests: cli_once/success_without_a_majority_that_records_is_75
s/r\.held\.lost \|\| unrecorded \?/r.held.lost ?/
