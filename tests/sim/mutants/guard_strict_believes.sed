# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: STRICT does not trust the uptime
s/r->opt->guard != RDL_GUARD_STRICT && //
