# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: STRICT does not count a server that restarted recently
s/if \(r->opt->guard == RDL_GUARD_OFF\)/if (r->opt->guard == RDL_GUARD_OFF || r->opt->guard == RDL_GUARD_STRICT)/
