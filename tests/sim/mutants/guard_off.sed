# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: a server that restarted recently does not count
s/if \(r->opt->guard == RDL_GUARD_OFF\)/if (1)/
