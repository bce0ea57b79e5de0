# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: who may not ask which run it is takes any canary
s/if \(!knows_run\(c\)\)/if (0)/
