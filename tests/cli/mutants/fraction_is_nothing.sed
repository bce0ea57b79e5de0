# SPDX-License-Identifier: MIT
# redlock/cli/options/numbers.c: a fraction of a ms is rounded up
# tests: cli_number/a_fraction_is_rounded_up_and_never_to_zero
s/rest \+ 999999/rest/
