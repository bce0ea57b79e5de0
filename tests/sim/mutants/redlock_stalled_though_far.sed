# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R18: over N servers, too, a reply is not overdue before the attempt ends
s/uint32_t rtt_ms = s->conn->rtt_ms > quorum_rtt_ms .*/uint32_t rtt_ms = 0 * quorum_rtt_ms;/
