# SPDX-License-Identifier: MIT
# redlock/redlock_guard.c: R27: servers without a run_id are not taken for the same server
s/if \(run == RDL_RUN_UNNAMED\).*/if (0)/
