# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R18: a reply that was waited for replaces the bound of a round trip
s/if \(s->conn->rtt_is_bound/if (0/
