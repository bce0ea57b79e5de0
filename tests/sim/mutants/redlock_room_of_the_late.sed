# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R12: a request sent while the lock is held reserves no room either
s/^    if \(r->until_ms != 0\).*$/    if (r->state > REDLOCK_PAUSE)/
