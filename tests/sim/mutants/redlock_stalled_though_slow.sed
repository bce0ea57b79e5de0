# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R18: a server that is farther away than the others keeps its connection
s/uint32_t rtt_ms = s->conn->rtt_ms > quorum_rtt_ms .*/uint32_t rtt_ms = quorum_rtt_ms;/
