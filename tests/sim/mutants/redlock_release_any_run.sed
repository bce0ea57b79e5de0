# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R14: a key that a restarted server lost was not released by this client
s/!s->is_past && f->seen_ms < s->asked_ms/1/
