# SPDX-License-Identifier: MIT
# net/net_uring.c: rule 10: after a send that failed, what the peer sent before is not read
s/if \(s->is_plain && !s->is_ended\)/if (0)/
