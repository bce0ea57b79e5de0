# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R14: a key known to be gone was not released by this client
s/now_ms >= r->deadline_ms \|\| s->certainty < CERTAINTY_RESTORED/now_ms >= r->deadline_ms/
