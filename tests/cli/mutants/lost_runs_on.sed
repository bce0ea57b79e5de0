# SPDX-License-Identifier: MIT
# redlock/cli/servers/held_lease.c: R36: a deleted lock is lost at once, not when its lease ends
# tests: cli_wait_limits/a_deleted_lock_is_lost_at_the_next_renewal
s/rc == RDL_LOST \|\| rc == RDL_E_GAP\)/rc == RDL_E_GAP)/
