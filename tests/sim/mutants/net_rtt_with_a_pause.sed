# SPDX-License-Identifier: MIT
# net/net_timers.c: R18: a login step that no operation waited for is no round trip
s/^        is_bound = 1;/        is_bound = 0;/
