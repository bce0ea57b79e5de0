# SPDX-License-Identifier: MIT
# net/net_send.c: the ttl goes out in milliseconds
s/rdl_cmd_set_nx_px\(w, q->key, q->token, q->ttl_ms\)/rdl_cmd_set_nx_px(w, q->key, q->token, q->ttl_ms \/ 1000 + 1)/
