# SPDX-License-Identifier: MIT
# lock/lock_multi.c: R5: MSETEX is tried after a script that set some keys: they are released
s/if \(c->reply_items & FOUND_OURS\)/if (0)/
