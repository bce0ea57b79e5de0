# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R14: a key that expired before the resent release was not released by this client
s/ \|\| now_ms >= s->asked_ms \+ rdl_redlock_max_ttl_ms\(r\)//
