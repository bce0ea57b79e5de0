# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: an extend without an answer leaves two values that are ours
s/    else if \(l->lock.req.answer != RDL_ANSWER_UNKNOWN\)/    else/
