# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R29: a restored key proves nothing about the time before
s/s->certainty = CERTAINTY_RESTORED;/s->certainty = CERTAINTY_CONTINUOUS;/
