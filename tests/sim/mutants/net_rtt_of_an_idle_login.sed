# SPDX-License-Identifier: MIT
# net/net_timers.c: R18: replies to the login that were not read are no round trip
s/if \(took_ms > rdl_conn_connect_ms\(c\)\)/if (0)/
