# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: what was put back proves nothing about the time before
s/s->hold = HOLD_NEW;/s->hold = HOLD_SURE;/
