# SPDX-License-Identifier: MIT
# net/net_posix_poll.c: rule 16: poll fails if one connect does
s/^    for \(i = 0; i < n; i\+\+\)$/    for (i = 0; i < n; i++)\
        if (rdl_conn_state(conns[i]) == RDL_CONN_CLOSED \&\& rdl_conn_error(conns[i]) == RDL_E_CONNECT)\
            return RDL_E_SYSTEM;\
    for (i = 0; i < n; i++)/
