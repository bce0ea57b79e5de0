# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: the canary of another run is replaced
s/if \(answer == RDL_ANSWER_NO\)/if (0)/
