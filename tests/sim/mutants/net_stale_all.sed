# SPDX-License-Identifier: MIT
# net/net_timers.c: an owed release is kept until the key is gone by itself
s/r->until_ms >= now_ms/r->until_ms >= now_ms + 100000/
