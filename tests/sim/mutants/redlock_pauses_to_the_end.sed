# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R17: after a failed extend the next connect pauses only briefly
s/left_ms = r->abort_below_ms != 0 \? .*;/left_ms = 0;/
