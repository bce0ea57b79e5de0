# SPDX-License-Identifier: MIT
# net/net_request.c: R10: releases pending when a stalled connection closes stay pending for one more ttl
s/r->until_ms = now_ms \+ r->ttl_ms;/(void)now_ms;/
