# SPDX-License-Identifier: MIT
# redlock/cli/cli_report.c: a name that could not be looked up may exist
# tests: cli_wait_limits/names_that_do_not_exist_are_68_when_no_majority_has_one
s/ && !is_to_be_looked_up\(l, i\)//
