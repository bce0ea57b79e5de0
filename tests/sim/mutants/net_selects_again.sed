# SPDX-License-Identifier: MIT
# net/net_conn.c: how a request is put is chosen once, and the chunks it goes out in join
s/if \(r->len == 0 && !select_method\(c, r\)\)/if (!select_method(c, r))/
