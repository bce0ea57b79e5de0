# SPDX-License-Identifier: MIT
# net/net_upkeep.c: what is owed when a silent connection ends is owed for one ttl more
s/^    owe_longer\(c, now_ms\);//
