# SPDX-License-Identifier: MIT
# lock/lock_requests.c: R5: nil means that another client holds the lock
/^int rdl_set_on_reply/,/^}/s/r->verdict = RDL_ANSWER_NO;/r->verdict = RDL_ANSWER_YES;/
