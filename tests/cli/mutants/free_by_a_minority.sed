# SPDX-License-Identifier: MIT
# redlock/cli/cli_seen.c: a lock is free by a majority
# tests: cli_verdict/a_majority_decides_and_who_may_have_forgotten_does_not
s/free_on >= v->quorum\)/free_on > 0)/
