# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: OFF counts a server that restarted recently
s/if \(r->opt->guard == RDL_GUARD_OFF\)/if (0)/
