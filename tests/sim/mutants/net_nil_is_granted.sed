# SPDX-License-Identifier: MIT
# lock/lock_op.c: nil means that somebody else holds it
s/r->verdict = RDL_ANSWER_NO;/r->verdict = RDL_ANSWER_YES;/
