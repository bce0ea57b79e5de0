# SPDX-License-Identifier: MIT
# net/net_request.c: R10: a pending release is kept until its key has expired
s/r->until_ms >= now_ms/r->until_ms >= now_ms + 100000/
