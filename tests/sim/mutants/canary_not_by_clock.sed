# SPDX-License-Identifier: MIT
# redlock/redlock_canary.c: where no script may, a canary is made all the same
s/r->is_refused = r->verdict == RDL_ANSWER_ERROR;/r->is_refused = 0;/
