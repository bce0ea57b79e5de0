# SPDX-License-Identifier: MIT
# redlock/cli/cli_report.c: 68 takes names that do not exist for a majority
# tests: cli_wait_limits/names_that_do_not_exist_are_68_when_no_majority_has_one
s/t\.n - \(t\.n \/ 2 \+ 1\)/0/
