# SPDX-License-Identifier: MIT
# lock/lock.c: R17: after a failed extend the next connect pauses only briefly
s/if \(l->action != RDL_EXTEND\) .*/if (1)/
