# SPDX-License-Identifier: MIT
# redlock/cli/servers/query_output.c: a lock ends when fewer than a majority hold it
# tests: cli_verdict/a_majority_decides_without_servers_that_may_have_lost_data
s/longer >= quorum && ms > ends/ms > ends/
