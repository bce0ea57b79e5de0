# SPDX-License-Identifier: MIT
# redlock/cli/cli_seen.c: a lock ends when fewer than a majority have it
# tests: cli_verdict/a_majority_decides_and_who_may_have_forgotten_does_not
s/longer >= quorum && ms > ends/ms > ends/
