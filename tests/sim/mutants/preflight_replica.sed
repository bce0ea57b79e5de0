# SPDX-License-Identifier: MIT
# net/net_preflight.c: a replica is refused
s/if \(c->facts\.has & RDL_FACT_REPLICA\)/if (0)/
