# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: what is no deadline is never taken over
/PLAUSIBLE_S \|\|/,/return/s/return PEER_FOREIGN;/return PEER_EXPIRED;/
