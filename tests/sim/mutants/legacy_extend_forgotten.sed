# SPDX-License-Identifier: MIT
# lock/lock_legacy.c: R35: an extend without a reply leaves two own values
s/    else if \(l->lock.req.answer != RDL_ANSWER_UNKNOWN\)/    else/
