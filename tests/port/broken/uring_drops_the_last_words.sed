# SPDX-License-Identifier: MIT
# net/net_uring.c: rule 10: after a send that failed, what the peer sent before is not read
s/return s->is_plain \? recv_plain\(s, c, buf, cap\) : 0;/return s->is_plain ? RDL_E_CLOSED : 0;/
