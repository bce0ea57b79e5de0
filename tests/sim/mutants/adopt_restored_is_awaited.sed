# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R10: a restored key of an adopted lock expires by its ttl, so a stalled conn is closed
s/&s->req, now_ms \+ r->ttl_ms\)/\&s->req, r->keys_end_ms)/
