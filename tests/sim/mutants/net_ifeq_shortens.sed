# SPDX-License-Identifier: MIT
# net/net_op_extend.c: by SET IFEQ: never shortened
s/r->is_long \? 0 : r->ttl_ms/r->ttl_ms/
