# SPDX-License-Identifier: MIT
# lock/lock.c: R18: a reply that is read late does not replace the bound of a round trip
s/\(uint32_t\)\(now_ms - l->sent_ms\) < l->conn->rtt_ms/1/
