# SPDX-License-Identifier: MIT
# lock/lock_multi.c: R5: without scripts, too, several locks are extended only if all are ours
s/c->reply_items == \(r->op/c->reply_items \& (r->op/
