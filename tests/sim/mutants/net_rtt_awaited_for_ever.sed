# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R18: after an operation nothing waits for the round trip
s/is_awaited = r->state != REDLOCK_IDLE/is_awaited = 1/
s/is_awaited = 0/is_awaited = 1/
