# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: a lease that could not be extended does not wait long for the next connection
s/left_ms = r->abort_below_ms != 0 \? .*;/left_ms = 0;/
