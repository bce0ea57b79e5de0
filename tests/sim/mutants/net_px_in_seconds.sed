# SPDX-License-Identifier: MIT
# net/net_op_acquire.c: the ttl goes out in milliseconds
s/q->value, r->ttl_ms\)/q->value, r->ttl_ms \/ 1000 + 1)/
