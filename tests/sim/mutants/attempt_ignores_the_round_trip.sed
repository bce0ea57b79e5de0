# SPDX-License-Identifier: MIT
# lock/lock_lease.c: R18: an attempt lasts long enough for the round trip
/^uint32_t rdl_attempt_ms_for_rtt/,/^}/s/\? 3 \* rtt_ms : most_ms/? 0 : 0/
