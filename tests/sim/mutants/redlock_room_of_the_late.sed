# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R12: a request sent while the lock is held reserves no room either
s/^    if \(r->state == REDLOCK_IDLE\).*$/    if (r->state > REDLOCK_PAUSE)/
