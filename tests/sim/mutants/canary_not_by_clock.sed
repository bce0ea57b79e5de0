# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: R28: without scripts a canary is created by another method
s/r->is_refused = r->verdict == RDL_ANSWER_ERROR;/r->is_refused = 0;/
