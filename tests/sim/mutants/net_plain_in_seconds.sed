# SPDX-License-Identifier: MIT
# net/net_request.c: R21: the ttl is sent in milliseconds
s/rdl_dec_u32\(ttl, r->ttl_ms\)/rdl_dec_u32(ttl, r->ttl_ms \/ 1000 + 1)/
