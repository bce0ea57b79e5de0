# SPDX-License-Identifier: MIT
# net/net_reply.c: nil means that somebody else holds it
/RDL_RESP_NIL\) \{/,/return/s/r->verdict = RDL_ANSWER_NO;/r->verdict = RDL_ANSWER_YES;/
