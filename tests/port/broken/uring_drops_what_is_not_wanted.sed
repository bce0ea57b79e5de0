# SPDX-License-Identifier: MIT
# net/net_uring.c: rule 10: it waits for bytes that the conn does not read, and drops them
s/^        if \(result > 0\) \{$/        if (result > 0 \&\& !(rdl_conn_wants(s->conn) \& RDL_WANT_READ))\
            return;\
        if (result > 0) {/
