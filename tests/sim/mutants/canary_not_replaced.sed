# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: a foreign canary is replaced
s/if \(answer == RDL_ANSWER_NO\)/if (0)/
