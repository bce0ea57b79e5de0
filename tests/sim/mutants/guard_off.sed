# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: a server that just came up does not count
s/if \(r->opt->guard == RDL_GUARD_OFF\)/if (r->opt->guard)/
