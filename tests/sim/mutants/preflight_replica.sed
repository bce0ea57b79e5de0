# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: a replica is refused
s/if \(c->cfg->facts->has & RDL_FACT_REPLICA\)/if (0)/
