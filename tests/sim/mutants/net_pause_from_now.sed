# SPDX-License-Identifier: MIT
# net/net_timers.c: R22: a pause counts from the last tick at which the connection was open
s/uint32_t over_ms = .*/uint32_t over_ms = 0;/
