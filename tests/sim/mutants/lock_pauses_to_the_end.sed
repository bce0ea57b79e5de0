# SPDX-License-Identifier: MIT
# lock/lock.c: a lease that could not be extended does not wait long for the next connection
s/if \(l->abort_below_ms == 0\) \/\* no lease .*/if (1)/
