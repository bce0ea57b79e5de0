# SPDX-License-Identifier: MIT
# net/net_op_extend.c: by WATCH: a key that lives long anyway is no yes without an EXEC
s/return r->rung == RUNG_WATCH \? rdl_watch_judge\(c, r, q->value\) : (.*);/{ int rc = r->rung == RUNG_WATCH ? rdl_watch_judge(c, r, q->value) : \1; if (r->rung == RUNG_WATCH \&\& r->round == ROUND_LOOK \&\& r->verdict == RDL_ANSWER_NONE \&\& r->is_long) r->verdict = RDL_ANSWER_YES; return rc; }/
