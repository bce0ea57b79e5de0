# SPDX-License-Identifier: MIT
# net/net_op_acquire.c: nil means that somebody else holds it
s/r->verdict = RDL_ANSWER_NO;/r->verdict = RDL_ANSWER_YES;/
