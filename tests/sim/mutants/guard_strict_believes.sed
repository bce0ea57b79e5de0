# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: strict does not believe the uptime
s/r->opt->guard != RDL_GUARD_STRICT && //
