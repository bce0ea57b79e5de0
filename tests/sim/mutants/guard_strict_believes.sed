# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R26: STRICT does not trust the uptime
s/r->opt->guard != RDL_GUARD_STRICT && //
