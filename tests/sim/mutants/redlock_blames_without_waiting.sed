# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a server is called late only if it was waited for as long as its answer may take
s/return now_ms >= s->asked_ms \+ answer_ms\(r, s\);/return now_ms >= r->wake_ms;/
