# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R14: a server is reported late only if its reply had its full time
s/return now_ms >= s->asked_ms \+ answer_ms\(r, s\);/return now_ms >= r->wake_ms;/
