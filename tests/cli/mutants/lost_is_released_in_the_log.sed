# SPDX-License-Identifier: MIT
# redlock/cli/servers/held_lease.c: R2: the log calls a lost lock lost
# tests: cli_log/a_lock_taken_before_the_release_is_logged_as_lost
s/if \(lost \|\| rc == RDL_LOST \|\| /if (lost || /
