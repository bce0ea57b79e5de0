# SPDX-License-Identifier: MIT
# net/net_reply.c: somebody else.s key is not extended
/^static int judge_script/,/^}/s/RDL_ANSWER_NO$/RDL_ANSWER_YES/
