# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: nor does what is asked while it is held
s/^    if \(r->state == REDLOCK_IDLE\).*$/    if (r->state > REDLOCK_PAUSE)/
