# SPDX-License-Identifier: MIT
# redlock/redlock_acquire.c: R9: a failed attempt is released everywhere
/^static int redlock_attempt_failed/,/^}/s/^    rdl_votes_release\(r, 0, now_ms\);/    r->until_ms = 0;/
