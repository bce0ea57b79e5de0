# SPDX-License-Identifier: MIT
# redlock/redlock.c: R17: over N servers, too, an extend waits until half of the remaining lease is over
s/r->abort_below_ms = rdl_redlock_remaining_ms\(r, now_ms\) \/ 2;/r->abort_below_ms = rdl_redlock_remaining_ms(r, now_ms);/
