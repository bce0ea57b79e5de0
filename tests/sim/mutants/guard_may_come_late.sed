# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: a connection that was opened without connection checks has no guard
s/if \(c->cfg->server_info == NULL \|\| rdl_guard_is_late\(c\)\)/if (c->cfg->server_info == NULL)/
