# SPDX-License-Identifier: MIT
# redlock/cli/servers/failures.c: servers that speak another protocol are 76
# tests: cli_wait/a_server_that_speaks_http_fails_with_76
s/RDL_EXIT_PROTOCOL : RDL_EXIT_UNAVAILABLE/RDL_EXIT_UNAVAILABLE : RDL_EXIT_UNAVAILABLE/
