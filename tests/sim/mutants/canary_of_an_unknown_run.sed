# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: a client that may not query the run accepts any canary
s/if \(!knows_run\(c\)\)/if (0)/
