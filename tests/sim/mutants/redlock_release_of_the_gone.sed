# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: what was known to be gone was not released by us
s/now_ms >= r->deadline_ms \|\| s->certainty < CERTAINTY_RESTORED/now_ms >= r->deadline_ms/
