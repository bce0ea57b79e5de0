# SPDX-License-Identifier: MIT
# redlock/cli/cli_renew.c: a lock that is kept is not released
# tests: cli_keep/the_lock_is_kept_however_the_command_ended
s/if \(now >= end_ms \|\|/if (1 ||/
