# SPDX-License-Identifier: MIT
# redlock/redlock.c: over N servers, too, half of what was left is waited for the answers
s/r->abort_below_ms = rdl_redlock_remaining_ms\(r, now_ms\) \/ 2;/r->abort_below_ms = rdl_redlock_remaining_ms(r, now_ms);/
