# SPDX-License-Identifier: MIT
# redlock/cli/servers/once.c: R39: a server without a vote does not say that the tick is open
# tests: cli_once/a_server_without_a_vote_cannot_say_open
s/tally\.asked_ms\[i\] >= rdl_redlock_counts_at\(&lock\(\)->redlock, i\)/1/
