# SPDX-License-Identifier: MIT
# net/net_preflight.c: what was said is forgotten with the connection
s/f->seen_ms == 0/1/
