# SPDX-License-Identifier: MIT
# redlock/cli/servers/query_output.c: R26: a server that may have lost data decides nothing
# tests: cli_verdict/a_majority_decides_without_servers_that_may_have_lost_data
s/if \(standing\[i\] != RDL_CLI_VOTES \|\| /if (standing[i] == RDL_CLI_VOTELESS || /
