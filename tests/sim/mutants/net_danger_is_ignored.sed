# SPDX-License-Identifier: MIT
# net/net_timers.c: R17: a lease in danger does not wait for another lock's longer timeout
s/int is_in_danger = c->lease_timeout_ms != 0 && .*/int is_in_danger = 0;/
