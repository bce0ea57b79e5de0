# SPDX-License-Identifier: MIT
# redlock/cli/cli_number.c: a fraction of a ms is rounded up
# tests: cli_number/a_fraction_is_rounded_up_and_never_to_zero
s/rest \+ 999999/rest/
