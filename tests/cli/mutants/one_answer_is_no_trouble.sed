# SPDX-License-Identifier: MIT
# redlock/cli/servers/failures.c: R38: an error ends a wait when no majority is left
# tests: cli_wait/a_server_that_speaks_http_fails_with_76
s/if \(most >= quorum\)/if (most > 0)/
