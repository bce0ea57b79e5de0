# SPDX-License-Identifier: MIT
# lock/lock.c: R18: a reply that was waited for replaces the bound of a round trip
s/ && l->conn->rtt_is_bound / \&\& 0 /
