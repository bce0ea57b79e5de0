# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: what is put back of an adopted lock ends by its ttl, so a silent connection is left
s/&s->req, now_ms \+ r->ttl_ms\)/\&s->req, r->keys_end_ms)/
