# SPDX-License-Identifier: MIT
# lock/lock_watch.c: a request that is given up leaves MULTI
/^uint8_t rdl_watch_next/,/^}/s/if \(r->round != ROUND_LOOK\)/if (r->round != ROUND_LOOK || (r->req == NULL \&\& !r->op->is_owed))/
