# SPDX-License-Identifier: MIT
# redlock/cli/servers/held_lease.c: a kept lock is not released
# tests: cli_keep/keep_holds_the_lock_however_the_command_ends
s/if \(now >= end_ms \|\|/if (1 ||/
