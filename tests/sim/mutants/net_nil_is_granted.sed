# SPDX-License-Identifier: MIT
# lock/lock_op.c: R5: nil means that another client holds the lock
s/r->verdict = RDL_ANSWER_NO;/r->verdict = RDL_ANSWER_YES;/
