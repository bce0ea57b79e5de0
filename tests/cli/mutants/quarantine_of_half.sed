# SPDX-License-Identifier: MIT
# redlock/cli/servers/replies.c: R24: with an even number of servers the quarantine lasts until a majority counts
# tests: cli_wait_limits/a_quarantine_lasts_until_a_majority_counts
s/at\[n \/ 2\]/at[(n - 1) \/ 2]/g
