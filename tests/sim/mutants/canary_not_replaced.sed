# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: a foreign canary is replaced
s/answer == RDL_ANSWER_NO \? &rdl_op_canary_replace : &rdl_op_canary_create/\&rdl_op_canary_create/
