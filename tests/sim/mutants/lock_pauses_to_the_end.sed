# SPDX-License-Identifier: MIT
# lock/lock.c: R17: after a failed extend the next connect pauses only briefly
s/if \(l->abort_below_ms == 0\) \/\* no lease .*/if (1)/
