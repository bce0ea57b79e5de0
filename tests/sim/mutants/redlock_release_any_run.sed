# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: what a restarted server does not have any more was not released by us
s/!s->is_past && f->seen_ms < s->asked_ms/1/
