# SPDX-License-Identifier: MIT
# net/net_timers.c: R17: a lease in danger does not wait for another lock's longer timeout
s/if \(c->lease_timeout_ms != 0 && c->lease_timeout_ms < timeout_ms\)/if (0)/
