# SPDX-License-Identifier: MIT
# redlock/redlock_vote.c: R18: a reply that is read late does not replace the bound of a round trip
s/ && s->took_ms < s->conn->rtt_ms//
