# SPDX-License-Identifier: MIT
# lock/lock.c: R22: the extend of a held lease ends after one attempt, waiting for the connection included
s/ttl_ms, extend_deadline\(l, now_ms\)\);/ttl_ms, l->until_ms);/
