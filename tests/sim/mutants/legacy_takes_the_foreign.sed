# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: R35: a value that is not a deadline is never taken over
/PLAUSIBLE_S \|\|/,/return/s/return PEER_FOREIGN;/return PEER_EXPIRED;/
